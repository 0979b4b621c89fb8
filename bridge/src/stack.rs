//! Several arrays as one, one as several, and functions slice by slice.

use arrayspan_devices::{Device, Stream};

use crate::copy::streams::{expect_stream, stream_between, stream_of};
use crate::copy::{self, between};
use crate::{
    Array, AsView, Axis, Crossing, DType, Error, Relayout, Result, SharedArray, View, ViewMut, Why,
};

/// Arrays of one shape and dtype, from whatever devices, as one on `device` with a new axis: of shape `s` before it,
/// slice `i` of the result is `slices[i]`; axis -1 comes after all of theirs. One allocation, and each slice is copied once. Says how each crossed.
///
/// Enqueued on `stream`, one of `device` or of all the slices' devices; waits as [`View::to_with`] does.
///
/// # Errors
/// [`Error::Inexpressible`] without slices; [`Error::Axis`] for an axis above their rank; [`Error::Slice`] with the
/// number of the first whose shape or dtype is not that of the first; [`Error::WrongDevice`] for a stream of a device
/// that is neither `device` nor a slice's; out of memory; the driver's refusal.
///
/// ```
/// use arrayspan_bridge::{Array, devices::Device, stack};
///
/// let rows = [[1_i32, 2, 3], [4, 5, 6]].map(|row| Array::from_slice(&row, [3]));
/// let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let cpu = Device::cpu();
/// let (columns, _) = stack(&rows, 1, cpu, &cpu.stream()?)?;
/// assert_eq!(columns.view().as_slice::<i32>()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
#[track_caller]
pub fn stack(
    slices: &[impl AsView],
    axis: impl Into<Axis>,
    device: Device,
    stream: &Stream,
) -> Result<(Array, Vec<Crossing>)> {
    let slices: Vec<View<'_>> = slices.iter().map(AsView::as_view).collect();
    let Some(first) = slices.first() else {
        let what = "without slices there is neither shape nor dtype";
        return Err(Error::Inexpressible { operation: OPERATION, what: what.into() });
    };
    for slice in &slices {
        expect_stream(OPERATION, stream, [device, slice.device()])?;
    }
    let axis = new_axis(axis.into(), first.shape().len())?;
    let mut whole = Whole::new(first.shape(), first.dtype(), axis, slices.len(), device, stream)?;
    for (index, slice) in slices.iter().enumerate() {
        whole.expect(index, slice)?;
    }
    if copy::stack::stack(&slices, whole.array.view_mut(), axis, stream)? {
        let bytes = first.layout().bytes(OPERATION, first.dtype())?;
        let crossing = Crossing::Copied { why: Why::Borrowed, bytes };
        return Ok((whole.array, vec![crossing; slices.len()]));
    }
    let mut crossings = Vec::with_capacity(slices.len());
    for (index, slice) in slices.iter().enumerate() {
        crossings.push(whole.put(index, slice, stream)?);
    }
    Ok((whole.array, crossings))
}

