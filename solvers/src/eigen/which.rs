//! Which eigenvalues or singular values are wanted.

/// Which eigenvalues, or singular values, are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Which {
    /// Those of the largest absolute value.
    #[default]
    LargestMagnitude,
    /// The largest ones.
    Largest,
    /// The smallest ones, of eigenvalues the most negative.
    Smallest,
    /// Half of them at each end; one more of the largest if their number is odd.
    BothEnds,
}

impl Which {
    /// The numbers of values, which are in ascending order, those wanted most first.
    pub(super) fn order(self, values: &[f64]) -> Vec<usize> {
        let n = values.len();
        match self {
            Self::Largest => (0..n).rev().collect(),
            Self::Smallest => (0..n).collect(),
            Self::BothEnds => {
                (0..n).map(|at| if at % 2 == 0 { n - 1 - at / 2 } else { at / 2 }).collect()
            }
            Self::LargestMagnitude => {
                let mut order: Vec<usize> = (0..n).rev().collect();
                order.sort_by(|a, b| values[*b].abs().total_cmp(&values[*a].abs()));
                order
            }
        }
    }

    /// Whether a value that may be off by so much, not among the wanted ones, could belong there before `least`, the last of them.
    /// (At both ends: on its own side.)
    pub(super) fn rivals(self, value: f64, off: f64, wanted: &[f64]) -> bool {
        let least = wanted.iter().copied().fold(f64::INFINITY, f64::min);
        let most = wanted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match self {
            Self::Largest => value + off > least,
            Self::Smallest => value - off < most,
            Self::LargestMagnitude => {
                let size = wanted.iter().fold(f64::INFINITY, |least: f64, v| least.min(v.abs()));
                value.abs() + off > size
            }
            // The wanted values next to it on either side.
            Self::BothEnds => wanted.iter().any(|v| (v - value).abs() < off),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_wanted_in_the_order_that_was_said() {
        let values = [-5.0, -1.0, 0.0, 2.0, 4.0];
        for (which, expected) in [
            (Which::Largest, [4, 3, 2, 1, 0]),
            (Which::Smallest, [0, 1, 2, 3, 4]),
            (Which::BothEnds, [4, 0, 3, 1, 2]),
            (Which::LargestMagnitude, [0, 4, 3, 1, 2]),
        ] {
            assert_eq!(which.order(&values), expected, "{which:?}");
        }
    }
}
