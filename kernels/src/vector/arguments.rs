//! What the arrays of an elementwise value have in common.

use std::borrow::Cow;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{DType, Elementwise, View};

use crate::verb::check;
use crate::{Error, Result};

/// The arrays, if there are any.
pub(super) fn arrays<'v>(
    operation: &'static str,
    value: &'v Elementwise<'_>,
) -> Result<Cow<'v, [View<'v>]>> {
    if value.expression().reads_previous() {
        let why = "it reads the output, which only an update in place has";
        return check::argument(operation, why);
    }
    let inputs = value.inputs();
    if inputs.is_empty() {
        return check::argument(operation, "there is no array, only numbers");
    }
    Ok(inputs)
}

/// The device of an array, on which the others have to be, too.
pub(super) fn device(operation: &'static str, value: &Elementwise<'_>) -> Result<Device> {
    one_device(operation, &arrays(operation, value)?)
}

/// The device of all arrays.
pub(super) fn one_device(operation: &'static str, inputs: &[View<'_>]) -> Result<Device> {
    let expected = inputs[0].device();
    match inputs.iter().find(|view| view.device() != expected) {
        None => Ok(expected),
        Some(view) => {
            let (argument, found) = (named(view), view.device());
            Err(Error::Apart { verb: operation, argument, expected, found })
        }
    }
}

/// Fails unless all arrays are on the device.
pub(super) fn expect_device(
    operation: &'static str,
    expected: Device,
    inputs: &[View<'_>],
) -> Result<()> {
    match inputs.iter().find(|view| view.device() != expected) {
        None => Ok(()),
        Some(view) => {
            let (argument, found) = (named(view), view.device());
            Err(Error::WrongDevice { verb: operation, argument, expected, found })
        }
    }
}

fn named(view: &View<'_>) -> String {
    format!("an array of shape {:?} and dtype {}", view.shape(), view.dtype())
}

/// The dtype of the result: the one beside which every other is that of single numbers, real and at least as wide.
pub(super) fn dtype(operation: &'static str, inputs: &[View<'_>]) -> Result<DType> {
    let first = inputs[0].dtype();
    let Some(other) = inputs.iter().find(|view| view.dtype() != first) else {
        return Ok(first);
    };
    let fits = |dtype: DType| {
        inputs.iter().all(|view| view.dtype() == dtype || crate::verb::is_wider(view, dtype))
    };
    let found = inputs.iter().map(View::dtype).find(|&dtype| fits(dtype));
    found.ok_or_else(|| Error::DType {
        verb: operation,
        argument: format!("an array of shape {:?}", other.shape()),
        expected: first,
        found: other.dtype(),
    })
}

/// The shape to which all arrays broadcast, beside those of another dtype, which are single numbers.
pub(super) fn shape<'v>(
    operation: &'static str,
    inputs: &'v [View<'_>],
    dtype: DType,
) -> Result<Cow<'v, [usize]>> {
    let mut elements = inputs.iter().filter(|view| view.dtype() == dtype);
    let mut shape = Cow::Borrowed(elements.next().map_or(&[][..], View::shape));
    for view in elements {
        if view.shape() != &*shape {
            shape = Cow::Owned(together(operation, &shape, view.shape())?);
        }
    }
    Ok(shape)
}

/// The shape to which arrays of both shapes broadcast.
fn together(operation: &'static str, a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut shape = long.to_vec();
    let added = long.len() - short.len();
    for (extent, &other) in shape[added..].iter_mut().zip(short) {
        match (*extent, other) {
            (1, other) => *extent = other,
            (extent, other) if extent == other || other == 1 => {}
            _ => {
                let (argument, expected, found) = ("an array".into(), a.to_vec(), b.to_vec());
                return Err(Error::Shape { verb: operation, argument, expected, found });
            }
        }
    }
    Ok(shape)
}
