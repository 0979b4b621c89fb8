//! One call from any array to any other.
//!
//! [`convert`] takes an array of any library ([`ArraySource`]: ours, ndarray, torch, cudarc, opencl3, `DLPack`) and
//! gives one of any other ([`ArrayTarget`], made by the functions of [`to`]), on the device asked for, with a
//! [`ConvertReport`] of every copy. What is handed over without a copy keeps its address; nothing goes to a device
//! that was not asked for.
//!
//! ```
//! use arrayspan_bridge::convert::{ConvertOptions, convert, to};
//! use ndarray::{Ix2, array};
//!
//! let section = array![[1.0_f32, 2.0], [3.0, 4.0]];
//! let (capsule, report) = convert(section, to::dlpack::<to::Versioned>(), ConvertOptions::zero_copy())?;
//! assert!(report.is_zero_copy());
//!
//! let (section, report) = convert(capsule, to::ndarray::<f32, Ix2>(), ConvertOptions::default())?;
//! assert_eq!(section[[1, 0]], 3.0);
//! assert_eq!(report.bytes_copied(), 16); // DLPack does not say that it was a Vec
//! println!("{report}");
//! # Ok::<(), arrayspan_bridge::Error>(())
//! ```

mod arrival;
mod dtype;
mod failed;
mod imported;
mod kind;
mod kind_any;
mod kinds;
mod options;
mod report;
mod route;
mod source;
mod target;
pub mod to;

use arrayspan_devices::Device;

pub use failed::FailedConversion;
pub use imported::Imported;
pub use kind::ArrayKind;
pub use kind_any::kind_of_any;
pub use options::ConvertOptions;
pub use report::{ConvertReport, ConvertStep, ConvertSteps};
pub use route::Route;
pub use source::{ArraySource, kind_of};
pub use target::ArrayTarget;

use crate::{Crossing, Error, Result};

/// Converts `x` to `target`, and reports how.
///
/// Enqueued where devices are involved; the host waits only where the target is read by the host or knows
/// no order (an ndarray, a `DLPack` capsule without a stream), and for work on what is only borrowed.
///
/// # Errors
/// [`NoSuchDevice`](arrayspan_devices::Error::NoSuchDevice) for a `gpu_id` out of range;
/// [`Error::WrongDevice`] for a stream of a third device; [`Error::DType`] where the target has another; those of [`View::convert`](crate::View::convert) where the
/// dtype changes;
/// [`Error::CopyRefused`] under [`ZeroCopyOnly`](crate::Transfer::ZeroCopyOnly), before anything is copied; what source
/// and target themselves refuse. `x` is dropped then; see [`try_convert`].
#[allow(clippy::needless_pass_by_value, reason = "values are written where they are passed")]
pub fn convert<S: ArraySource, T: ArrayTarget>(
    x: S,
    target: T,
    options: ConvertOptions,
) -> Result<(T::Output, ConvertReport)> {
    convert_imported::<S, T>(x, &target, &options).map_err(|refused| refused.error)
}

/// As [`convert`], and gives `x` back where it was refused and can be: always before it was looked at; for
/// owned values also later, if nothing was copied and their library lets them return.
///
/// # Errors
/// Those of [`convert`], with `x`.
#[allow(clippy::needless_pass_by_value, reason = "values are written where they are passed")]
pub fn try_convert<S: ArraySource, T: ArrayTarget>(
    x: S,
    target: T,
    options: ConvertOptions,
) -> Result<(T::Output, ConvertReport), (Error, Option<S>)> {
    if let Err(error) = check(&target, &options) {
        return Err((error, Some(x)));
    }
    convert_imported::<S, T>(x, &target, &options)
        .map_err(|refused| (refused.error, refused.back.and_then(|back| S::recover(*back))))
}

fn convert_imported<'a, S: ArraySource + 'a, T: ArrayTarget>(
    x: S,
    target: &T,
    options: &ConvertOptions,
) -> Result<(T::Output, ConvertReport), FailedConversion<'a>> {
    check(target, options)?;
    run(S::KIND, x.import(options)?, target, options)
}

/// Whether there is the device asked for, as far as that can be said without the array.
fn check<T: ArrayTarget>(target: &T, options: &ConvertOptions) -> Result<()> {
    if let (Some(kind), Some(gpu_id)) = (target.place(), options.gpu_id) {
        Device::new(kind, gpu_id)?;
    }
    Ok(())
}

/// The device that an array on `from` goes to.
pub(crate) fn destination<T: ArrayTarget>(
    target: &T,
    options: &ConvertOptions,
    from: Device,
) -> Result<Device> {
    let kind = target.place().unwrap_or(from.kind());
    Ok(match options.gpu_id {
        None if kind == from.kind() => from,
        gpu_id => Device::new(kind, gpu_id.unwrap_or(0))?,
    })
}

/// Converts what a library has handed over.
pub(crate) fn run<'a, T: ArrayTarget>(
    from: ArrayKind,
    array: Imported<'a>,
    target: &T,
    options: &ConvertOptions,
) -> Result<(T::Output, ConvertReport), FailedConversion<'a>> {
    let (from_device, from_dtype) = (array.device(), array.dtype());
    let route = match plan(&array, target, options) {
        Ok(route) => route,
        Err(error) => return Err(FailedConversion::with(error, array)),
    };
    // Also what goes on inside, where no stream can be named, is queued on the one asked for.
    let _default = options.stream.as_ref().map(arrayspan_devices::Stream::as_default);
    let mut steps = ConvertSteps::default();
    if array.crossing() != Crossing::ZeroCopy {
        steps.record(ConvertStep::Import, array.crossing());
    }
    let output = dtype::converted(array, options, &route, &mut steps)
        .and_then(|array| target.export(array, &route, &mut steps))
        .map_err(|refused| FailedConversion {
            back: refused.back.filter(|_| steps.is_zero_copy()),
            ..refused
        })?;
    steps.zero_copy(ConvertStep::Import);
    steps.zero_copy(ConvertStep::Export);
    let (to, to_device, to_dtype) = (T::KIND, route.device(), options.dtype_of(from_dtype));
    let report = ConvertReport { from, to, from_device, to_device, from_dtype, to_dtype, steps };
    tracing::debug!(%report, "converted");
    Ok((output, report))
}

/// Where the array goes, once that is known to be possible.
fn plan<'o, T: ArrayTarget>(
    array: &Imported<'_>,
    target: &T,
    options: &'o ConvertOptions,
) -> Result<Route<'o>> {
    let to = destination(target, options, array.device())?;
    let stream = options.stream.as_ref();
    if let Some(found) = stream.map(arrayspan_devices::Stream::device)
        && found != to
        && found != array.device()
    {
        let (operation, argument) = ("convert", "stream");
        return Err(Error::WrongDevice { operation, argument, expected: to, found });
    }
    target.accept(array.layout(), options.dtype_of(array.dtype()), to)?;
    Ok(Route::new(to, stream, options.transfer))
}