/// Applies a function to each slice of `array` along `axis`, and stacks the results along the same axis, on the
/// device they are on. They may have another shape and dtype than the slices, but all the same.
///
/// Results are copied into place as they come, on the default stream of the device that is not the CPU, so that only
/// one is held beside the whole.
///
/// # Errors
/// [`Error::Axis`]; [`Error::Inexpressible`] without slices; [`Error::Slice`] with the number of the first result that
/// differs from the first; those of the function.
pub fn apply_slices<E: From<Error>>(
    array: impl AsView,
    axis: impl Into<Axis>,
    mut function: impl FnMut(View<'_>) -> Result<Array, E>,
) -> Result<Array, E> {
    let (mut whole, given): (Option<Whole>, Axis) = (None, axis.into());
    let slices = array.as_view().unstack(given)?;
    let count = slices.len();
    for (index, slice) in slices.into_iter().enumerate() {
        let result = function(slice)?;
        let stream = stream_between(result.device(), result.device())?;
        let (shape, dtype) = (result.shape(), result.dtype());
        let axis = new_axis(given, shape.len())?;
        let whole = match &mut whole {
            Some(whole) => whole,
            none => none.insert(Whole::new(shape, dtype, axis, count, result.device(), &stream)?),
        };
        whole.expect(index, &result.view())?;
        let device = whole.array.device();
        whole.put(index, &result.view(), &stream_between(result.device(), device)?)?;
    }
    let what = "without slices there is neither shape nor dtype";
    let none = || Error::Inexpressible { operation: "apply_slices", what: what.into() };
    Ok(whole.ok_or_else(none)?.array)
}

const OPERATION: &str = "stack";
const UNSTACK: &str = "unstack";

/// The number of the axis that slices of a rank get, the last one being that after all of theirs.
fn new_axis(axis: Axis, rank: usize) -> Result<usize> {
    let (operation, rank) = (OPERATION, rank + 1);
    axis.of(rank).ok_or(Error::Axis { operation, axis: axis.number(), rank })
}

/// A stack that is being filled.
struct Whole {
    array: Array,
    axis: usize,
    /// Shape of a slice.
    shape: Vec<usize>,
}

impl Whole {
    #[track_caller]
    fn new(
        shape: &[usize],
        dtype: DType,
        axis: usize,
        count: usize,
        device: Device,
        stream: &Stream,
    ) -> Result<Self> {
        let mut whole = shape.to_vec();
        whole.insert(axis, count);
        let array = Array::empty_for(OPERATION, &whole, dtype, &stream_of(device, stream)?)?;
        Ok(Self { array, axis, shape: shape.to_vec() })
    }

    /// Fails unless a slice has the shape and the dtype of the others.
    fn expect(&self, index: usize, slice: &View<'_>) -> Result<()> {
        let operation = OPERATION;
        let error = if slice.shape() != self.shape {
            let (expected, found) = (self.shape.clone(), slice.shape().to_vec());
            Error::Shape { operation, expected, found }
        } else if slice.dtype() != self.array.dtype() {
            let (expected, found) = (self.array.dtype(), slice.dtype());
            Error::DType { operation, expected, found }
        } else {
            return Ok(());
        };
        Err(Error::Slice { index, error: error.into() })
    }

    fn put(&mut self, index: usize, slice: &View<'_>, stream: &Stream) -> Result<Crossing> {
        let device = self.array.device();
        let why = if slice.device() == device { Why::Borrowed } else { Why::OtherDevice };
        let bytes = slice.layout().bytes(OPERATION, slice.dtype())?;
        between::copy(slice, &mut self.array.view_mut().selected(self.axis, index)?, stream)?;
        Ok(Crossing::Copied { why, bytes })
    }
}

impl<'a> View<'a> {
    /// The slices along an axis, which is gone in them. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn unstack(self, axis: impl Into<Axis>) -> Result<Vec<View<'a>>> {
        let (axis, extent) = self.layout().extent_of(UNSTACK, axis.into())?;
        (0..extent).map(|index| self.clone().selected(axis, index)).collect()
    }
}

impl SharedArray {
    /// The slices along an axis, which is gone in them. They share the memory; nothing is copied.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn unstack(self, axis: impl Into<Axis>) -> Result<Vec<SharedArray>> {
        let (axis, extent) = self.layout().extent_of(UNSTACK, axis.into())?;
        (0..extent).map(|index| self.clone().selected(axis, index)).collect()
    }
}

impl Array {
    /// The slices along an axis, which is gone in them. They share the memory and so can only be read; to write them,
    /// unstack a [`ViewMut`]. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn unstack(self, axis: impl Into<Axis>) -> Result<Vec<SharedArray>> {
        self.into_shared().unstack(axis)
    }
}

impl<'a> ViewMut<'a> {
    /// The slices along an axis, which is gone in them, each to be written by its holder. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::Axis`].
    pub fn unstack(self, axis: impl Into<Axis>) -> Result<Vec<ViewMut<'a>>> {
        let mut slices = Vec::new();
        let (axis, extent) = self.layout().extent_of(UNSTACK, axis.into())?;
        let mut rest = self;
        for _ in 0..extent {
            let (first, others) = rest.split_at(axis, 1)?;
            slices.push(first.selected(axis, 0)?);
            rest = others;
        }
        Ok(slices)
    }
}
