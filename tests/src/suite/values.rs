//! Arrays on the host, in the widest type, so that laws are checked without further rounding.

use arrayspan_bridge::DType;
use arrayspan_operators::Space;
use half::{bf16, f16};
use num_complex::Complex64;

/// An array on the host, row-major, in the widest type. Every value of a computable dtype is one exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Extents along each axis.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub numbers: Vec<Complex64>,
}

impl Values {
    /// Numbers between -1 and 1 (real and imaginary part, for a complex dtype) that every dtype holds
    /// exactly; the same ones for the same seed.
    #[must_use]
    pub fn random(space: &Space, seed: u64) -> Self {
        let mut state = seed;
        let mut part = move || {
            // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014); its top 24 bits fit a 32-bit float.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        let complex = space.dtype().is_complex();
        let number = |_| Complex64::new(part(), if complex { part() } else { 0.0 });
        Self { shape: space.shape().to_vec(), numbers: (0..space.len()).map(number).collect() }
    }

    /// The same number everywhere.
    #[must_use]
    pub fn filled(space: &Space, number: Complex64) -> Self {
        Self { shape: space.shape().to_vec(), numbers: vec![number; space.len()] }
    }

    /// The nearest numbers that a 16-bit float holds, if `dtype` is one; itself for any other.
    #[must_use]
    pub fn held_by(mut self, dtype: DType) -> Self {
        for number in &mut self.numbers {
            number.re = match dtype {
                DType::Float16 => f16::from_f64(number.re).to_f64(),
                DType::BFloat16 => bf16::from_f64(number.re).to_f64(),
                _ => number.re,
            };
        }
        self
    }

    /// `Σ conj(self) · other`
    #[must_use]
    pub fn dot(&self, other: &Self) -> Complex64 {
        self.numbers.iter().zip(&other.numbers).map(|(a, b)| a.conj() * b).sum()
    }

    /// The Euclidean norm.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.numbers.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
    }

    /// `a · self + b · other`
    #[must_use]
    pub fn combined(&self, a: Complex64, other: &Self, b: Complex64) -> Self {
        let pairs = self.numbers.iter().zip(&other.numbers);
        let numbers = pairs.map(|(x, y)| a * x + b * y).collect();
        Self { shape: self.shape.clone(), numbers }
    }

    /// The same numbers in another shape.
    ///
    /// # Errors
    /// When it has another number of elements.
    pub fn reshaped(self, shape: &[usize]) -> Result<Self, String> {
        if shape.iter().product::<usize>() != self.numbers.len() {
            return Err(format!("{:?} does not become {shape:?}", self.shape));
        }
        Ok(Self { shape: shape.to_vec(), ..self })
    }

    /// Fails unless the norm of the difference is at most `bound`. NaN anywhere fails.
    ///
    /// # Errors
    /// A description of the difference.
    pub fn expect_near(&self, expected: &Self, bound: f64, what: &str) -> super::Verdict {
        if self.shape != expected.shape {
            let (found, expected) = (&self.shape, &expected.shape);
            return Err(format!("{what}: shape {found:?}, expected {expected:?}").into());
        }
        let difference = self.combined(1.0.into(), expected, (-1.0).into());
        if difference.norm() <= bound {
            return Ok(());
        }
        let size = |i: &usize| {
            let norm = difference.numbers[*i].norm();
            if norm.is_nan() { f64::INFINITY } else { norm }
        };
        let worst = (0..self.numbers.len()).max_by(|a, b| size(a).total_cmp(&size(b)));
        let (found, wanted) =
            worst.map_or_else(Default::default, |at| (self.numbers[at], expected.numbers[at]));
        let norm = difference.norm();
        Err(format!(
            "{what}: differs by {norm:.3e}, allowed {bound:.3e}; worst at {worst:?}: {found}, \
             expected {wanted}"
        )
        .into())
    }
}
