//! Random numbers that depend on a seed and on where they are wanted, and on nothing else: not on the device, nor on how many are
//! drawn at once or in which order.
//!
//! ```
//! use arrayspan_operators::random::Sequence;
//!
//! let (first, second) = (Sequence::new(7, 0), Sequence::new(7, 1));
//! assert_eq!(first.normal(3).to_bits(), Sequence::new(7, 0).normal(3).to_bits());
//! assert!(first.normal(3) != second.normal(3) && first.normal(3) != first.normal(4));
//! ```

use std::f64::consts::TAU;

/// One of the sequences of random numbers of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sequence {
    base: u64,
}

impl Sequence {
    /// That of this number.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        Self { base: mixed(mixed(seed).wrapping_add(number)) }
    }

    /// 64 random bits at a place.
    #[must_use]
    pub fn bits(self, place: u64) -> u64 {
        mixed(self.base.wrapping_add(place))
    }

    /// A number that is normally distributed around 0 with variance 1: of the bits at twice its place and behind that.
    ///
    /// Reference: Box and Muller, Annals of Mathematical Statistics 29 (1958) 610.
    #[must_use]
    pub fn normal(self, place: u64) -> f64 {
        let unit = |part: u64| {
            let bits = self.bits(place.wrapping_mul(2).wrapping_add(part));
            // Above 0, of which there is no logarithm.
            ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        (-2.0 * unit(0).ln()).sqrt() * (TAU * unit(1)).cos()
    }
}

/// How far the state of `SplitMix64` goes on for the next number.
pub(crate) const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number that `SplitMix64` gives in this state. Steele, Lea and Flood, OOPSLA 2014.
pub(crate) fn mixed(state: u64) -> u64 {
    let z = state.wrapping_add(STEP);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the authors' own program for the state 1234567.
    #[test]
    fn the_generator_is_splitmix64() {
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        for (step, expected) in expected.into_iter().enumerate() {
            assert_eq!(mixed(STEP.wrapping_mul(step as u64).wrapping_add(1_234_567)), expected);
        }
    }

    #[test]
    fn numbers_have_mean_zero_and_variance_one_and_sequences_are_not_alike() {
        let len = 2000;
        let sequences: Vec<Vec<f64>> = (0..20)
            .map(|number| (0..len).map(|at| Sequence::new(7, number).normal(at)).collect())
            .collect();
        for (number, one) in sequences.iter().enumerate() {
            let mean = one.iter().sum::<f64>() / len as f64;
            let variance = one.iter().map(|v| v * v).sum::<f64>() / len as f64;
            assert!(mean.abs() < 0.1 && (variance - 1.0).abs() < 0.2, "{mean} {variance}");
            for other in &sequences[..number] {
                let dot: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
                assert!(dot.abs() < 5.0 * (len as f64).sqrt(), "{dot}");
            }
        }
        assert!(Sequence::new(u64::MAX, u64::MAX).normal(u64::MAX).is_finite());
    }
}
