//! Lanes of large results, which go past the caches.

use std::marker::PhantomData;

use super::LanesMut;
use crate::Element;
use crate::copy::past::{Fence, stream};

/// Lanes that are written past the caches.
#[derive(Debug)]
pub struct PastCaches<'a, T> {
    lanes: LanesMut<'a, T>,
    /// What is stored so has an order for the thread that does it only, until the fence: this is not `Send`.
    thread: PhantomData<*mut T>,
}

impl<'a, T: Element> LanesMut<'a, T> {
    /// Has `work` write these lanes past the caches, where the processor can. Afterwards they are as any.
    pub fn past_caches<R>(self, work: impl FnOnce(&mut PastCaches<'a, T>) -> R) -> R {
        // Of this function, so that nobody can keep it from being dropped.
        let fence = Fence;
        let result = work(&mut PastCaches { lanes: self, thread: PhantomData });
        drop(fence);
        result
    }
}

impl<T: Element> PastCaches<'_, T> {
    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.lanes.shape()
    }

    /// Writes the elements from `index` along `axis`.
    ///
    /// # Panics
    /// When they leave the array.
    pub fn write(&mut self, index: &[usize], axis: usize, elements: &[T]) {
        let mut lane = self.lanes.lane(index, axis, elements.len());
        let Some(slice) = lane.as_mut_slice() else { return lane.scatter(0, elements) };
        let bytes = size_of_val(slice);
        // SAFETY: both slices have so many bytes, and a slice that is written overlaps no other. Nobody else can use it
        // before the fence: the lanes are borrowed until then, by what does not leave this thread.
        unsafe { stream(elements.as_ptr().cast(), slice.as_mut_ptr().cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use crate::Array;

    #[test]
    fn lanes_of_every_stride_are_written_in_their_own_places() {
        for axis in [0, 1] {
            let mut to = Array::from_vec(vec![-1_i32; 7 * 131], [7, 131]).unwrap();
            let mut view = to.view_mut();
            let lanes = view.lanes_mut::<i32>().unwrap();
            let len = lanes.shape()[axis] - 2;
            let from: Vec<i32> = (0..len).map(|i| i as i32).collect();
            lanes.past_caches(|past| {
                let mut index = [2, 2];
                index[axis] = 1;
                past.write(&index, axis, &from);
            });
            let written = to.to_vec::<i32>().unwrap();
            for (place, value) in written.into_iter().enumerate() {
                let at = [place / 131, place % 131];
                let within = at[1 - axis] == 2 && (1..=len).contains(&at[axis]);
                assert_eq!(value, if within { from[at[axis] - 1] } else { -1 }, "{at:?}");
            }
        }
    }
}
