//! The four element types the host computes with.

use arrayspan_bridge::Element;
use bytemuck::Pod;
use num_complex::{Complex, Complex64, ComplexFloat};

/// An element type the host computes with.
pub(super) trait Scalar: Element + Pod + Default + ComplexFloat {
    /// Its parts; itself if real.
    type Part: Scalar<Part = Self::Part, Wide = f64>;
    /// What sums are kept in.
    type Wide: Scalar<Wide = Self::Wide>;

    /// The nearest element; a real type drops the imaginary part, which callers have checked to be zero.
    fn rounded(value: Complex64) -> Self;
    fn wide(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    fn from_part(part: Self::Real) -> Self;
    /// `self · factor + sum` by fused multiply-adds. Slow on processors without the instruction.
    fn fused(self, factor: Self, sum: Self) -> Self;
    /// The smaller one, NaN if either is. Complex numbers have no order; callers have checked.
    fn minimum(self, other: Self) -> Self;
    /// The larger one, NaN if either is. As [`minimum`](Self::minimum).
    fn maximum(self, other: Self) -> Self;
}

macro_rules! reals {
    ($($real:ty),*) => {$(
        impl Scalar for $real {
            type Part = Self;
            type Wide = f64;

            #[inline(always)]
            fn rounded(value: Complex64) -> Self {
                value.re as $real
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn narrow(wide: f64) -> Self {
                wide as $real
            }

            #[inline(always)]
            fn from_part(part: $real) -> Self {
                part
            }

            #[inline(always)]
            fn fused(self, factor: Self, sum: Self) -> Self {
                self.mul_add(factor, sum)
            }

            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                if self < other || self.is_nan() { self } else { other }
            }

            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                if self > other || self.is_nan() { self } else { other }
            }
        }

        impl Scalar for Complex<$real> {
            type Part = $real;
            type Wide = Complex64;

            #[inline(always)]
            fn rounded(value: Complex64) -> Self {
                Self::new(value.re as $real, value.im as $real)
            }

            #[inline(always)]
            fn wide(self) -> Complex64 {
                Complex64::new(f64::from(self.re), f64::from(self.im))
            }

            #[inline(always)]
            fn narrow(wide: Complex64) -> Self {
                Self::rounded(wide)
            }

            #[inline(always)]
            fn from_part(part: $real) -> Self {
                Self::new(part, 0.0)
            }

            #[inline(always)]
            fn fused(self, factor: Self, sum: Self) -> Self {
                let re = self.re.mul_add(factor.re, (-self.im).mul_add(factor.im, sum.re));
                Self::new(re, self.re.mul_add(factor.im, self.im.mul_add(factor.re, sum.im)))
            }

            #[inline(always)]
            fn minimum(self, _: Self) -> Self {
                self
            }

            #[inline(always)]
            fn maximum(self, _: Self) -> Self {
                self
            }
        }
    )*};
}

reals!(f32, f64);

/// Runs `$body` with `$type` naming the element type of `$dtype`, which `$verb` computes with.
macro_rules! with_scalar {
    ($verb:expr, $dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            arrayspan_bridge::DType::Float32 => {
                type $type = f32;
                $body
            }
            arrayspan_bridge::DType::Float64 => {
                type $type = f64;
                $body
            }
            arrayspan_bridge::DType::Complex64 => {
                type $type = num_complex::Complex32;
                $body
            }
            arrayspan_bridge::DType::Complex128 => {
                type $type = num_complex::Complex64;
                $body
            }
            dtype => Err($crate::Error::NotComputable { verb: $verb, dtype }),
        }
    };
}
pub(super) use with_scalar;
