//! Powers of two by which data and operator are scaled, so that no vector and no square overflows or underflows.

use arrayspan_bridge::{DType, Elementwise};

/// Exponents of the powers of two by which a solver scales what it computes with.
///
/// With `σ` and `μ` these powers, the solver solves for the data `σ y`, the operator `μ A`, the damping `μ damping` and
/// the model `(σ/μ) x`. Scaling is exact, as long as nothing leaves the dtype's range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scale {
    /// Of `σ`.
    pub(crate) data: i32,
    /// Of `μ`.
    pub(crate) operator: i32,
}

/// Exponents of sizes, by which a scale is chosen; `None` is the size zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Of the largest element of the data.
    pub(crate) data: Option<i32>,
    /// Of the operator's norm.
    pub(crate) operator: Option<i32>,
    pub(crate) damping: Option<i32>,
}

/// What may remain of the exponents: where they are smaller, nothing is scaled.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// Of the largest element of the data.
    data: i32,
    /// Of the operator's norm.
    operator: i32,
    /// Of any factor in this dtype.
    factor: i32,
    /// Of scaled data, at least and at most, where the operator is scaled.
    scaled: [i32; 2],
}

impl Range {
    /// With data of `dtype` and these scalars, `‖AᴴA y‖²` and what rounding leaves of it stay in range.
    fn of(dtype: DType, scalars: DType) -> Self {
        match (dtype.real(), scalars) {
            (DType::Float32, DType::Float32) => {
                Self { data: 10, operator: 10, factor: 126, scaled: [-16, 40] }
            }
            (DType::Float32, _) => Self { data: 31, operator: 30, factor: 126, scaled: [-63, 63] },
            _ => Self { data: 200, operator: 100, factor: 1022, scaled: [-300, 400] },
        }
    }
}

impl Scale {
    /// The scale for `sizes`, with arrays of `dtype` and scalars of that dtype.
    pub(crate) fn of(dtype: DType, scalars: DType, sizes: Sizes) -> Self {
        let range = Range::of(dtype, scalars);
        let data = sizes.data.unwrap_or(0);
        let Some(norm) = sizes.operator.max(sizes.damping) else {
            return Self { data: beyond(data, range.data), operator: 0 };
        };
        // Damping that is larger than the operator has its place beside it in the same gradient.
        let own = sizes.operator.unwrap_or(norm);
        if norm.abs() <= range.operator && own >= -range.operator {
            return Self { data: beyond(data, range.data), operator: 0 };
        }
        let operator = (-norm).clamp(-range.factor, range.factor);
        // Operators multiply first by what they are and then by the scale. So the scaled data `r`, `A r`, `μ A r` and
        // `A μ A r` all have to be in range: their exponents are centred.
        let scaled = own + operator;
        let exponents = [0, own, scaled, scaled + own];
        let [least, most] = exponents.into_iter().fold([0; 2], |[a, b], e| [a.min(e), b.max(e)]);
        let [low, high] = range.scaled;
        Self { data: (-(least + most) / 2).clamp(low, high) - data, operator }
    }

    /// Whether an operator and a damping of these sizes are left as they are.
    pub(crate) fn leaves(dtype: DType, scalars: DType, sizes: Sizes) -> bool {
        Self::of(dtype, scalars, Sizes { data: None, ..sizes }) == Self::default()
    }

    /// The exponent of what multiplies models.
    pub(crate) fn model(self) -> i32 {
        self.data - self.operator
    }

    /// Whether nothing is scaled.
    pub(crate) fn is_one(self) -> bool {
        self == Self::default()
    }
}

/// The exponent of a size; `None` for zero and what is not finite.
pub(crate) fn exponent(size: f64) -> Option<i32> {
    (size.is_finite() && size > 0.0).then(|| {
        // The logarithm of what is just below a power of two may be rounded up to it.
        let near = size.log2().floor() as i32;
        near - i32::from(size < power(near, 1.0))
    })
}

