//! Where the elements of an array lie: shape, strides and offset, all in elements.

use crate::{Error, Result};

/// Where the elements of an array lie in a block of memory: shape, strides and offset, all in elements.
///
/// Strides may be zero or negative. Every element lies at a non-negative place, and the whole extent fits
/// `isize`; constructors see to that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
}

impl Layout {
    /// Row-major without gaps, from the start of the block.
    ///
    /// # Errors
    /// [`Error::Layout`] when the number of elements overflows.
    pub fn contiguous(shape: impl Into<Vec<usize>>) -> Result<Self> {
        let shape = shape.into();
        let mut step = 1_usize;
        let mut strides = vec![0; shape.len()];
        let mut fits = true;
        for (stride, &extent) in strides.iter_mut().zip(&shape).rev() {
            *stride = step as isize;
            let next = step.checked_mul(extent.max(1)).filter(|&n| isize::try_from(n).is_ok());
            fits &= next.is_some();
            step = next.unwrap_or(1);
        }
        if !fits {
            return Err(wrong("array", &shape, &strides, "more elements than can be addressed"));
        }
        Ok(Self { shape, strides, offset: 0 })
    }

    /// Any strides.
    ///
    /// # Errors
    /// [`Error::Layout`] when an element would lie before the block or too far to address, or the ranks
    /// differ.
    pub fn strided(
        shape: impl Into<Vec<usize>>,
        strides: impl Into<Vec<isize>>,
        offset: usize,
    ) -> Result<Self> {
        let layout = Self { shape: shape.into(), strides: strides.into(), offset };
        let fail = |why| Err(wrong("array", &layout.shape, &layout.strides, why));
        if layout.shape.len() != layout.strides.len() {
            return fail("shape and strides differ in rank");
        }
        // The product must fit even where an extent of zero makes the array empty.
        if Self::contiguous(layout.shape.clone()).is_err() {
            return fail("more elements than can be addressed");
        }
        let (mut low, mut high) = (offset as i128, offset as i128);
        if !layout.is_empty() {
            for (&extent, &stride) in layout.shape.iter().zip(&layout.strides) {
                let reach = (extent as i128 - 1) * stride as i128;
                if reach < 0 { low += reach } else { high += reach }
            }
        }
        if low < 0 {
            return fail("an element lies before the start of the block");
        }
        if high >= isize::MAX as i128 {
            return fail("an element lies too far to address");
        }
        Ok(layout)
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
        let mut axes: Vec<(usize, usize)> = self
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

    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this.
    ///
    /// # Errors
    /// [`Error::Layout`] unless `axes` names each axis once.
    pub fn permuted(&self, axes: &[usize]) -> Result<Self> {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.rank()) {
            return Err(self.wrong("permute", "the order does not name each axis once"));
        }
        let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        Ok(Self { shape, strides, offset: self.offset })
    }

    /// The indices `start..start + len` along one axis.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Layout`] when they leave the axis.
    pub fn sliced(&self, axis: usize, start: usize, len: usize) -> Result<Self> {
        let extent = self.extent_of("slice", axis)?;
        if start.checked_add(len).is_none_or(|end| end > extent) {
            return Err(self.wrong("slice", "the range leaves the axis"));
        }
        let mut sliced = self.clone();
        sliced.shape[axis] = len;
        if !sliced.is_empty() {
            sliced.offset = self.offset.wrapping_add_signed(start as isize * self.strides[axis]);
        }
        Ok(sliced)
    }

    /// Every `step`-th index along one axis, from the first.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Layout`] for a step of zero.
    pub fn stepped(&self, axis: usize, step: usize) -> Result<Self> {
        let extent = self.extent_of("step", axis)?;
        let stride = isize::try_from(step).ok().and_then(|s| s.checked_mul(self.strides[axis]));
        match stride {
            Some(stride) if step > 0 => {
                let mut stepped = self.clone();
                stepped.shape[axis] = extent.div_ceil(step);
                stepped.strides[axis] = stride;
                Ok(stepped)
            }
            _ => Err(self.wrong("step", "the step is zero or too large")),
        }
    }

