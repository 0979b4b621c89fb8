//! Several arrays one after the other.

use crate::copy::between;
use crate::layout::wrong;
use crate::{Array, AsView, Axis, Error, Relayout, Result, View};

const OPERATION: &str = "concatenate";

/// Arrays of one dtype on one device, one after the other along `axis`, along which alone their extents may differ, as one
/// row-major array on that device. Each is copied once; enqueued on the device's default stream, does not wait.
///
/// Slices that get an axis of their own, and those of several devices, are a [`stack`](crate::stack()).
///
/// ```
/// use arrayspan_bridge::{Array, concatenate};
///
/// let left = Array::from_vec(vec![1, 2, 5, 6], [2, 2])?;
/// let right = Array::from_vec(vec![3, 7], [2, 1])?;
/// let whole = concatenate(&[&left, &right], 1)?;
/// assert_eq!(whole.to_vec::<i32>()?, [1, 2, 3, 5, 6, 7]);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
///
/// # Errors
/// [`Error::Inexpressible`] without arrays; [`Error::Axis`]; [`Error::Slice`] with the number of the first whose dtype,
/// device or shape (beside `axis`) is not that of the first; [`Error::Layout`] for more elements than can be addressed; out
/// of memory; the driver's refusal.
#[track_caller]
pub fn concatenate(parts: &[impl AsView], axis: impl Into<Axis>) -> Result<Array> {
    let parts: Vec<View<'_>> = parts.iter().map(AsView::as_view).collect();
    let Some(first) = parts.first() else {
        let what = "without arrays there is neither shape nor dtype";
        return Err(Error::Inexpressible { operation: OPERATION, what: what.into() });
    };
    let (axis, _) = first.layout().extent_of(OPERATION, axis.into())?;
    let mut shape = first.shape().to_vec();
    shape[axis] = 0;
    for (index, part) in parts.iter().enumerate() {
        agree(first, part, axis).map_err(|error| Error::Slice { index, error: error.into() })?;
        // Arrays without elements may claim any extents.
        shape[axis] = shape[axis].checked_add(part.shape()[axis]).ok_or_else(|| {
            let why = format!("more elements along axis {axis} than can be counted");
            wrong(OPERATION, first.shape(), &[], why)
        })?;
    }
    let stream = first.device().stream()?;
    let mut whole = Array::empty_for(OPERATION, &shape, first.dtype(), &stream)?;
    let mut at = 0;
    for part in &parts {
        let len = part.shape()[axis];
        between::copy(part, &mut whole.view_mut().sliced(axis, at, len)?, &stream)?;
        at += len;
    }
    Ok(whole)
}

/// Fails unless a part fits beside the first one.
fn agree(first: &View<'_>, part: &View<'_>, axis: usize) -> Result<()> {
    let operation = OPERATION;
    let beside = |view: &View<'_>| {
        let extents = view.shape().iter().enumerate();
        extents.filter(|(at, _)| *at != axis).map(|(_, extent)| *extent).collect::<Vec<_>>()
    };
    if part.dtype() != first.dtype() {
        let (expected, found) = (first.dtype(), part.dtype());
        return Err(Error::DType { operation, expected, found });
    }
    if part.device() != first.device() {
        let (expected, found) = (first.device(), part.device());
        return Err(Error::WrongDevice { operation, argument: "array", expected, found });
    }
    if part.shape().len() != first.shape().len() || beside(part) != beside(first) {
        let mut expected = first.shape().to_vec();
        // Along the axis any extent will do, the part's own too.
        if part.shape().len() == expected.len() {
            expected[axis] = part.shape()[axis];
        }
        return Err(Error::Shape { operation, expected, found: part.shape().to_vec() });
    }
    Ok(())
}
