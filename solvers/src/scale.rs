//! Powers of two by which data and operator are scaled, so that squares neither overflow nor underflow.

use arrayspan_bridge::DType;

/// Powers of two by which a solver scales what it computes with; exact, as long as nothing leaves the dtype's range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Multiplies data and models.
    pub(crate) data: f64,
    /// Multiplies the operator.
    pub(crate) operator: f64,
}

impl Default for Scale {
    /// Nothing is scaled.
    fn default() -> Self {
        Self { data: 1.0, operator: 1.0 }
    }
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
}

impl Range {
    /// With data of `dtype` and these scalars, `‖AᴴA y‖²` and what rounding leaves of it stay in range.
    fn of(dtype: DType, scalars: DType) -> Self {
        match (dtype.real(), scalars) {
            (DType::Float32, DType::Float32) => Self { data: 10, operator: 10, factor: 126 },
            (DType::Float32, _) => Self { data: 31, operator: 30, factor: 126 },
            _ => Self { data: 200, operator: 100, factor: 1022 },
        }
    }
}

impl Scale {
    /// The scale for data of `dtype` whose largest element has this absolute value, with scalars of that dtype.
    pub(crate) fn of_data(dtype: DType, scalars: DType, largest: f64) -> Self {
        let range = Range::of(dtype, scalars);
        Self { data: power(largest, range.data, range.factor), operator: 1.0 }
    }

    /// The same for an operator with this norm, if it has to be scaled.
    pub(crate) fn of_operator(self, dtype: DType, scalars: DType, norm: f64) -> Option<Self> {
        let range = Range::of(dtype, scalars);
        let operator = power(norm, range.operator, range.factor);
        let scale = Self { operator, ..self };
        (scale != Self { operator: 1.0, ..self }).then_some(scale)
    }

    /// Whether models are scaled, too.
    pub(crate) fn is_one(self) -> bool {
        self == Self { data: 1.0, ..self }
    }
}

/// The power of two that brings `size` near 1, if its exponent is beyond `kept`; 1 for zero and what is not finite.
fn power(size: f64, kept: i32, most: i32) -> f64 {
    if !(size.is_finite() && size > 0.0) {
        return 1.0;
    }
    let exponent = size.log2().floor() as i32;
    if exponent.abs() <= kept { 1.0 } else { 2.0_f64.powi((-exponent).clamp(-most, most)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: DType = DType::Float64;

    #[test]
    fn sizes_of_every_day_are_left_as_they_are() {
        for size in [1e-9, 0.3, 1.0, 1e9, 0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(Scale::of_data(DType::Complex64, WIDE, size), Scale::default(), "{size}");
        }
        assert!(Scale::default().of_operator(DType::Float32, WIDE, 1e-7).is_none());
    }

    #[test]
    fn others_are_brought_near_one_by_a_power_of_two_that_the_dtype_holds() {
        for size in [1e-38, 1e-23, 1e18, 3e38] {
            let factor = Scale::of_data(DType::Float32, WIDE, size).data;
            assert!((0.5..4.0).contains(&(factor * size)), "{size}: {factor}");
            assert!((f64::from(factor as f32) - factor).abs() == 0.0);
        }
        for size in [5e-324, 1e-170, 1e170, f64::MAX] {
            let factor = Scale::of_data(DType::Float64, WIDE, size).data;
            assert!(factor.is_normal() && factor.recip().is_normal(), "{size}: {factor}");
            assert!(factor.log2().fract() == 0.0);
        }
        let scaled = Scale::default().of_operator(DType::Float32, WIDE, 1e-20).unwrap_or_default();
        assert!((0.5..=2.0).contains(&(scaled.operator * 1e-20)));
        assert!(Scale::of_data(DType::Float32, DType::Float32, 1e4).data < 1.0);
    }
}
