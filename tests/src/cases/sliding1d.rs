//! `Sliding1D`: tapers of every kind and none, windows that touch, leave a rest, are alone, or have one sample; a transform within.

use arrayspan_bridge::DType;
use arrayspan_operators::taper::Ramp;
use arrayspan_operators::{
    FFT, FourierAxis, FourierNorm, Operator, Result, Sliding1D, Spectrum, adjoint,
};

use super::space;
use super::windowed::{TAPERED, Windowed};
use crate::suite::{Case, Cell, Moves};

/// The operator within on all windows, and one launch that adds them up.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let seven = Windowed { shape: &[15], windows: &[(7, 3)], columns: 4, ..TAPERED };
    let of = |taper| Windowed { taper, ..seven };
    let rest = Windowed { shape: &[11], windows: &[(4, 2)], ..TAPERED };
    let alone = Windowed { shape: &[7], windows: &[(5, 2)], ..TAPERED };
    let apart = Windowed { shape: &[13], windows: &[(3, 0)], ..TAPERED };
    let ones = Windowed { shape: &[13], windows: &[(1, 0)], columns: 1, ..TAPERED };
    vec![
        seven.case(dtype, make, Some("sliding1d/tapered")),
        of(Some(Ramp::CosineSquared)).case(dtype, make, Some("sliding1d/squared")),
        of(Some(Ramp::SquareRootCosine)).case(dtype, make, Some("sliding1d/square_root")),
        of(None).case(dtype, make, Some("sliding1d/untapered")),
        rest.case(dtype, make, Some("sliding1d/rest")),
        apart.case(dtype, make, Some("sliding1d/apart")),
        alone.case(dtype, make, Some("sliding1d/alone")),
        ones.case(dtype, make, None),
        from_spectra(dtype),
    ]
}

fn make(inner: Operator, windowed: Windowed) -> Result<Operator> {
    Sliding1D::new(inner, windowed.shape[0], windowed.along(0))
}

/// From spectra of windows, complex, to data of the dtype.
fn from_spectra(dtype: DType) -> Case {
    let shared = Windowed { shape: &[8], windows: &[(5, 4)], taper: None, ..TAPERED };
    let make = move |cell: &Cell| {
        let complex = cell.dtype.is_complex();
        let spectrum = if complex { Spectrum::Full } else { Spectrum::Half };
        let axis = FourierAxis::new(0);
        let window = FFT::new(space(cell, &[5])?, axis, spectrum, FourierNorm::Ortho)?;
        Sliding1D::new(adjoint(&window), 8, shared.along(0))
    };
    let [added, taken] = shared.added(dtype);
    let (models, data) = if dtype.is_complex() { (4 * 5, 4 * 5) } else { (4 * 3, 4 * 5) };
    // Values are those of what is read and of what is written: of real data bins are two each, and two data are as long as a bin.
    let half = if dtype.is_complex() { 1 } else { 2 };
    let forward = Moves { read: models + data / half, ..Moves::one(models, data).then(added) };
    let back = taken.then(Moves::one(data, models));
    let back = Moves { written: data / half + models, ..back };
    Case::new("from half spectra, most shared", make).moves(forward, back)
}
