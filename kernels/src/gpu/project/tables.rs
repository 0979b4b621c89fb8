//! The table of a projection in a device's memory.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Stream;
use num_complex::Complex64;

use super::super::tables::{Uploaded, send, weights};
use crate::projection::Paths;
use crate::{Projection, Result};

/// Copies a table to `stream`'s device, with real numbers of that dtype.
pub(in crate::gpu) fn upload(
    projection: &Projection,
    dtype: DType,
    stream: &Stream,
) -> Result<Uploaded> {
    let real = |numbers: &mut dyn Iterator<Item = f64>| {
        let numbers: Vec<Complex64> = numbers.map(Complex64::from).collect();
        weights(numbers.into_iter(), dtype, false, stream)
    };
    let (places, numbers) = match &projection.curves().paths {
        Paths::Shifts { whole, fraction } => {
            (send(whole.iter().copied(), stream)?, real(&mut fraction.iter().copied())?)
        }
        Paths::Hyperbolas { whole, fraction, .. } => {
            (send(whole.iter().copied(), stream)?, real(&mut fraction.iter().copied())?)
        }
        Paths::Straight { start, slope, weight, inverse, .. } => {
            let inverse = inverse.iter().flatten().copied();
            let places = start.iter().chain(slope).copied();
            (send(places, stream)?, real(&mut weight.iter().copied().chain(inverse))?)
        }
    };
    Ok(Arc::new((places, numbers)))
}
