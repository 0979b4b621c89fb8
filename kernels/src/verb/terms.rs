//! What sums over two arrays add up.

/// What is added up of two arrays, `a` and `b`. It is computed in the dtype of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Terms {
    /// `Re conj(a) b`
    Products,
    /// `|factor (a - b)|²`
    Differences(f64),
}

impl Terms {
    /// The factor of differences.
    pub(crate) fn factor(self) -> Option<f64> {
        match self {
            Self::Products => None,
            Self::Differences(factor) => Some(factor),
        }
    }
}
