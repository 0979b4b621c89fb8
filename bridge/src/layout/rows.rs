//! An array as rows that one loop can take at once.

use smallvec::smallvec;

use super::{Axes, Layout};

/// The elements in row-major order, cut into rows of equal length and stride. Iterates over the places
/// where rows begin.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Elements of one row.
    pub(crate) len: usize,
    /// Elements from one element of a row to the next.
    pub(crate) stride: isize,
    /// The axes across rows, and how far along each the next row is.
    shape: Axes<usize>,
    strides: Axes<isize>,
    index: Axes<usize>,
    place: usize,
    left: usize,
}

impl Layout {
    /// The longest rows there are.
    pub(crate) fn rows(&self) -> Rows {
        let mut merged = self.merged();
        let len = merged.shape.pop().unwrap_or(1);
        let stride = merged.strides.pop().unwrap_or(1);
        Rows::new(merged, len, stride)
    }
}

impl Rows {
    fn new(across: Layout, len: usize, stride: isize) -> Self {
        let left = if len == 0 { 0 } else { across.len() };
        let Layout { shape, strides, offset: place } = across;
        let index = smallvec![0; shape.len()];
        Self { len, stride, shape, strides, index, place, left }
    }
}

impl Iterator for Rows {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let place = self.place;
        for axis in (0..self.shape.len()).rev() {
            self.index[axis] += 1;
            self.place = self.place.wrapping_add_signed(self.strides[axis]);
            if self.index[axis] < self.shape[axis] {
                break;
            }
            self.index[axis] = 0;
            let back = self.strides[axis].wrapping_mul(self.shape[axis] as isize);
            self.place = self.place.wrapping_add_signed(back.wrapping_neg());
        }
        Some(place)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Rows {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of every element, in row-major order.
    fn places(rows: Rows) -> Vec<usize> {
        let (len, stride) = (rows.len as isize, rows.stride);
        rows.flat_map(|place| (0..len).map(move |i| place.wrapping_add_signed(i * stride)))
            .collect()
    }

    #[test]
    fn a_contiguous_array_is_one_row() {
        let rows = Layout::contiguous([2, 3, 4]).unwrap().rows();
        assert_eq!((rows.len, rows.stride, rows.len()), (24, 1, 1));
    }

    #[test]
    fn a_transposed_array_has_its_columns_as_rows() {
        let layout = Layout::contiguous([2, 3]).unwrap().permuted(&[1, 0]).unwrap();
        assert_eq!(places(layout.rows()), [0, 3, 1, 4, 2, 5]);
        assert_eq!(layout.rows().len, 2);
    }

    #[test]
    fn scalars_have_one_row_and_empty_arrays_none() {
        assert_eq!(places(Layout::contiguous([]).unwrap().rows()), [0]);
        assert_eq!(places(Layout::contiguous([3, 0]).unwrap().rows()), [0_usize; 0]);
        assert_eq!(places(Layout::contiguous([0, 3]).unwrap().rows()), [0_usize; 0]);
    }

    #[test]
    fn rows_run_backwards_along_reversed_axes() {
        let layout = Layout::contiguous([2, 3]).unwrap().reversed(1).unwrap();
        assert_eq!(places(layout.rows()), [2, 1, 0, 5, 4, 3]);
    }
}
