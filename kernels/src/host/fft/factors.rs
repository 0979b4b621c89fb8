//! What the numbers of transforms of several lines are multiplied by.

use crate::host::scalar::Scalar;

/// What numbers are multiplied by on the way.
#[derive(Clone, Copy)]
pub(in crate::host) struct Factors<T> {
    /// Complex results and samples, bins that stand for themselves, the first sum with cosines.
    pub(in crate::host) first: T,
    /// The real and the imaginary parts of bins that stand for two; all other sums.
    pub(in crate::host) others: [T; 2],
}

impl<T: Scalar> Factors<T> {
    /// All of them one.
    pub(in crate::host) fn none() -> Self {
        Self { first: T::one(), others: [T::one(); 2] }
    }

    /// Those of the mirror image of a bin.
    #[inline(always)]
    pub(in crate::host) fn conjugate(self) -> Self {
        let [re, im] = self.others;
        Self { others: [re, -im], ..self }
    }

    /// The others times a number.
    #[inline(always)]
    pub(in crate::host) fn times(self, factor: T) -> Self {
        let [re, im] = self.others;
        Self { others: [re * factor, im * factor], ..self }
    }
}
