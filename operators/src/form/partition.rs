//! How the spaces of several operators lie in one array.

use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_bridge::{Relayout, View, ViewMut};

use crate::{Error, Result, Space};

/// Spaces that follow each other in one array.
///
/// When they agree in all but the first axis they are joined along it: `[3, 5]` and `[2, 5]` become `[5, 5]`.
/// Otherwise the array is one-dimensional: `[3, 5]` and `[4]` become `[19]`. Stacked, equal spaces lie along a new first axis:
/// twice `[3, 5]` becomes `[2, 3, 5]`.
#[derive(Debug)]
pub(crate) struct Partition {
    whole: Space,
    parts: Vec<Slice>,
    /// Whether the parts lie along an axis of their own.
    stacked: bool,
    /// Whether the arrays have further axes, before or behind those that were divided.
    lifted: bool,
}

/// The place of one space in the one array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slice {
    /// Whether it is the one array, unchanged.
    whole: bool,
    /// The axis of the one array that is divided: the first one, unless others have been put before it.
    axis: usize,
    /// Where it begins along that axis.
    start: usize,
    /// How much of that axis it takes.
    extent: usize,
    /// Its own shape.
    space: Space,
}

impl Partition {
    /// Of spaces of one dtype, which the caller has seen to.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when the one array cannot be addressed.
    pub(crate) fn new(operation: &str, parts: Vec<Space>) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Error::parameter(operation, "no operators are given");
        };
        let tail = |part: &Space| part.shape().get(1..).map(<[usize]>::to_vec);
        // Wide: the sum of as many extents as there can be fits.
        let sum = |of: fn(&Space) -> usize| parts.iter().map(|part| of(part) as u128).sum();
        let joined = match tail(first) {
            Some(others) if parts.iter().all(|part| tail(part).as_ref() == Some(&others)) => {
                Some(others)
            }
            _ => None,
        };
        let shape: Vec<u128> = match &joined {
            Some(others) => {
                let others = others.iter().map(|&extent| extent as u128);
                std::iter::once(sum(|part| part.shape()[0])).chain(others).collect()
            }
            None => vec![sum(Space::len)],
        };
        let whole = Space::of_wide(operation, shape, first.dtype())?;
        whole.stored(operation)?;
        let mut start = 0;
        let slice = |space: Space| {
            let extent = if joined.is_some() { space.shape()[0] } else { space.len() };
            let slice = Slice { whole: space == whole, axis: 0, start, extent, space };
            start += extent;
            slice
        };
        Ok(Self {
            parts: parts.into_iter().map(slice).collect(),
            whole,
            stacked: false,
            lifted: false,
        })
    }

    /// Of equal spaces, one for each index of a new first axis.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when the one array cannot be addressed.
    pub(crate) fn stacked(operation: &str, parts: Vec<Space>) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Error::parameter(operation, "no operators are given");
        };
        let extents = first.shape().iter().map(|&extent| extent as u128);
        let shape = std::iter::once(parts.len() as u128).chain(extents).collect();
        let whole = Space::of_wide(operation, shape, first.dtype())?;
        whole.stored(operation)?;
        let slices = parts.into_iter().enumerate();
        let slice = |(start, space)| Slice { whole: false, axis: 0, start, extent: 1, space };
        Ok(Self { parts: slices.map(slice).collect(), whole, stacked: true, lifted: false })
    }

    /// The same of arrays with further axes before and behind their own.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when the one array cannot be addressed.
    pub(crate) fn lifted(
        &self,
        operation: &str,
        before: &[usize],
        behind: &[usize],
    ) -> Result<Self> {
        let with = |space: &Space| {
            Space::of(operation, [before, space.shape(), behind].concat(), space.dtype())
        };
        let slice = |slice: &Slice| {
            Ok(Slice { axis: slice.axis + before.len(), space: with(&slice.space)?, ..*slice })
        };
        let parts = self.parts.iter().map(slice).collect::<Result<_>>()?;
        Ok(Self { whole: with(&self.whole)?, parts, stacked: self.stacked, lifted: true })
    }

    /// Whether these are arrays with further axes, where parts may neither follow each other in row-major order nor join as
    /// [`new`](Self::new) has them.
    pub(crate) fn is_lifted(&self) -> bool {
        self.lifted
    }

    /// Where in the one array the elements of all parts lie, one part after the other, each in row-major order; `None` if that
    /// is their order in the one array, too.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn order(&self) -> Result<Option<Vec<usize>>> {
        let axis = self.parts.first().map_or(0, |slice| slice.axis);
        if axis == 0 {
            return Ok(None);
        }
        let (before, own) = self.whole.shape().split_at(axis);
        let [before, all] = [before, own].map(|extents| extents.iter().product::<usize>());
        let behind = own[1..].iter().product::<usize>();
        let mut order = Vec::new();
        reserve(&mut order, self.whole.len())?;
        for slice in &self.parts {
            for first in (0..before).map(|first| first * all + slice.start * behind) {
                order.extend(first..first + slice.extent * behind);
            }
        }
        Ok(Some(order))
    }

    /// Whether the parts lie along an axis of their own.
    pub(crate) fn is_stacked(&self) -> bool {
        self.stacked
    }

    /// The space of the one array.
    pub(crate) fn whole(&self) -> &Space {
        &self.whole
    }

    /// Where the parts lie, in order.
    pub(crate) fn slices(&self) -> &[Slice] {
        &self.parts
    }

    /// Whether two divide their arrays alike.
    pub(crate) fn same(a: &Self, b: &Self) -> bool {
        std::ptr::eq(a, b) || (a.whole == b.whole && a.parts == b.parts)
    }
}

/// All parts of an array that slices divide, in their order, for writing.
pub(super) fn divided<'a>(slices: &[Slice], array: ViewMut<'a>) -> Result<Vec<ViewMut<'a>>> {
    let mut rest = array;
    let mut all = Vec::with_capacity(slices.len());
    for slice in slices {
        let (own, behind) = rest.split_at(slice.axis, slice.extent)?;
        all.push(own.reshaped(slice.space.shape())?);
        rest = behind;
    }
    Ok(all)
}

impl Slice {
    /// Its own space.
    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    /// The axis of the one array that is divided.
    pub(super) fn axis(&self) -> usize {
        self.axis
    }

    /// Whether it is all of such an array.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether two parts of one array have no element in common.
    pub(super) fn apart(&self, other: &Self) -> bool {
        let apart = self.start + self.extent <= other.start;
        self.axis == other.axis && (apart || other.start + other.extent <= self.start)
    }

    /// The part of such an array. No element moves, whatever the strides.
    pub(crate) fn view<'a>(&self, array: View<'a>) -> Result<View<'a>> {
        Ok(array.sliced(self.axis, self.start, self.extent)?.reshaped(self.space.shape())?)
    }

    /// As [`view`](Self::view), for writing.
    pub(crate) fn view_mut<'a>(&self, array: ViewMut<'a>) -> Result<ViewMut<'a>> {
        Ok(array.sliced(self.axis, self.start, self.extent)?.reshaped(self.space.shape())?)
    }
}
