//! Where the elements of an array lie: shape, strides and offset, all in elements.

mod rearrange;
mod rows;

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use crate::{DType, Error, Result};

/// One of something for each axis, without a block on the heap up to four axes: layouts are made with every view and
/// every hand-over.
pub type Axes<T> = SmallVec<[T; 4]>;

/// A copy. For few axes that is a few stores of known size, where a copy of so many bytes would be a function call.
pub(crate) fn copied<T: Copy + Default>(axes: &[T]) -> Axes<T> {
    let none = T::default();
    let few = match *axes {
        [] => [none; 4],
        [a] => [a, none, none, none],
        [a, b] => [a, b, none, none],
        [a, b, c] => [a, b, c, none],
        [a, b, c, d] => [a, b, c, d],
        _ => return Axes::from_slice(axes),
    };
    Axes::from_buf_and_len(few, axes.len())
}

/// Where the elements of an array lie in a block of memory: shape, strides and offset, all in elements.
///
/// Strides may be zero or negative. Every element lies at a non-negative place, and the whole extent fits
/// `isize`; constructors see to that.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Axes<usize>,
    strides: Axes<isize>,
    offset: usize,
}

/// Not number by number: every view of a call has its own.
impl Clone for Layout {
    fn clone(&self) -> Self {
        Self::unchecked(&self.shape, &self.strides, self.offset)
    }
}

impl Layout {
    /// Row-major without gaps, from the start of the block.
    ///
    /// # Errors
    /// [`Error::Layout`] when the number of elements overflows.
    pub fn contiguous(shape: impl AsRef<[usize]>) -> Result<Self> {
        Self::contiguous_for("contiguous", shape.as_ref())
    }

    /// As [`contiguous`](Self::contiguous), on behalf of what the caller was asked for.
    pub(crate) fn contiguous_for(operation: &'static str, shape: &[usize]) -> Result<Self> {
        let shape = copied(shape);
        let mut step = 1_usize;
        let mut strides: Axes<isize> = smallvec![0; shape.len()];
        let mut fits = true;
        for (stride, &extent) in strides.iter_mut().zip(&shape).rev() {
            *stride = step as isize;
            let next = step.checked_mul(extent.max(1)).filter(|&n| isize::try_from(n).is_ok());
            fits &= next.is_some();
            step = next.unwrap_or(1);
        }
        if !fits {
            return Err(wrong(operation, &shape, &[], "more elements than can be addressed"));
        }
        Ok(Self { shape, strides, offset: 0 })
    }

    /// Of one element, without axes.
    pub(crate) fn scalar(offset: usize) -> Self {
        Self { shape: Axes::new(), strides: Axes::new(), offset }
    }

    /// Any strides.
    ///
    /// # Errors
    /// [`Error::Layout`] when an element would lie before the block or too far to address, or the ranks
    /// differ.
    pub fn strided(
        shape: impl AsRef<[usize]>,
        strides: impl AsRef<[isize]>,
        offset: usize,
    ) -> Result<Self> {
        let layout = Self::unchecked(shape.as_ref(), strides.as_ref(), offset);
        let fail = |why: String| Err(wrong("strided", &layout.shape, &layout.strides, why));
        let (rank, given) = (layout.shape.len(), layout.strides.len());
        if rank != given {
            return fail(format!("{given} strides for {rank} axes"));
        }
        if Self::count(&layout.shape).is_none() {
            return fail("more elements than can be addressed".into());
        }
        let (mut low, mut high) = (offset as i128, offset as i128);
        if !layout.is_empty() {
            for (&extent, &stride) in layout.shape.iter().zip(&layout.strides) {
                let reach = (extent as i128 - 1) * stride as i128;
                if reach < 0 { low += reach } else { high += reach }
            }
        }
        if low < 0 {
            return fail(format!("from offset {offset} an element lies {} before the block", -low));
        }
        if high >= isize::MAX as i128 {
            return fail(format!(
                "from offset {offset} an element lies at {high}, too far to address"
            ));
        }
        Ok(layout)
    }

    /// The number of elements, or `None` if they cannot be addressed. Extents of zero count as one: the product
    /// must fit even where they make the array empty.
    pub(crate) fn count(shape: &[usize]) -> Option<usize> {
        let product = |n: usize, &extent: &usize| n.checked_mul(extent.max(1));
        shape.iter().try_fold(1, product).filter(|&n| isize::try_from(n).is_ok())
    }

    /// A layout whose invariants another library has kept already.
    pub(crate) fn trusted(shape: &[usize], strides: &[isize], offset: usize) -> Self {
        let layout = Self::unchecked(shape, strides, offset);
        debug_assert!(Self::strided(shape, strides, offset).is_ok(), "{layout:?}");
        layout
    }

    fn unchecked(shape: &[usize], strides: &[isize], offset: usize) -> Self {
        Self { shape: copied(shape), strides: copied(strides), offset }
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements from one index to the next along each axis.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Elements from the start of the block to index zero.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "there is one below; the lint misses it")]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The bytes that the elements take without gaps.
    pub(crate) fn bytes(&self, operation: &'static str, dtype: DType) -> Result<usize> {
        let bytes = self.len().checked_mul(dtype.bytes());
        bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
            let why = format!("more bytes of {dtype} than can be addressed");
            wrong(operation, &self.shape, &[], why)
        })
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The first and the last place used, or `None` without elements.
    #[must_use]
    pub fn extent(&self) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        let mut ends = (self.offset, self.offset);
        for (&extent, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (extent - 1) as isize * stride;
            if reach < 0 {
                ends.0 = ends.0.wrapping_add_signed(reach);
            } else {
                ends.1 = ends.1.wrapping_add_signed(reach);
            }
        }
        Some(ends)
    }

    /// Whether the elements follow each other row-major without gaps. Strides along axes of extent 1
    /// do not count; an empty array is contiguous.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1;
        self.is_empty()
            || self.shape.iter().zip(&self.strides).rev().all(|(&extent, &stride)| {
                let fits = extent == 1 || stride == step;
                step *= extent as isize;
                fits
            })
    }

    /// Whether two indices may share a place, so that writing is ambiguous. Exact for layouts made by
    /// permuting, slicing and reversing; for exotic overlapping strides it errs on the side of `true`.
    #[must_use]
    pub fn may_overlap_itself(&self) -> bool {
        let mut axes: Axes<(usize, usize)> = self
            .shape
            .iter()
            .zip(&self.strides)
            .filter(|(extent, _)| **extent > 1)
            .map(|(&extent, &stride)| (stride.unsigned_abs(), extent))
            .collect();
        axes.sort_unstable();
        let mut reach = 0;
        !self.is_empty()
            && axes.into_iter().any(|(stride, extent)| {
                let overlaps = stride <= reach;
                reach += stride * (extent - 1);
                overlaps
            })
    }
}

/// What is wrong with a shape; with strides, if those were given or made.
pub(crate) fn wrong(
    operation: &'static str,
    shape: &[usize],
    strides: &[isize],
    why: impl Into<Cow<'static, str>>,
) -> Error {
    Error::Layout { operation, shape: shape.to_vec(), strides: strides.to_vec(), why: why.into() }
}
