//! Vectors of the processor at hand, for each of the four element types.

use num_complex::Complex;
use pulp::Simd;

/// An element type of which vectors are computed with.
pub(crate) trait Vectors: Copy {
    /// A vector of the instructions `S`.
    type Of<S: Simd>: Copy;

    /// How many elements a vector has.
    #[inline(always)]
    fn count<S: Simd>() -> usize {
        size_of::<Self::Of<S>>() / size_of::<Self>()
    }

    /// The same element everywhere.
    fn all<S: Simd>(simd: S, element: Self) -> Self::Of<S>;
    /// As many vectors as the elements fill.
    fn vectors<S: Simd>(elements: &[Self]) -> &[Self::Of<S>];
    fn vectors_mut<S: Simd>(elements: &mut [Self]) -> &mut [Self::Of<S>];
    fn plus<S: Simd>(simd: S, a: Self::Of<S>, b: Self::Of<S>) -> Self::Of<S>;
    fn minus<S: Simd>(simd: S, a: Self::Of<S>, b: Self::Of<S>) -> Self::Of<S>;
    fn times<S: Simd>(simd: S, a: Self::Of<S>, b: Self::Of<S>) -> Self::Of<S>;
    /// `a · b + c`, rounded once where the processor can.
    fn multiply_add<S: Simd>(
        simd: S,
        a: Self::Of<S>,
        b: Self::Of<S>,
        c: Self::Of<S>,
    ) -> Self::Of<S>;
}

macro_rules! vectors {
    ($($type:ty, $of:ident, $all:ident, $read:ident, $write:ident, $plus:ident, $minus:ident, $times:ident,
        $fused:ident;)*) => {$(
        impl Vectors for $type {
            type Of<S: Simd> = S::$of;

            #[inline(always)]
            fn all<S: Simd>(simd: S, element: Self) -> S::$of {
                simd.$all(element)
            }

            #[inline(always)]
            fn vectors<S: Simd>(elements: &[Self]) -> &[S::$of] {
                S::$read(elements).0
            }

            #[inline(always)]
            fn vectors_mut<S: Simd>(elements: &mut [Self]) -> &mut [S::$of] {
                S::$write(elements).0
            }

            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$of, b: S::$of) -> S::$of {
                simd.$plus(a, b)
            }

            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$of, b: S::$of) -> S::$of {
                simd.$minus(a, b)
            }

            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$of, b: S::$of) -> S::$of {
                simd.$times(a, b)
            }

            #[inline(always)]
            fn multiply_add<S: Simd>(simd: S, a: S::$of, b: S::$of, c: S::$of) -> S::$of {
                simd.$fused(a, b, c)
            }
        }
    )*};
}

vectors! {
    f32, f32s, splat_f32s, as_simd_f32s, as_mut_simd_f32s, add_f32s, sub_f32s, mul_f32s,
        mul_add_e_f32s;
    f64, f64s, splat_f64s, as_simd_f64s, as_mut_simd_f64s, add_f64s, sub_f64s, mul_f64s,
        mul_add_e_f64s;
    Complex<f32>, c32s, splat_c32s, as_simd_c32s, as_mut_simd_c32s, add_c32s, sub_c32s, mul_c32s,
        mul_add_e_c32s;
    Complex<f64>, c64s, splat_c64s, as_simd_c64s, as_mut_simd_c64s, add_c64s, sub_c64s, mul_c64s,
        mul_add_e_c64s;
}