/// The factors whose product is `2^exponent`, each a normal number of `dtype`. They are all larger than 1 or all smaller,
/// so that a product with all of them is rounded once.
fn factors(exponent: i32, dtype: DType) -> impl Iterator<Item = f64> {
    let most = if dtype.real() == DType::Float32 { 126 } else { 1022 };
    let mut left = exponent;
    std::iter::from_fn(move || {
        let part = left.clamp(-most, most);
        left -= part;
        (part != 0).then(|| 2.0_f64.powi(part))
    })
}

/// `2^exponent · value`, elements of `dtype`.
pub(crate) fn times<'a>(
    exponent: i32,
    dtype: DType,
    value: impl Into<Elementwise<'a>>,
) -> Elementwise<'a> {
    factors(exponent, dtype).fold(value.into(), |value, factor| factor * value)
}

/// The distance of 1 to the next number of a dtype.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// `2^exponent · value`
pub(crate) fn power(exponent: i32, value: f64) -> f64 {
    factors(exponent, DType::Float64).fold(value, |value, factor| value * factor)
}

/// What brings a size with this exponent near 1, if it is beyond `kept`.
fn beyond(exponent: i32, kept: i32) -> i32 {
    if exponent.abs() <= kept { 0 } else { -exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: DType = DType::Float64;

    fn data(size: f64) -> Sizes {
        Sizes { data: exponent(size), ..Sizes::default() }
    }

    #[test]
    fn sizes_of_every_day_are_left_as_they_are() {
        for size in [1e-9, 0.3, 1.0, 1e9, 0.0, f64::INFINITY, f64::NAN] {
            assert!(Scale::of(DType::Complex64, WIDE, data(size)).is_one(), "{size}");
        }
        for [operator, damping] in [[1e-7, 0.0], [1e7, 1e-300], [1.0, 1e7]] {
            let sizes =
                Sizes { operator: exponent(operator), damping: exponent(damping), ..data(1.0) };
            assert!(Scale::leaves(DType::Float32, WIDE, sizes), "{sizes:?}");
        }
    }

    #[test]
    fn other_data_are_brought_near_one() {
        for (dtype, sizes) in [
            (DType::Float32, [1e-45, 1e-38, 1e-23, 1e18, 3e38]),
            (DType::Float64, [5e-324, 1e-170, 1e170, 1e300, f64::MAX]),
        ] {
            for size in sizes {
                let scale = Scale::of(dtype, WIDE, data(size));
                assert!((1.0..2.0).contains(&power(scale.data, size)), "{size}: {scale:?}");
                assert_eq!(scale.operator, 0);
            }
        }
        assert!(Scale::of(DType::Float32, DType::Float32, data(1e4)).data < 0);
    }

    #[test]
    fn what_operators_make_of_scaled_vectors_is_in_range() {
        for (dtype, most) in [(DType::Float32, 126), (DType::Float64, 1022)] {
            for scalars in [DType::Float32, WIDE] {
                for operator in [-most, -most / 2, -most / 4, most / 4, most / 2, most] {
                    for data in [-most, 0, most] {
                        let sizes =
                            Sizes { data: Some(data), operator: Some(operator), damping: None };
                        let scale = Scale::of(dtype, scalars, sizes);
                        let scaled = data + scale.data;
                        let product = scaled + operator;
                        // Room for sums above, and for rounding errors below.
                        for exponent in [scaled, product] {
                            assert!(exponent.abs() < most - 9, "{sizes:?}: {scale:?}");
                        }
                        assert!((scale.operator + operator).abs() <= most / 4);
                    }
                }
            }
        }
    }

    #[test]
    fn a_power_of_two_beyond_all_factors_is_several() {
        assert_eq!(power(1050, power(-1074, 1.0)).to_bits(), 2.0_f64.powi(-24).to_bits());
        assert_eq!(power(0, 3.0).to_bits(), 3.0_f64.to_bits());
        let parts: Vec<f64> = factors(-209, DType::Complex64).collect();
        assert_eq!(parts, [2.0_f64.powi(-126), 2.0_f64.powi(-83)]);
    }
}
