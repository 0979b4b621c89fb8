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
    /// [`Error::Spaces`] when dtypes differ.
    pub(super) fn new(operation: &'static str, parts: Vec<Space>) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Error::parameter(operation, "no operators are given");
        };
        if let Some(other) = parts.iter().find(|part| part.dtype() != first.dtype()) {
            let (left, right) = (first.clone(), other.clone());
            return Err(Error::Spaces { operation, left, right });
        }
        let tail = |part: &Space| part.shape().get(1..).map(<[usize]>::to_vec);
        let shape = match tail(first) {
            Some(others) if parts.iter().all(|part| tail(part).as_ref() == Some(&others)) => {
                let joined = parts.iter().map(|part| part.shape()[0]).sum();
                [vec![joined], others].concat()
            }
            _ => vec![parts.iter().map(Space::len).sum()],
        };
        let whole = Space::new(shape, first.dtype());
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
