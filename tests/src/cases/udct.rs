//! `UDCT`: two and three axes, scales, wedges, overlaps and radii, axes of one coefficient, wavelets at the finest scale.

use std::sync::OnceLock;

use arrayspan_bridge::DType;
use arrayspan_operators::{
    CurveletBand, CurveletKind, Curvelets, FFTND, FinestScale, FourierAxis, FourierNorm, Lift, Operator,
    Result, Space, Spectrum, UDCT, adjoint, block_diagonal,
};

use super::fourier::{numbers, spectra_of, step, to_spectra, wide};
use super::{space, table};
use crate::suite::{Case, Cell, Moves};

/// A shape, and curvelets of real numbers.
type Given = (&'static [usize], Curvelets);

/// To the spectrum, to those of all coefficients by a table, and from these back along the axes of each band.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let golden = ["two", "three", "six", "radii", "cube", "wavelets", "coarse"];
    let mut cases: Vec<Case> = (0..given().len()).map(|number| case(dtype, number)).collect();
    for (number, key) in golden.into_iter().enumerate() {
        let case = cases.remove(number);
        cases.insert(number, case.golden(format!("udct/{key}")));
    }
    if let Some(last) = cases.pop() {
        cases.push(last.golden("udct/inverse"));
    }
    cases
}

/// The last one but one is tried of many arrays, the last one as the inverse.
fn given() -> [Given; 10] {
    let two = Curvelets { scales: 2, ..Curvelets::default() };
    let three = Curvelets::default();
    let six = Curvelets { wedges: 6, overlap: Some(0.125), ..two };
    let radii = Curvelets { radii: [0.75, 2.0, 2.25, 3.5], threshold: 0.01, ..two };
    let finest = FinestScale::Wavelets;
    [
        (&[8, 12], two),
        (&[16, 8], three),
        (&[8, 16], six),
        (&[12, 8], radii),
        (&[4, 8, 4], two),
        (&[8, 12], Curvelets { finest, ..three }),
        (&[4, 8], Curvelets { finest, ..two }),
        // Half a bin off a quarter of the spectrum, and one coefficient.
        (&[2, 10], two),
        (&[4, 4], two),
        (&[8, 4], Curvelets { finest, ..three }),
    ]
}

fn case(dtype: DType, number: usize) -> Case {
    let given = given();
    let (shape, curvelets) = given[number];
    let inverse = number + 1 == given.len();
    let many = if number + 2 == given.len() { 13 } else { 1 };
    let kind = if dtype.is_complex() { CurveletKind::Complex } else { CurveletKind::Real };
    let curvelets = Curvelets { kind, ..curvelets };
    let name = format!("{shape:?} {curvelets:?}, inverse: {inverse}, {many} times");
    // Cannot fail: the operator is made of the same.
    let bands = curvelets.bands(shape).unwrap_or_default();
    let samples = shape.iter().product::<usize>();
    let rows: Vec<Vec<usize>> = rows(number, kind, inverse);
    let windows = numbers(dtype, table::moves(&rows, samples, many, Some(dtype.real())));
    let mut steps = vec![spectra_of(dtype, &vec![many * samples; shape.len() + 1]), windows];
    for band in &bands {
        let len = wide(dtype) * many * len(band);
        // A transform of one point is none; where all are, the band is copied.
        let axes = band.shape.iter().filter(|extent| **extent > 1).count();
        steps.extend((0..axes.max(1)).map(|_| step(len, len)));
    }
    let [forward, adjoint]: [Moves; 2] = to_spectra(dtype, steps);
    let make = move |cell: &Cell| {
        let space = space(cell, shape)?;
        let operator = if inverse { UDCT::inverse } else { UDCT::new }(space, &curvelets)?;
        if many == 1 {
            return Ok(operator);
        }
        operator.lifted(Lift::Leading(1))?.lifted(Lift::Trailing(many))
    };
    let [forward, adjoint] = if inverse { [adjoint, forward] } else { [forward, adjoint] };
    Case::new(name, make).moves(forward, adjoint)
}

/// The frequencies that each of a case's spectra of coefficients has.
fn rows(number: usize, kind: CurveletKind, inverse: bool) -> Vec<Vec<usize>> {
    static ALL: OnceLock<Vec<Vec<Vec<usize>>>> = OnceLock::new();
    let given = given();
    let all = ALL.get_or_init(|| {
        let both = given.map(|(shape, curvelets)| windows(shape, curvelets).unwrap_or_default());
        both.into()
    });
    let (shape, curvelets) = given[number];
    let bands = complex(curvelets).bands(shape).unwrap_or_default();
    let mut rows = all[number].iter();
    let mut kept = Vec::new();
    for band in bands {
        let finest = curvelets.finest == FinestScale::Wavelets && band.scale + 1 == curvelets.scales;
        let far = band.direction >= if finest { 1 } else { shape.len() };
        let own: Vec<_> = rows.by_ref().take(len(&band)).cloned().collect();
        if kind == CurveletKind::Real && far {
            continue;
        }
        // Of wavelets in all directions the inverse takes those of two.
        let unused = inverse && finest && !band.direction.is_multiple_of(shape.len());
        kept.extend(own.into_iter().map(|row| if unused { Vec::new() } else { row }));
    }
    kept
}

/// The same of complex numbers: what is left of the transform without those of coefficients and samples.
fn windows(shape: &[usize], curvelets: Curvelets) -> Result<Vec<Vec<usize>>> {
    let curvelets = complex(curvelets);
    let space = Space::new(shape, DType::Complex128)?;
    let bands = curvelets.bands(shape)?;
    let parts = bands.iter().map(|band| {
        // As many axes as others have would make them one array.
        let wedges = (band.scale > 0).then_some(band.wedges);
        let first = usize::from(wedges.is_some());
        let shape: Vec<usize> = wedges.into_iter().chain(band.shape.iter().copied()).collect();
        fourier(Space::new(shape, DType::Complex128)?, first)
    });
    let there = block_diagonal(parts.collect::<Result<Vec<Operator>>>()?)?;
    let transform = UDCT::new(space.clone(), &curvelets)?;
    let matrix = there.after(transform).after(adjoint(&fourier(space, 0)?)).build()?.to_sparse()?;
    let row = |row| {
        let entries = matrix.row(row).filter(|entry| entry.1.norm() > 1e-7);
        entries.map(|entry| entry.0).collect()
    };
    Ok((0..matrix.shape[0]).map(row).collect())
}

fn fourier(space: Space, first: usize) -> Result<Operator> {
    let axes: Vec<FourierAxis> =
        (first..space.shape().len()).map(|axis| FourierAxis::new(axis as isize)).collect();
    FFTND::new(space, &axes, Spectrum::Full, FourierNorm::Ortho)
}

fn complex(curvelets: Curvelets) -> Curvelets {
    Curvelets { kind: CurveletKind::Complex, ..curvelets }
}

fn len(band: &CurveletBand) -> usize {
    band.wedges * band.shape.iter().product::<usize>()
}
