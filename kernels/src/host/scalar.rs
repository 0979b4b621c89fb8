//! The four element types the host computes with.

use arrayspan_bridge::Element;
use bytemuck::Pod;
use num_complex::{Complex, Complex64, ComplexFloat};

use super::vectors::Vectors;

/// An element type the host computes with.
pub(super) trait Scalar: Element + Pod + Default + ComplexFloat + Vectors {
    /// Its parts; itself if real.
    type Part: Scalar<Part = Self::Part, Wide = f64>;
    /// What sums are kept in.
    type Wide: Scalar<Wide = Self::Wide> + ComplexFloat<Real = f64>;

    /// The nearest element; a real type drops the imaginary part, which callers have checked to be zero.
    fn rounded(value: Complex64) -> Self;
    fn wide(self) -> Self::Wide;
    fn from_part(part: Self::Real) -> Self;
    /// `self / other`; a complex one overflows and underflows only where the result does.
    fn quotient(self, other: Self) -> Self;
    /// The nearest element of another type, which has an imaginary part if this one has.
    #[inline(always)]
    fn converted<C: Scalar>(self) -> C {
        let wide = self.wide();
        C::rounded(Complex64::new(wide.re(), wide.im()))
    }
    /// `self · factor + sum` by fused multiply-adds. Slow on processors without the instruction.
    fn fused(self, factor: Self, sum: Self) -> Self;
    /// The smaller one, NaN if either is. Complex numbers have no order but that of their real parts, for callers that
    /// have checked that there is nothing else.
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
            fn from_part(part: $real) -> Self {
                part
            }

            #[inline(always)]
            fn quotient(self, other: Self) -> Self {
                self / other
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
            fn from_part(part: $real) -> Self {
                Self::new(part, 0.0)
            }

            // The kernels' `e_div` is the same. Reference: Baudin and Smith, A robust complex division in
            // Scilab, 2012, algorithm 3.
            #[inline]
            fn quotient(self, other: Self) -> Self {
                const HUGE: $real = <$real>::MAX / 2.0;
                const TINY: $real = <$real>::MIN_POSITIVE * (2.0 / <$real>::EPSILON);
                const LIFT: $real = 2.0 / (<$real>::EPSILON * <$real>::EPSILON);
                let (mut a, mut b, mut scale) = (self, other, 1.0);
                let largest = |z: Self| z.re.abs().max(z.im.abs());
                let (of_a, of_b) = (largest(a), largest(b));
                if of_a >= HUGE {
                    (a, scale) = (a.scale(0.5), scale * 2.0);
                }
                if of_b >= HUGE {
                    (b, scale) = (b.scale(0.5), scale * 0.5);
                }
                if of_a <= TINY {
                    (a, scale) = (a.scale(LIFT), scale / LIFT);
                }
                if of_b <= TINY {
                    (b, scale) = (b.scale(LIFT), scale * LIFT);
                }
                // Both times -i, so that the real part of the divisor is its larger one.
                if b.im.abs() > b.re.abs() {
                    (a, b) = (Self::new(a.im, -a.re), Self::new(b.im, -b.re));
                }
                let ratio = b.im / b.re;
                let divisor = b.re + b.im * ratio;
                // (one + other · ratio) / divisor. Where the ratio or the product has vanished, it is taken in
                // another order.
                let part = |one: $real, other: $real| {
                    let product = other * ratio;
                    if ratio == 0.0 {
                        (one + b.im * (other / b.re)) / divisor
                    } else if product == 0.0 {
                        one / divisor + (other / divisor) * ratio
                    } else {
                        (one + product) / divisor
                    }
                };
                Self::new(part(a.re, a.im) * scale, part(a.im, -a.re) * scale)
            }

            #[inline(always)]
            fn fused(self, factor: Self, sum: Self) -> Self {
                let re = self.re.mul_add(factor.re, (-self.im).mul_add(factor.im, sum.re));
                Self::new(re, self.re.mul_add(factor.im, self.im.mul_add(factor.re, sum.im)))
            }

            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                if self.re < other.re || self.re.is_nan() { self } else { other }
            }

            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                if self.re > other.re || self.re.is_nan() { self } else { other }
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
