//! Arrays that rows are measured with. Large ones are filled by all cores and handed from row to row.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use arrayspan::num_complex::Complex32;
use arrayspan::prelude::*;

use crate::measure::Failure;

/// Numbers between -1 and 1.
pub(crate) fn array(shape: &[usize], dtype: DType) -> Result<Array, Failure> {
    let len = shape.iter().product();
    Ok(match dtype {
        DType::Float64 => Array::from_vec(filled(len, f64::from), shape)?,
        DType::Complex64 => Array::from_vec(filled(len, |x| Complex32::new(x, 0.5)), shape)?,
        _ => Array::from_vec(filled(len, |x| x), shape)?,
    })
}

/// So many scattered numbers.
fn filled<T: Clone + Default + Send>(len: usize, number: impl Fn(f32) -> T + Sync) -> Vec<T> {
    let mut numbers = vec![T::default(); len];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = len.div_ceil(cores).max(1 << 16);
    std::thread::scope(|scope| {
        for (at, numbers) in numbers.chunks_mut(share).enumerate() {
            let number = &number;
            scope.spawn(move || {
                let mut state = (at as u32 + 1).wrapping_mul(747_796_405);
                for to in numbers {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *to = number((state >> 8) as f32 / 8_388_608.0 - 1.0);
                }
            });
        }
    });
    numbers
}

thread_local! {
    /// Arrays of one shape and dtype that no row uses now.
    static FREE: RefCell<Vec<Array>> = const { RefCell::new(Vec::new()) };
}

/// An array that the next row of its shape and dtype gets, with whatever numbers it has then.
pub(crate) struct Lent(Option<Array>);

/// An array with numbers between -1 and 1, or with results of other rows.
pub(crate) fn lent(shape: &[usize], dtype: DType) -> Result<Lent, Failure> {
    let free = FREE.with_borrow_mut(|free| {
        free.retain(|array| array.shape() == shape && array.dtype() == dtype);
        free.pop()
    });
    Ok(Lent(Some(free.map_or_else(|| array(shape, dtype), Ok)?)))
}

impl Drop for Lent {
    fn drop(&mut self) {
        FREE.with_borrow_mut(|free| free.extend(self.0.take()));
    }
}

impl Deref for Lent {
    type Target = Array;

    fn deref(&self) -> &Array {
        self.0.as_ref().expect("there until it is dropped")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Array {
        self.0.as_mut().expect("there until it is dropped")
    }
}
