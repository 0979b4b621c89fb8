//! From any kind of array to any other, and several arrays as one.

use arrayspan::bridge::{
    Conversion, Crossing, LentArray, Overflow, Rounding, Scale, SharedArray, Transfer, View, Why,
    stack,
};
use arrayspan::devices::{Device, DeviceKind};
use pyo3::prelude::*;

use crate::array::PyArray;
use crate::clesperanto;
use crate::constructors::choice::Choice;
use crate::conversion::{Scaling, rules};
use crate::create;
use crate::device::OnDevice;
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::incoming;
use crate::integer::integer;
use crate::kind::Kind;
use crate::owner::Owner;

/// How an array is converted.
struct Wanted {
    device: Device,
    dtype: Option<Named>,
    conversion: Conversion,
    transfer: Transfer,
    /// What arrays are that the library can have without a copy; of slices that is seen for each.
    fit: Option<Kind>,
}

/// The device that a library's array is to be on.
fn place(
    kind: &str,
    here: Device,
    gpu_id: Option<usize>,
    device: Option<OnDevice>,
) -> Result<Device> {
    if let Some(device) = device {
        return Ok(device.0);
    }
    let of = match (kind, gpu_id) {
        ("numpy", None | Some(0)) => return Ok(Device::cpu()),
        ("numpy", Some(gpu_id)) => {
            let why = format!("convert: NumPy's arrays are on the CPU, not on GPU {gpu_id}");
            return Ok(refuse(Class::Parameter, why)?);
        }
        ("cupy", _) => DeviceKind::Cuda,
        (_, Some(_)) if here.is_cpu() => DeviceKind::Cuda,
        _ => here.kind(),
    };
    match gpu_id {
        None if of == here.kind() => Ok(here),
        gpu_id => Ok(Device::new(of, gpu_id.unwrap_or(0))?),
    }
}

impl Wanted {
    /// The array where and as it is wanted, and what was copied for that.
    fn apply(
        &self,
        (mut array, owner): (SharedArray, Owner),
    ) -> Result<(SharedArray, Vec<Crossing>)> {
        let mut copies = Vec::new();
        let source = array.memory().clone();
        if array.device() != self.device {
            let lent = LentArray::from(array);
            let (moved, crossing) = lent.view().to_with(
                self.device,
                self.transfer,
                &stream(lent.device(), self.device)?,
            )?;
            copies.push(crossing);
            array = moved.into_shared();
        }
        let dtype = self.dtype.as_ref().map_or(array.dtype(), |dtype| dtype.0);
        if dtype != array.dtype() || self.conversion.scale != Scale::None {
            let bytes = array.layout().len() * dtype.bytes();
            let why = if dtype == array.dtype() { Why::Asked } else { Why::OtherDType };
            copies.push(self.transfer.copy("convert", why, bytes)?);
            let (stream, lent) = (array.device().stream()?, LentArray::from(array));
            array = lent.view().convert(dtype, &self.conversion, &stream)?.into_shared();
        }
        if let Some(why) = self.fit.as_ref().and_then(|kind| kind.misfit(&array)) {
            let (copy, crossing) = Kind::fitted(array, why, self.transfer)?;
            copies.push(crossing);
            array = copy;
        }
        // Whoever has what was copied may write it as soon as the call returns.
        if !copies.is_empty() {
            owner.settle(&source)?;
        }
        Ok((array, copies))
    }
}

/// The stream between two devices: that of the one which is not the CPU.
fn stream(from: Device, to: Device) -> Result<arrayspan::devices::Stream> {
    Ok(if to.is_cpu() { from.stream()? } else { to.stream()? })
}

