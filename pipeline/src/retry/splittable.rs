//! Inputs that can be computed piece by piece.

use std::ops::Range;

use arrayspan_bridge::{Array, AsView, Error, Relayout, Result, SharedArray, View};
use arrayspan_devices::{Device, Stream};

use crate::spill::{Spillable, SpillableGuard};

/// Inputs whose elements along the first axis can be computed apart: shots, traces, right-hand sides.
pub trait Splittable {
    /// Some of the elements, where they can be computed with.
    type Piece<'a>
    where
        Self: 'a;

    /// How many elements there are.
    ///
    /// # Errors
    /// Where nobody can say: for a scalar, and for inputs that do not agree.
    fn elements(&self) -> Result<usize>;

    /// The elements `range` on the device of `stream`. Borrowed where they are there already, else copied.
    ///
    /// # Errors
    /// A range out of bounds; out of memory; the driver's refusal.
    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<Self::Piece<'_>>;
}

/// Some elements of an array along its first axis, on the device asked for.
#[derive(Debug)]
pub struct ArrayPiece<'a> {
    source: Source<'a>,
    /// Which elements of the source.
    range: Range<usize>,
}

#[derive(Debug)]
enum Source<'a> {
    Lent(View<'a>),
    Held(SpillableGuard<'a>),
    /// A copy of these elements alone.
    Copied(Array),
}

impl ArrayPiece<'_> {
    /// The elements.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        let view = match &self.source {
            Source::Lent(view) => view.clone(),
            Source::Held(held) => held.view(),
            Source::Copied(array) => return array.view(),
        };
        let Range { start, end } = self.range.clone();
        let Ok(view) = view.sliced(0, start, end - start) else {
            unreachable!("the range was checked when the piece was made")
        };
        view
    }
}

impl AsView for ArrayPiece<'_> {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

/// The elements of a view, copied if they are on another device.
fn of_view<'a>(view: View<'a>, range: Range<usize>, stream: &Stream) -> Result<ArrayPiece<'a>> {
    let part = view.clone().sliced(0, range.start, range.len())?;
    let source = if part.device() == stream.device() {
        Source::Lent(view)
    } else {
        Source::Copied(copied(&part, stream.device())?)
    };
    Ok(ArrayPiece { source, range })
}

fn copied(part: &View<'_>, device: Device) -> Result<Array> {
    part.to(device).map(|(array, _)| array)
}

fn first_extent(shape: &[usize]) -> Result<usize> {
    shape.first().copied().ok_or(Error::Axis { operation: "with_retry", axis: 0, rank: 0 })
}

impl Splittable for View<'_> {
    type Piece<'a>
        = ArrayPiece<'a>
    where
        Self: 'a;

    fn elements(&self) -> Result<usize> {
        first_extent(self.shape())
    }

    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<ArrayPiece<'_>> {
        of_view(self.clone(), range, stream)
    }
}

impl Splittable for Array {
    type Piece<'a> = ArrayPiece<'a>;

    fn elements(&self) -> Result<usize> {
        first_extent(self.shape())
    }

    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<ArrayPiece<'_>> {
        of_view(self.view(), range, stream)
    }
}

impl Splittable for SharedArray {
    type Piece<'a> = ArrayPiece<'a>;

    fn elements(&self) -> Result<usize> {
        first_extent(self.shape())
    }

    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<ArrayPiece<'_>> {
        of_view(self.view(), range, stream)
    }
}

impl Splittable for Spillable {
    type Piece<'a> = ArrayPiece<'a>;

    fn elements(&self) -> Result<usize> {
        first_extent(self.layout().shape())
    }

    /// Held on its device while the piece lives.
    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<ArrayPiece<'_>> {
        let held = self.get()?;
        let part = held.view().sliced(0, range.start, range.len())?;
        if part.device() == stream.device() {
            return Ok(ArrayPiece { source: Source::Held(held), range });
        }
        Ok(ArrayPiece { source: Source::Copied(copied(&part, stream.device())?), range })
    }
}

/// Numbers of elements, for work that makes its own inputs.
impl Splittable for Range<usize> {
    type Piece<'a> = Self;

    fn elements(&self) -> Result<usize> {
        Ok(self.len())
    }

    fn piece(&self, range: Range<usize>, _: &Stream) -> Result<Self> {
        Ok(self.start + range.start..self.start + range.end)
    }
}

/// Several inputs of as many elements each.
impl<T: Splittable> Splittable for [T] {
    type Piece<'a>
        = Vec<T::Piece<'a>>
    where
        Self: 'a;

    fn elements(&self) -> Result<usize> {
        let mut counts = self.iter().map(Splittable::elements);
        let first = counts.next().unwrap_or(Ok(0))?;
        counts.try_fold(first, |first, count| agree(first, count?))
    }

    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<Vec<T::Piece<'_>>> {
        self.iter().map(|input| input.piece(range.clone(), stream)).collect()
    }
}

/// Two inputs of as many elements each.
impl<A: Splittable, B: Splittable> Splittable for (A, B) {
    type Piece<'a>
        = (A::Piece<'a>, B::Piece<'a>)
    where
        Self: 'a;

    fn elements(&self) -> Result<usize> {
        agree(self.0.elements()?, self.1.elements()?)
    }

    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<Self::Piece<'_>> {
        Ok((self.0.piece(range.clone(), stream)?, self.1.piece(range, stream)?))
    }
}

impl<T: Splittable + ?Sized> Splittable for &T {
    type Piece<'a>
        = T::Piece<'a>
    where
        Self: 'a;

    fn elements(&self) -> Result<usize> {
        (**self).elements()
    }

    fn piece(&self, range: Range<usize>, stream: &Stream) -> Result<T::Piece<'_>> {
        (**self).piece(range, stream)
    }
}

fn agree(first: usize, other: usize) -> Result<usize> {
    if first == other {
        return Ok(first);
    }
    Err(Error::Shape { operation: "with_retry", expected: vec![first], found: vec![other] })
}
