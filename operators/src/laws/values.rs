//! Arrays on the host in double precision, and how they get to a device and back.

use arrayspan_bridge::devices::vectors::collected;
use arrayspan_bridge::{Array, DType, View};
use num_complex::{Complex32, Complex64};

use crate::random::{STEP, mixed};
use crate::{Result, Space};

/// Not a number, in both parts.
pub(crate) const NAN: Complex64 = Complex64::new(f64::NAN, f64::NAN);

/// Numbers whose parts are between ½ and 1 in size, of either sign, and held exactly by every dtype; imaginary parts are 0 for
/// a real one. The same seed gives the same numbers.
pub(crate) fn random(space: &Space, seed: u64) -> Vec<Complex64> {
    let mut state = seed;
    let mut part = move || {
        let z = mixed(state);
        state = state.wrapping_add(STEP);
        // 23 bits and the leading one fit a Float32; one bit is the sign.
        let size = 0.5 + (z >> 41) as f64 / f64::from(1 << 24);
        if z & 1 == 0 { size } else { -size }
    };
    let complex = space.dtype().is_complex();
    (0..space.len()).map(|_| Complex64::new(part(), if complex { part() } else { 0.0 })).collect()
}

/// A row-major array on the host with these numbers, rounded to `dtype`.
pub(crate) fn array(shape: &[usize], dtype: DType, numbers: &[Complex64]) -> Result<Array> {
    let narrow = |v: &Complex64| Complex32::new(v.re as f32, v.im as f32);
    Ok(match dtype {
        DType::Float32 => Array::from_vec(each(numbers, |v| v.re as f32)?, shape)?,
        DType::Float64 => Array::from_vec(each(numbers, |v| v.re)?, shape)?,
        DType::Complex64 => Array::from_vec(each(numbers, narrow)?, shape)?,
        DType::Complex128 => Array::from_vec(each(numbers, |v| *v)?, shape)?,
        // Says which dtypes can be computed with.
        dtype => {
            Space::new(shape, dtype)?.computable("values")?;
            Array::from_vec(Vec::<f64>::new(), shape)?
        }
    })
}

/// The elements of an array in row-major order. Waits for work on it.
pub(crate) fn numbers(view: &View<'_>) -> Result<Vec<Complex64>> {
    let wide = |v: &Complex32| Complex64::new(v.re.into(), v.im.into());
    Ok(match view.dtype() {
        DType::Float32 => each(&view.to_vec::<f32>()?, |&v| f64::from(v).into())?,
        DType::Float64 => each(&view.to_vec::<f64>()?, |&v| v.into())?,
        DType::Complex64 => each(&view.to_vec::<Complex32>()?, wide)?,
        // Fails for dtypes that are none to compute with.
        _ => view.to_vec::<Complex64>()?,
    })
}

fn each<A, B>(from: &[A], change: impl Fn(&A) -> B) -> Result<Vec<B>> {
    Ok(collected(from.len(), from.iter().map(change))?)
}

/// The largest part of any element; NaN if one is not a number.
pub(crate) fn largest(numbers: &[Complex64]) -> f64 {
    let parts = numbers.iter().flat_map(|v| [v.re.abs(), v.im.abs()]);
    parts.fold(0.0, |largest, part| if part > largest || part.is_nan() { part } else { largest })
}

/// `Σ conj(a) b`
pub(crate) fn dot(a: &[Complex64], b: &[Complex64]) -> Complex64 {
    a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
}

/// The Euclidean norm, also of numbers whose squares are none.
pub(crate) fn norm(numbers: &[Complex64]) -> f64 {
    let scale = largest(numbers);
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * numbers.iter().map(|v| (v / scale).norm_sqr()).sum::<f64>().sqrt()
}

/// `a x + b y`
pub(crate) fn combined(
    (a, x): (Complex64, &[Complex64]),
    (b, y): (Complex64, &[Complex64]),
) -> Vec<Complex64> {
    x.iter().zip(y).map(|(x, y)| a * x + b * y).collect()
}

/// Where the first element is that is not finite, and what it is.
pub(crate) fn not_finite(numbers: &[Complex64]) -> Option<(usize, Complex64)> {
    numbers.iter().copied().enumerate().find(|(_, v)| !v.is_finite())
}

/// A number as text.
pub(crate) fn text(value: Complex64) -> String {
    if value.re.is_nan() { "NaN".into() } else { crate::number::text(value) }
}

/// The index along each axis of an element, counted in row-major order.
pub(crate) fn index_of(shape: &[usize], number: usize) -> Vec<usize> {
    let mut rest = number;
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let at = rest % extent.max(1);
            rest /= extent.max(1);
            at
        })
        .collect();
    index.reverse();
    index
}

/// How far from each other two results may be that differ by rounding alone, relative to their size: 64 times the distance
/// from 1 to the next number, for the few operations of each element, and times √n for sums of n elements, whose errors add
/// up as a random walk. Never more than a tenth.
pub(crate) fn tolerance(dtype: DType, len: usize) -> f64 {
    (64.0 * epsilon(dtype) * (len.max(1) as f64).sqrt()).min(0.1)
}

fn epsilon(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { f32::EPSILON.into() } else { f64::EPSILON }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
    use super::*;

    #[test]
    fn numbers_go_to_every_dtype_and_back_unchanged() {
        for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
            let space = Space::new([3, 5], dtype).unwrap();
            let drawn = random(&space, 7);
            assert_eq!(numbers(&array(&[3, 5], dtype, &drawn).unwrap().view()).unwrap(), drawn);
            assert!(drawn.iter().all(|v| (0.5..1.0).contains(&v.re.abs())));
            assert!(drawn.iter().any(|v| v.re < 0.0) && drawn.iter().any(|v| v.re > 0.0));
        }
        assert!(array(&[1], DType::Int32, &[NAN]).is_err());
    }

    #[test]
    fn norms_and_products_do_not_leave_the_numbers_on_their_way() {
        let large = [Complex64::new(3e300, 4e300)];
        assert!((norm(&large) / 5e300 - 1.0).abs() < 1e-15);
        assert!((norm(&[Complex64::new(3e-300, 4e-300)]) / 5e-300 - 1.0).abs() < 1e-15);
        assert_eq!(dot(&large, &[1.0.into()]), Complex64::new(3e300, -4e300));
        assert!(norm(&[NAN, 1.0.into()]).is_nan());
        assert!(norm(&[]) == 0.0 && norm(&[f64::INFINITY.into()]).is_infinite());
        assert_eq!(index_of(&[2, 3, 4], 23), [1, 2, 3]);
    }
}
