//! `NonStationaryConvolve3D`: several places along all axes, one along some.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolution, NonStationaryConvolve3D};

use super::non_stationary::Axis;
use super::non_stationary_convolve2d::moves;
use super::{golden_array, space};
use crate::suite::{Case, Cell, Values};

/// In one pass; windows, their spectra, the filters' ones, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let axis = |extent, places, taps, points| Axis { extent, places, taps, points };
    let several = [axis(5, &[1, 3], 3, 5), axis(4, &[0, 2], 1, 3), axis(11, &[2, 5, 8], 3, 7)];
    let key = "non_stationary_convolve3d/several";
    let golden = |method| {
        case(dtype, several, method, |cell| golden_array(cell, key, "filters")).golden(key)
    };
    let flat = [axis(1, &[0], 1, 1), axis(4, &[1, 3], 3, 5), axis(5, &[2], 3, 7)];
    vec![
        golden(Convolution::Direct),
        golden(Convolution::Fourier),
        case(dtype, flat, Convolution::Auto, |cell| {
            Ok(Values::random(&space(cell, &[1, 2, 1, 1, 3, 3])?, 21))
        }),
    ]
}

fn case(
    dtype: DType,
    axes: [Axis; 3],
    method: Convolution,
    filters: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let name = format!("{axes:?}, {method:?}");
    let make = move |cell: &Cell| {
        let filters = cell.array(&filters(cell)?)?.into_shared();
        let shape = axes.map(|axis| axis.extent);
        let places = axes.map(|axis| axis.places);
        NonStationaryConvolve3D::by(space(cell, &shape)?, filters, places, method)
    };
    let [forward, adjoint] = moves(dtype, &axes, method);
    Case::new(name, make).moves(forward, adjoint)
}
