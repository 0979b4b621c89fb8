//! Random vectors, the same for the same seed wherever they are used.

use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_bridge::{Array, DType, ViewMut};
use arrayspan_kernels::Executor;
use arrayspan_operators::Space;
use arrayspan_operators::random::Sequence;
use num_complex::{Complex32, Complex64};

use crate::{Result, bytes};

/// Normally distributed numbers of a seed: each depends on the seed, the number of its vector and its place alone, not on the
/// device, nor on the dtype but for rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random {
    seed: u64,
    /// The number of the next vector.
    vector: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, vector: 0 }
    }

    /// The bytes that drawing a vector of a space takes for as long as it takes, on the device of `on`: those of the host.
    pub(crate) fn bytes(on: &dyn Executor, space: &Space) -> usize {
        if on.device().is_cpu() { bytes::of(space) } else { 0 }
    }

    /// Writes a vector, drawn on the host. Complex numbers have independent parts.
    pub(crate) fn fill(&mut self, on: &dyn Executor, out: ViewMut<'_>) -> Result<()> {
        let (len, shape) = (out.shape().iter().product::<usize>(), out.shape().to_vec());
        let numbers = Sequence::new(self.seed, self.vector);
        self.vector += 1;
        // Every second one is for an imaginary part.
        let real = |at: usize| numbers.normal(2 * at as u64);
        let both = |at: usize| Complex64::new(real(at), numbers.normal(2 * at as u64 + 1));
        let host = match out.dtype() {
            DType::Float32 => Array::from_vec(drawn(len, |at| real(at) as f32)?, shape)?,
            DType::Complex64 => {
                let narrow = |v: Complex64| Complex32::new(v.re as f32, v.im as f32);
                Array::from_vec(drawn(len, |at| narrow(both(at)))?, shape)?
            }
            DType::Complex128 => Array::from_vec(drawn(len, both)?, shape)?,
            _ => Array::from_vec(drawn(len, real)?, shape)?,
        };
        Ok(on.transfer(host.view(), out)?)
    }
}

fn drawn<T>(len: usize, element: impl Fn(usize) -> T) -> Result<Vec<T>> {
    let mut all = Vec::new();
    reserve(&mut all, len).map_err(arrayspan_bridge::Error::from)?;
    all.extend((0..len).map(element));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::Relayout;
    use arrayspan_bridge::devices::Device;

    use super::*;

    #[test]
    fn vectors_of_one_seed_are_not_alike_and_drawn_again_they_are_the_same() {
        let on = arrayspan_kernels::on(Device::cpu()).unwrap();
        let draw = || {
            let mut random = Random::new(7);
            let mut x = on.empty(&[2, 500], DType::Float64).unwrap();
            for row in 0..2 {
                let row = x.view_mut().selected(0, row).unwrap();
                random.fill(&*on, row).unwrap();
            }
            x.to_vec::<f64>().unwrap()
        };
        let x = draw();
        let (first, second) = x.split_at(500);
        assert!(first.iter().zip(second).map(|(a, b)| a * b).sum::<f64>().abs() < 100.0);
        assert!(first.iter().map(|v| v * v).sum::<f64>() > 400.0);
        assert_eq!(x, draw());
    }

    #[test]
    fn narrow_vectors_are_the_wide_ones_rounded() {
        let on = arrayspan_kernels::on(Device::cpu()).unwrap();
        let draw = |dtype| {
            let mut x = on.empty(&[3, 5], dtype).unwrap();
            Random::new(3).fill(&*on, x.view_mut()).unwrap();
            x
        };
        let wide = draw(DType::Complex128).to_vec::<Complex64>().unwrap();
        let real = draw(DType::Float32).to_vec::<f32>().unwrap();
        let narrow = draw(DType::Complex64).to_vec::<Complex32>().unwrap();
        for ((wide, real), narrow) in wide.iter().zip(real).zip(narrow) {
            let bits = [wide.re as f32, wide.im as f32].map(f32::to_bits);
            assert_eq!(bits, [narrow.re, narrow.im].map(f32::to_bits));
            assert!((wide.re as f32 - real).abs() < 1e-30);
        }
    }
}
