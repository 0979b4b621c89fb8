//! How the spaces of several operators lie in one array.

use arrayspan_bridge::{Relayout, View, ViewMut};

use crate::{Error, Result, Space};

/// Spaces that follow each other in one array.
///
/// When they agree in all but the first axis they are joined along it: `[3, 5]` and `[2, 5]` become `[5, 5]`.
/// Otherwise the array is one-dimensional: `[3, 5]` and `[4]` become `[19]`.
#[derive(Debug)]
pub(super) struct Partition {
    whole: Space,
    parts: Vec<Space>,
}

impl Partition {
    /// # Errors
    /// [`Error::Spaces`] when dtypes differ, [`Error::TooLarge`] when the one array cannot be addressed.
    pub(super) fn new(operation: &'static str, parts: Vec<Space>) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Error::parameter(operation, "no operators are given");
        };
        if let Some(other) = parts.iter().find(|part| part.dtype() != first.dtype()) {
            let (left, right) = (first.clone(), other.clone());
            return Err(Error::Spaces { operation, left, right });
        }
        let tail = |part: &Space| part.shape().get(1..).map(<[usize]>::to_vec);
        // Wide: the sum of as many extents as there can be fits.
        let sum = |of: fn(&Space) -> usize| parts.iter().map(|part| of(part) as u128).sum();
        let shape: Vec<u128> = match tail(first) {
            Some(others) if parts.iter().all(|part| tail(part).as_ref() == Some(&others)) => {
                let joined = sum(|part| part.shape()[0]);
                [joined]
                    .into_iter()
                    .chain(others.into_iter().map(|extent| extent as u128))
                    .collect()
            }
            _ => vec![sum(Space::len)],
        };
        let whole = Space::of_wide(operation, shape, first.dtype())?;
        whole.computable(operation)?;
        Ok(Self { whole, parts })
    }

    /// The space of the one array.
    pub(super) fn whole(&self) -> &Space {
        &self.whole
    }

    /// The parts of such an array, in order. No element moves, whatever the strides.
    pub(super) fn split<'a>(&self, array: &View<'a>) -> Result<Vec<View<'a>>> {
        let mut start = 0;
        let part = |part: &Space| {
            let extent = self.extent(part);
            let slice = array.clone().sliced(0, start, extent)?;
            start += extent;
            Ok(slice.reshaped(part.shape())?)
        };
        self.parts.iter().map(part).collect()
    }

    /// As [`split`](Self::split), for writing.
    pub(super) fn split_mut<'a>(&self, array: ViewMut<'a>) -> Result<Vec<ViewMut<'a>>> {
        let mut rest = array;
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (slice, after) = rest.split_at(0, self.extent(part))?;
            parts.push(slice.reshaped(part.shape())?);
            rest = after;
        }
        Ok(parts)
    }

    /// How much of the first axis of the one array a part takes.
    fn extent(&self, part: &Space) -> usize {
        let joined = part.shape().get(1..) == self.whole.shape().get(1..);
        if joined { part.shape()[0] } else { part.len() }
    }
}
