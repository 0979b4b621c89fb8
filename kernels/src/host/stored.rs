//! What arrays hold, and the numbers that are computed of it: the same, or `Float32` of 16-bit floats.

use arrayspan_bridge::{DType, Element, Lane, LaneMut};
use bytemuck::cast_slice_mut;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

use super::scalar::Scalar;

/// What an array holds.
pub(super) trait Stored: Element + Default {
    /// What is computed of it.
    type Number: Scalar;

    fn number(self) -> Self::Number;
    /// Elements as the numbers that they are, if they are.
    fn numbers(items: &[Self]) -> Option<&[Self::Number]>;
    /// The numbers of elements, in the dtype of a computation.
    fn widened<C: Scalar>(items: &[Self], to: &mut [C]);
    /// The numbers of a lane, if they are its elements and follow each other without gaps.
    fn slice<'a>(lane: &Lane<'a, Self>) -> Option<&'a [Self::Number]>;
    fn slice_mut<'l>(lane: &'l mut LaneMut<'_, Self>) -> Option<&'l mut [Self::Number]>;
    /// Those from `from` on, until `to` is full.
    fn load(lane: &Lane<'_, Self>, from: usize, to: &mut [Self::Number]);
    /// Over those from `from` on, each rounded once.
    fn store(lane: &mut LaneMut<'_, Self>, from: usize, numbers: &[Self::Number]);
}

/// The numbers that those of arrays are made of, and what sums of them are kept in.
pub(super) type Part<S> = <<S as Stored>::Number as Scalar>::Part;
pub(super) type Wide<S> = <<S as Stored>::Number as Scalar>::Wide;

impl<T: Scalar> Stored for T {
    type Number = T;

    #[inline(always)]
    fn number(self) -> T {
        self
    }

    #[inline(always)]
    fn numbers(items: &[T]) -> Option<&[T]> {
        Some(items)
    }

    #[inline(always)]
    fn widened<C: Scalar>(items: &[T], to: &mut [C]) {
        for (to, from) in to.iter_mut().zip(items) {
            *to = from.converted();
        }
    }

    #[inline(always)]
    fn slice<'a>(lane: &Lane<'a, T>) -> Option<&'a [T]> {
        lane.as_slice()
    }

    #[inline(always)]
    fn slice_mut<'l>(lane: &'l mut LaneMut<'_, T>) -> Option<&'l mut [T]> {
        lane.as_mut_slice()
    }

    #[inline(always)]
    fn load(lane: &Lane<'_, T>, from: usize, to: &mut [T]) {
        lane.gather(from, to);
    }

    #[inline(always)]
    fn store(lane: &mut LaneMut<'_, T>, from: usize, numbers: &[T]) {
        lane.scatter(from, numbers);
    }
}

/// A 16-bit float, as arrays hold it.
pub(super) trait Half: Element + Default {
    fn value(self) -> f32;
    /// The nearest one, ties to even.
    fn nearest(value: f32) -> Self;
}

/// Elements that are converted at a time.
const CHUNK: usize = 256;

macro_rules! halves {
    ($($half:ident)*) => {$(
        impl Half for $half {
            #[inline(always)]
            fn value(self) -> f32 {
                self.to_f32()
            }

            #[inline(always)]
            fn nearest(value: f32) -> Self {
                Self::from_f32(value)
            }
        }

        impl Stored for $half {
            type Number = f32;

            #[inline(always)]
            fn number(self) -> f32 {
                self.to_f32()
            }

            fn numbers(_: &[Self]) -> Option<&[f32]> {
                None
            }

            fn widened<C: Scalar>(items: &[Self], to: &mut [C]) {
                if C::DTYPE == DType::Float32 {
                    return items.convert_to_f32_slice(cast_slice_mut(to));
                }
                for (to, from) in to.iter_mut().zip(items) {
                    *to = from.to_f32().converted();
                }
            }

            fn slice<'a>(_: &Lane<'a, Self>) -> Option<&'a [f32]> {
                None
            }

            fn slice_mut<'l>(_: &'l mut LaneMut<'_, Self>) -> Option<&'l mut [f32]> {
                None
            }

            fn load(lane: &Lane<'_, Self>, from: usize, to: &mut [f32]) {
                if let Some(all) = lane.as_slice() {
                    return all[from..from + to.len()].convert_to_f32_slice(to);
                }
                let mut some = [Self::ZERO; CHUNK];
                for (at, to) in (from..).step_by(CHUNK).zip(to.chunks_mut(CHUNK)) {
                    let some = &mut some[..to.len()];
                    lane.gather(at, some);
                    some.convert_to_f32_slice(to);
                }
            }

            fn store(lane: &mut LaneMut<'_, Self>, from: usize, numbers: &[f32]) {
                let mut some = [Self::ZERO; CHUNK];
                for (at, numbers) in (from..).step_by(CHUNK).zip(numbers.chunks(CHUNK)) {
                    let some = &mut some[..numbers.len()];
                    some.convert_from_f32_slice(numbers);
                    lane.scatter(at, some);
                }
            }
        }
    )*};
}
halves! { f16 bf16 }
