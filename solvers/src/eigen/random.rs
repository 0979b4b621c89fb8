//! Random vectors, the same for the same seed wherever they are used.

use std::f64::consts::TAU;

use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_bridge::{Array, DType, ViewMut};
use arrayspan_kernels::Executor;
use num_complex::{Complex32, Complex64};

use crate::Result;

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
        Self { seed: mixed(seed), vector: 0 }
    }

    /// Writes a vector, drawn on the host. Complex numbers have independent parts.
    pub(crate) fn fill(&mut self, on: &dyn Executor, out: ViewMut<'_>) -> Result<()> {
        let (len, shape) = (out.shape().iter().product::<usize>(), out.shape().to_vec());
        let base = mixed(self.seed.wrapping_add(self.vector));
        self.vector += 1;
        let real = |at: usize| normal(base, 2 * at as u64);
        let both = |at: usize| Complex64::new(real(at), normal(base, 2 * at as u64 + 1));
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

/// Box and Muller, Annals of Mathematical Statistics 29 (1958). The logarithm is of a number that is not 0.
fn normal(base: u64, at: u64) -> f64 {
    let unit = |part: u64| {
        let bits = mixed(base.wrapping_add(2 * at + part));
        ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    (-2.0 * unit(0).ln()).sqrt() * (TAU * unit(1)).cos()
}

/// `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014).
fn mixed(state: u64) -> u64 {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use arrayspan_bridge::devices::Device;

    use super::*;

    #[test]
    fn vectors_have_mean_zero_and_variance_one_and_are_not_alike() {
        let on = arrayspan_kernels::on(Device::cpu()).unwrap();
        let mut random = Random::new(7);
        let mut all: Vec<Vec<f64>> = Vec::new();
        for _ in 0..20 {
            let mut x = on.empty(&[2000], DType::Float64).unwrap();
            random.fill(&*on, x.view_mut()).unwrap();
            let x = x.to_vec::<f64>().unwrap();
            let mean = x.iter().sum::<f64>() / 2000.0;
            let variance = x.iter().map(|v| v * v).sum::<f64>() / 2000.0;
            assert!(mean.abs() < 0.1 && (variance - 1.0).abs() < 0.2, "{mean} {variance}");
            for other in &all {
                let dot: f64 = x.iter().zip(other).map(|(a, b)| a * b).sum();
                assert!(dot.abs() < 5.0 * 2000_f64.sqrt(), "{dot}");
            }
            all.push(x);
        }
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
