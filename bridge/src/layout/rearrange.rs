//! Layouts made from others: the same places, or some of them, in another order or shape.

use smallvec::smallvec;

use super::{Axes, Layout, wrong};
use crate::{Axis, Error, Result};

impl Layout {
    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this.
    ///
    /// # Errors
    /// [`Error::Layout`] unless `axes` names each axis once.
    pub fn permuted(&self, axes: &[impl Into<Axis> + Copy]) -> Result<Self> {
        let given = axes.iter().map(|&axis| axis.into());
        let axes: Option<Axes<usize>> = given.clone().map(|axis| axis.of(self.rank())).collect();
        let mut sorted = axes.clone().unwrap_or_default();
        sorted.sort_unstable();
        let Some(axes) = axes.filter(|_| sorted.iter().copied().eq(0..self.rank())) else {
            let given: Vec<isize> = given.map(Axis::number).collect();
            return Err(self.wrong("permute", format!("{given:?} does not name each axis once")));
        };
        let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        Ok(Self { shape, strides, offset: self.offset })
    }

    /// The indices `start..start + len` along one axis.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Layout`] when they leave the axis.
    pub fn sliced(&self, axis: impl Into<Axis>, start: usize, len: usize) -> Result<Self> {
        let (axis, extent) = self.extent_of("slice", axis.into())?;
        if start.checked_add(len).is_none_or(|end| end > extent) {
            let why =
                format!("{len} indices from {start} on leave axis {axis}, which has {extent}");
            return Err(self.wrong("slice", why));
        }
        let mut sliced = self.clone();
        sliced.shape[axis] = len;
        if !sliced.is_empty() {
            sliced.offset = self.offset.wrapping_add_signed(start as isize * self.strides[axis]);
        }
        Ok(sliced)
    }

    /// One index along an axis, which is gone after.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Layout`] when there is no such index.
    pub fn selected(&self, axis: impl Into<Axis>, index: usize) -> Result<Self> {
        let (axis, _) = self.extent_of("slice", axis.into())?;
        let mut selected = self.sliced(axis, index, 1)?;
        selected.shape.remove(axis);
        selected.strides.remove(axis);
        Ok(selected)
    }

    /// Every `step`-th index along one axis, from the first.
    ///
    /// # Errors
    /// [`Error::Axis`], [`Error::Layout`] for a step of zero.
    pub fn stepped(&self, axis: impl Into<Axis>, step: usize) -> Result<Self> {
        let (axis, extent) = self.extent_of("step", axis.into())?;
        let stride = isize::try_from(step).ok().and_then(|s| s.checked_mul(self.strides[axis]));
        match stride {
            Some(stride) if step > 0 => {
                let mut stepped = self.clone();
                stepped.shape[axis] = extent.div_ceil(step);
                stepped.strides[axis] = stride;
                Ok(stepped)
            }
            _ if step == 0 => Err(self.wrong("step", format!("a step of 0 along axis {axis}"))),
            _ => {
                Err(self.wrong("step", format!("a step of {step} along axis {axis} is too large")))
            }
        }
    }

    /// One axis from its end to its start.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn reversed(&self, axis: impl Into<Axis>) -> Result<Self> {
        let (axis, extent) = self.extent_of("reverse", axis.into())?;
        let mut reversed = self.clone();
        if !self.is_empty() {
            let last = (extent - 1) as isize * self.strides[axis];
            reversed.offset = self.offset.wrapping_add_signed(last);
        }
        // An axis of one index or none may have any stride, even one without an opposite.
        reversed.strides[axis] = self.strides[axis].wrapping_neg();
        Ok(reversed)
    }

    /// The same elements seen with another shape, if the strides allow it without moving any.
    ///
    /// # Errors
    /// [`Error::Shape`] when the numbers of elements differ, [`Error::Layout`] when elements would move.
    pub fn reshaped(&self, shape: impl AsRef<[usize]>) -> Result<Self> {
        let mut reshaped = Self::contiguous_for("reshape", shape.as_ref())?;
        if reshaped.len() != self.len() {
            let (expected, found) = (reshaped.shape.to_vec(), self.shape.to_vec());
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
                    // Wraps at most on an axis of extent 1, whose stride does not count.
                    axis => merged.strides[axis].wrapping_mul((merged.shape[axis] / at.1) as isize),
                };
                if at.1 % extent != 0 {
                    let why = format!("elements would have to move for {:?}", shape.as_ref());
                    return Err(self.wrong("reshape", why));
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
            found: self.shape.to_vec(),
        };
        let added = shape.len().checked_sub(self.rank()).ok_or_else(fail)?;
        let mut strides: Axes<isize> = smallvec![0; shape.len()];
        for axis in 0..self.rank() {
            match (self.shape[axis], shape[added + axis]) {
                (here, there) if here == there => strides[added + axis] = self.strides[axis],
                (1, _) => {}
                _ => return Err(fail()),
            }
        }
        Self::contiguous_for("broadcast", shape)?;
        Ok(Self { shape: Axes::from_slice(shape), strides, offset: self.offset })
    }

    /// The same places in the same order with as few axes as possible: extents of 1 dropped, adjacent axes
    /// whose elements follow each other merged. Without elements: one axis of none.
    #[must_use]
    pub fn merged(&self) -> Self {
        if self.is_empty() {
            return Self { shape: smallvec![0], strides: smallvec![1], offset: self.offset };
        }
        let mut merged = Self { shape: Axes::new(), strides: Axes::new(), offset: self.offset };
        for (&extent, &stride) in self.shape.iter().zip(&self.strides) {
            match (merged.shape.last_mut(), merged.strides.last_mut()) {
                _ if extent == 1 => {}
                // The last index is reachable, but one more stride need not fit.
                (Some(shape), Some(last)) if stride.checked_mul(extent as isize) == Some(*last) => {
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

    /// The number of an axis from the first, and how many indices it has.
    pub(crate) fn extent_of(&self, operation: &'static str, axis: Axis) -> Result<(usize, usize)> {
        let rank = self.rank();
        let absent = Error::Axis { operation, axis: axis.number(), rank };
        axis.of(rank).map(|axis| (axis, self.shape[axis])).ok_or(absent)
    }

    fn wrong(&self, operation: &'static str, why: String) -> Error {
        wrong(operation, &self.shape, &self.strides, why)
    }
}