/// An array as one of the library that is named (``"numpy"``, ``"torch"``, ``"cupy"``, ``"jax"``, ``"tensorflow"``, ``"arrayspan"``, or ``"pyclesperanto"``, which is always a copy through
/// memory of the host), on the GPU with a number or on
/// a ``device``, with a ``dtype``; without a copy where that is possible. With ``zero_copy`` a copy is an error, and with ``report`` the result comes
/// with a list of the copies that were made.
///
/// A number that the dtype cannot hold wraps (``overflow="wrap"``: integers keep their lowest bits, floats become infinite), becomes the nearest one
/// that there is (``"saturate"``) or is a ``DTypeError``, as is every one that is not held exactly (``"exact"``). Integers take fractions by ``rounding``: ``"nearest-even"``,
/// ``"nearest-away"``, ``"toward-zero"``, ``"down"`` or ``"up"``. With a ``scale`` numbers are scaled before, also where the dtype stays: from
/// the least and the largest one (``"minmax"``) or from ``(low, high)``, to all the integers of the dtype, or to 0 and 1. What ``overflow`` is by default is ``"wrap"``,
/// and ``"saturate"`` with a ``scale``: the ends of a range may be rounded to numbers beyond it.
#[pyfunction]
#[pyo3(
    signature = (x, kind, gpu_id=None, *, device=None, dtype=None, overflow=None, rounding=Choice(Rounding::NearestEven), scale=None, zero_copy=false, report=false),
    text_signature = "(x, kind, gpu_id=None, *, device=None, dtype=None, overflow=None, rounding='nearest-even', scale=None, zero_copy=False, report=False)"
)]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    kind: &str,
    #[pyo3(from_py_with = integer)] gpu_id: Option<usize>,
    device: Option<OnDevice>,
    dtype: Option<Named>,
    overflow: Option<Choice<Overflow>>,
    rounding: Choice<Rounding>,
    scale: Option<Scaling>,
    zero_copy: bool,
    report: bool,
) -> Result<Bound<'py, PyAny>> {
    let transfer = if zero_copy { Transfer::ZeroCopyOnly } else { Transfer::CopyIfNeeded };
    let to = if kind == clesperanto::NAME { None } else { Some(Kind::by_name(py, kind)?) };
    let from = clesperanto::is_array(x)?;
    let conversion = rules(overflow, rounding, scale);
    let as_it_is = dtype.is_none() && conversion.scale == Scale::None;
    if from && to.is_none() && gpu_id.is_none() && device.is_none() && as_it_is {
        let same = x.clone();
        return if report {
            Ok((same, Vec::<String>::new()).into_pyobject(py)?.into_any())
        } else {
            Ok(same)
        };
    }
    let mut copies = Vec::new();
    let taken = if from {
        let (array, crossing) = clesperanto::pulled(x, transfer)?;
        copies.push(crossing);
        (array, Owner::Nobody)
    } else {
        create::taken(x)?
    };
    let device = match &to {
        Some(_) => place(kind, taken.0.device(), gpu_id, device)?,
        None if gpu_id.is_none() && device.is_none() => Device::cpu(),
        None => {
            let why =
                "convert: pyclesperanto's arrays are on the device that its select_device chooses";
            return Ok(refuse(Class::Parameter, why)?);
        }
    };
    let wanted = Wanted { device, dtype, conversion, transfer, fit: to.clone() };
    let (array, further) = py.detach(|| wanted.apply(taken))?;
    copies.extend(further);
    let result = if let Some(to) = to {
        copies.extend(to.own_copy(&array, transfer)?);
        to.give_shared(py, array)?
    } else {
        let (result, crossing) = clesperanto::pushed(py, array, transfer)?;
        copies.push(crossing);
        result
    };
    if !report {
        return Ok(result);
    }
    let copies: Vec<String> = copies.iter().map(ToString::to_string).collect();
    Ok((result, copies).into_pyobject(py)?.into_any())
}

/// Arrays of one shape and dtype, of any kind and from any device, as one with a new axis: of the library and on the GPU that are named, as for ``convert``.
#[pyfunction]
#[pyo3(signature = (slices, kind, gpu_id=None, *, axis=0, device=None))]
pub(crate) fn stack_slices<'py>(
    py: Python<'py>,
    slices: Vec<Bound<'py, PyAny>>,
    kind: &str,
    #[pyo3(from_py_with = integer)] gpu_id: Option<usize>,
    #[pyo3(from_py_with = integer)] axis: isize,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let to = Kind::by_name(py, kind)?;
    let number = |at: usize| format!("slice {at}");
    let given: Vec<_> = slices
        .iter()
        .enumerate()
        .map(|(at, slice)| incoming::read(slice, &number(at)))
        .collect::<Result<_>>()?;
    let here = given.first().map_or_else(Device::cpu, incoming::Given::device);
    let device = place(kind, here, gpu_id, device)?;
    let whole = py.detach(|| -> Result<_> {
        let views: Vec<View<'_>> = given.iter().map(incoming::Given::view).collect();
        let stream = stream(here, device)?;
        let (whole, _) = stack(&views, axis, device, &stream)?;
        given.iter().try_for_each(incoming::Given::settle)?;
        Ok(whole)
    })?;
    to.give(py, whole)
}

/// The slices of an array along an axis, which is gone in them: each of the library and on the GPU that are named, as for ``convert``, and without a copy where that is
/// possible.
#[pyfunction]
#[pyo3(signature = (array, kind, gpu_id=None, *, axis=0, device=None))]
pub(crate) fn unstack_slices<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    kind: &str,
    #[pyo3(from_py_with = integer)] gpu_id: Option<usize>,
    #[pyo3(from_py_with = integer)] axis: isize,
    device: Option<OnDevice>,
) -> Result<Vec<Bound<'py, PyAny>>> {
    let to = Kind::by_name(py, kind)?;
    let taken = create::taken(array)?;
    let device = place(kind, taken.0.device(), gpu_id, device)?;
    let transfer = Transfer::CopyIfNeeded;
    let conversion = Conversion::WRAP;
    let wanted = Wanted { device, dtype: None, conversion, transfer, fit: None };
    let (array, _) = py.detach(|| wanted.apply(taken))?;
    let slices = array.unstack(axis)?;
    slices.into_iter().map(|slice| to.give_shared(py, slice)).collect()
}

/// Which library's array an object is, by the names that ``convert`` takes; ``None`` of what is no array.
#[pyfunction]
pub(crate) fn kind_of(x: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if x.cast::<PyArray>().is_ok() {
        return Ok(Some("arrayspan".to_owned()));
    }
    if clesperanto::is_array(x)? {
        return Ok(Some(clesperanto::NAME.to_owned()));
    }
    if !crate::numpy::is_array(x) && !crate::protocol::is_spoken_by(x)? {
        return Ok(None);
    }
    let module = x.get_type().module()?;
    let root = module.to_str()?.split('.').next().unwrap_or_default().to_owned();
    Ok(Some(if root == "jaxlib" { "jax".to_owned() } else { root }))
}