    /// One axis from its end to its start.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn reversed(&self, axis: usize) -> Result<Self> {
        let extent = self.extent_of("reverse", axis)?;
        let mut reversed = self.clone();
        if !self.is_empty() {
            let last = (extent - 1) as isize * self.strides[axis];
            reversed.offset = self.offset.wrapping_add_signed(last);
        }
        reversed.strides[axis] = -self.strides[axis];
        Ok(reversed)
    }

    /// The same elements seen with another shape, if the strides allow it without moving any.
    ///
    /// # Errors
    /// [`Error::Shape`] when the numbers of elements differ, [`Error::Layout`] when elements would move.
    pub fn reshaped(&self, shape: impl Into<Vec<usize>>) -> Result<Self> {
        let mut reshaped = Self::contiguous(shape)?;
        if reshaped.len() != self.len() {
            let (expected, found) = (self.shape.clone(), reshaped.shape);
            return Err(Error::Shape { operation: "reshape", expected, found });
        }
        reshaped.offset = self.offset;
        if !self.is_contiguous() {
            let merged = self.merged();
            let mut at = (merged.rank(), 1);
            for (stride, &extent) in reshaped.strides.iter_mut().zip(&reshaped.shape).rev() {
                if at.1 == 1 && extent > 1 {
                    at = (at.0 - 1, merged.shape[at.0 - 1]);
                }
                *stride = match at.0 {
                    axis if axis == merged.rank() => 1,
                    axis => (merged.shape[axis] / at.1) as isize * merged.strides[axis],
                };
                if at.1 % extent != 0 {
                    return Err(self.wrong("reshape", "the elements would have to move"));
                }
                at.1 /= extent;
            }
        }
        Ok(reshaped)
    }

    /// Repeats axes of extent 1, and adds axes in front, to fill `shape`, without moving elements.
    ///
    /// # Errors
    /// [`Error::Shape`] when it does not broadcast.
    pub fn broadcast(&self, shape: &[usize]) -> Result<Self> {
        let fail = || Error::Shape {
            operation: "broadcast",
            expected: shape.to_vec(),
            found: self.shape.clone(),
        };
        let added = shape.len().checked_sub(self.rank()).ok_or_else(fail)?;
        let mut strides = vec![0; shape.len()];
        for axis in 0..self.rank() {
            match (self.shape[axis], shape[added + axis]) {
                (here, there) if here == there => strides[added + axis] = self.strides[axis],
                (1, _) => {}
                _ => return Err(fail()),
            }
        }
        Self::contiguous(shape)?;
        Ok(Self { shape: shape.to_vec(), strides, offset: self.offset })
    }

    /// The same places in the same order with as few axes as possible: extents of 1 dropped, neighbours
    /// that follow each other merged.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut merged = Self { shape: Vec::new(), strides: Vec::new(), offset: self.offset };
        for (&extent, &stride) in self.shape.iter().zip(&self.strides) {
            match (merged.shape.last_mut(), merged.strides.last_mut()) {
                _ if extent == 1 => {}
                (Some(shape), Some(last)) if *last == extent as isize * stride => {
                    *shape *= extent;
                    *last = stride;
                }
                _ => {
                    merged.shape.push(extent);
                    merged.strides.push(stride);
                }
            }
        }
        merged
    }

    fn extent_of(&self, operation: &'static str, axis: usize) -> Result<usize> {
        let rank = self.rank();
        self.shape.get(axis).copied().ok_or(Error::Axis { operation, axis, rank })
    }

    fn wrong(&self, operation: &'static str, why: &'static str) -> Error {
        wrong(operation, &self.shape, &self.strides, why)
    }
}

fn wrong(operation: &'static str, shape: &[usize], strides: &[isize], why: &'static str) -> Error {
    Error::Layout { operation, shape: shape.to_vec(), strides: strides.to_vec(), why }
}
