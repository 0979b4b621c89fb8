//! Random vectors, the same for the same seed wherever they are used.

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_kernels::Executor;
use num_complex::Complex64;

use crate::laws::values;
use crate::random::Sequence;
use crate::{Result, Space};

/// What the elements of random vectors are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sampler {
    /// 1 or -1, each as often as the other: the least variance, and none for a diagonal.
    #[default]
    Rademacher,
    /// Normally distributed around 0 with variance 1.
    Gaussian,
}

/// Vectors of a seed. An element depends on the seed, the number of its vector and its place alone: not on the device, nor on
/// the dtype but for rounding, nor on how many vectors are made at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Samples {
    pub(super) sampler: Sampler,
    pub(super) seed: u64,
}

impl Samples {
    /// Vectors `first..first + count`, `[len, count]` where `on` computes. They are made on the host.
    pub(super) fn block(
        self,
        on: &dyn Executor,
        space: &Space,
        first: usize,
        count: usize,
    ) -> Result<Array> {
        let len = space.len();
        let whole = Space::of("trace", [len, count], space.dtype())?;
        let element = |at: usize| {
            let (place, vector) = (at / count.max(1), first + at % count.max(1));
            Complex64::from(self.element(vector as u64, place as u64))
        };
        let mut all: Vec<Complex64> = Vec::new();
        reserve(&mut all, whole.len())?;
        all.extend((0..whole.len()).map(element));
        let array = values::array(whole.shape(), whole.dtype(), &all)?;
        Ok(array.into_device(on.device())?.0)
    }

    fn element(self, vector: u64, place: u64) -> f64 {
        let numbers = Sequence::new(self.seed, vector);
        match self.sampler {
            Sampler::Rademacher if numbers.bits(2 * place) >> 63 == 0 => 1.0,
            Sampler::Rademacher => -1.0,
            Sampler::Gaussian => numbers.normal(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_mean_zero_and_variance_one_and_are_not_alike() {
        for sampler in [Sampler::Rademacher, Sampler::Gaussian] {
            let samples = Samples { sampler, seed: 7 };
            let (count, len) = (20, 2000);
            let all: Vec<Vec<f64>> = (0..count)
                .map(|vector| (0..len).map(|place| samples.element(vector, place)).collect())
                .collect();
            for (number, one) in all.iter().enumerate() {
                let mean = one.iter().sum::<f64>() / len as f64;
                let variance = one.iter().map(|v| v * v).sum::<f64>() / len as f64;
                assert!(mean.abs() < 0.1 && (variance - 1.0).abs() < 0.2, "{mean} {variance}");
                for other in &all[..number] {
                    let dot: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
                    assert!(dot.abs() < 5.0 * (len as f64).sqrt(), "{dot}");
                }
            }
        }
    }
}
