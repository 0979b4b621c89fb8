//! The change of dtype on the way.

use super::{ConvertOptions, ConvertStep, ConvertSteps, FailedConversion, Imported, Route};
use crate::{Conversion, Crossing, DType, Error, Scale, Transfer, Why};

impl ConvertOptions {
    /// The dtype that an array of `found` will have.
    pub(super) fn dtype_of(&self, found: DType) -> DType {
        self.dtype.map_or(found, |(dtype, _)| dtype)
    }
}

/// The array as the dtype asked for. Converted where it is; where it is to go unless that is the CPU, if its
/// elements grow, so that fewer bytes cross.
pub(super) fn converted<'a>(
    array: Imported<'a>,
    options: &ConvertOptions,
    route: &Route<'_>,
    steps: &mut ConvertSteps,
) -> Result<Imported<'a>, FailedConversion<'a>> {
    let Some((dtype, conversion)) = options.dtype else { return Ok(array) };
    if array.dtype() == dtype && conversion.scale == Scale::None {
        return Ok(array);
    }
    let bytes = match array.layout().bytes("convert", dtype) {
        Ok(bytes) => bytes,
        Err(error) => return Err(FailedConversion::with(error, array)),
    };
    let why = Why::OtherDType;
    if route.transfer() == Transfer::ZeroCopyOnly {
        let refused = Error::CopyRefused { operation: "convert", why, bytes };
        return Err(FailedConversion::with(refused, array));
    }
    let moves = array.device() != route.device() && !route.device().is_cpu();
    let array = if moves && dtype.bytes() > array.dtype().bytes() {
        array.shared(route, steps)?.into()
    } else {
        array
    };
    match run(&array, dtype, &conversion, options) {
        Ok(converted) => {
            steps.record(ConvertStep::Conversion, Crossing::Copied { why, bytes });
            Ok(converted)
        }
        Err(error) => Err(FailedConversion::with(error, array)),
    }
}

fn run<'a>(
    array: &Imported<'_>,
    dtype: DType,
    conversion: &Conversion,
    options: &ConvertOptions,
) -> crate::Result<Imported<'a>> {
    let device = array.device();
    let stream = options.stream_of(device).map_or_else(|| device.stream(), |s| Ok(s.clone()))?;
    Ok(array.view().convert(dtype, conversion, &stream)?.into())
}
