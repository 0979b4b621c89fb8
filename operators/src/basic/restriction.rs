//! Elements picked along an axis.

use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_kernels::Gather;

use crate::form::IndexMap;
use crate::{Error, Form, Operator, Result, Space};

/// `y[…, j, …] = x[…, indices[j], …]` along one axis; domain `space`, range with as many indices along the axis as there are
/// given.
///
/// Indices may repeat and need no order; the adjoint adds what repeats, in the order of the indices, 16-bit floats as `Float32`, and is
/// zero where none is.
/// Consecutive ones, up or down, need no table. Units: those of `x`. Complex: linear. Cost: 1 launch, each value that is
/// picked read and written once, and the table of indices (4 bytes each); of a vector of which at least every 16th
/// element is picked, in order, a quarter of a byte for each of its elements instead (test `bytes::restriction`).
///
/// Golden: PyLops 2.8.0 `Restriction`.
#[derive(Debug)]
pub struct Restriction(());

impl Restriction {
    const NAME: &str = "Restriction";

    /// Picks `indices` along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, an index is not below its extent, or the dtype is not one to compute
    /// with or to move; [`Error::TooLarge`] when the range cannot be addressed.
    pub fn new(space: Space, axis: isize, indices: impl AsRef<[usize]>) -> Result<Operator> {
        let indices = indices.as_ref();
        let counted = Self::checked(&space, axis, indices)?;
        let mut shape = space.shape().to_vec();
        let extent = std::mem::replace(&mut shape[counted], indices.len());
        let range = Space::of(Self::NAME, shape, space.dtype())?;
        let form = match neighbours(indices) {
            Some((first, step)) => {
                let (len, shape) = (indices.len(), space.shape());
                Form::Index(IndexMap::slice(Self::NAME, shape, axis, first, len, step)?)
            }
            None => Form::Gather(Gather::pick(counted, extent, indices)?),
        };
        Operator::of(Self::NAME, space, range, form)
    }

    /// `y = x` at `indices` along `axis`, and 0 elsewhere: `Rᴴ R` with every index counted once. Domain and range are both
    /// `space`.
    ///
    /// # Errors
    /// As [`new`](Self::new); out of memory for its table, which has a place for each index of the axis.
    pub fn mask(space: Space, axis: isize, indices: impl AsRef<[usize]>) -> Result<Operator> {
        let indices = indices.as_ref();
        let axis = Self::checked(&space, axis, indices)?;
        let mut kept = indices.to_vec();
        kept.sort_unstable();
        kept.dedup();
        let extent = space.shape()[axis];
        let mut starts = Vec::new();
        reserve(&mut starts, extent + 1)?;
        starts.push(0);
        let mut left = kept.iter().peekable();
        for row in 0..extent {
            let entry = usize::from(left.next_if_eq(&&row).is_some());
            starts.push(starts[row] + entry);
        }
        let gather = Gather::new(axis, &[extent], &[extent], starts, kept, None)?;
        Operator::of("Restriction::mask", space.clone(), space, Form::Gather(gather))
    }

    /// The axis, counted from the start.
    fn checked(space: &Space, axis: isize, indices: &[usize]) -> Result<usize> {
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let extent = space.shape()[axis];
        let Some(at) = indices.iter().position(|index| *index >= extent) else { return Ok(axis) };
        let index = indices[at];
        let why = format!(
            "index {index}, number {at}, is not below {extent} along axis {axis} of {space}"
        );
        Error::parameter(Self::NAME, why)
    }
}

/// The first index and the step from one to the next, if they follow each other, forwards or backwards. (With other steps the
/// adjoint of an index map would be a launch for each index.)
fn neighbours(indices: &[usize]) -> Option<(usize, isize)> {
    let &[first, ref rest @ ..] = indices else { return Some((0, 1)) };
    let Some(second) = rest.first() else { return Some((first, 1)) };
    // Indices of an axis are below `isize::MAX`.
    let step = *second as isize - first as isize;
    let even = indices.windows(2).all(|pair| pair[1] as isize - pair[0] as isize == step);
    (step.abs() == 1 && even).then_some((first, step))
}
