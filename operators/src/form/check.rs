//! Whether a form fits the spaces it is to map between.

use arrayspan_bridge::SharedArray;
use arrayspan_kernels::{Fourier, Gather, Projection, Scan, Stencil};

use super::{Form, IndexMap};
use crate::{Devices, Error, Result, Space, number};

impl Form {
    /// Fails unless it maps `domain` to `range`, for the constructor of `operator`.
    pub(crate) fn check(&self, operator: &str, domain: &Space, range: &Space) -> Result<()> {
        // Products of matrices are the vendors', sums along curves are made of numbers as arrays hold them, and opaque maps say nothing of 16-bit floats; parts and spectra are of complex numbers.
        let computable = matches!(
            self,
            Self::Matrix { .. }
                | Self::Opaque(_)
                | Self::Real
                | Self::Imaginary
                | Self::Projection(_)
                | Self::Fourier(_)
        );
        let fits = if computable { Space::computable } else { Space::stored };
        fits(domain, operator)?;
        fits(range, operator)?;
        let parts = matches!(self, Self::Real | Self::Imaginary);
        let mixed = parts || matches!(self, Self::Zero | Self::Fourier(_) | Self::Opaque(_));
        if domain.dtype() != range.dtype() && !mixed {
            let which = "dtypes of domain and range";
            return Err(Error::spaces(operator, which, domain, range));
        }
        match self {
            Self::Zero => Ok(()),
            Self::Identity | Self::Conjugate | Self::ToDevice { .. } => {
                square(operator, domain, range)
            }
            Self::Real | Self::Imaginary => parts_of(operator, domain, range),
            Self::Diagonal(weights) => {
                square(operator, domain, range)?;
                diagonal(operator, weights, domain)
            }
            Self::Stencil(bands) => {
                square(operator, domain, range)?;
                stencil(operator, bands, domain)
            }
            Self::Index(map) => index(operator, map, domain, range),
            Self::Gather(matrix) => gather(operator, matrix, domain, range),
            Self::Projection(curves) => projection(operator, curves, domain, range),
            Self::Scan(sums) => scan(operator, sums, domain, range),
            Self::Fourier(transform) => fourier(operator, transform, domain, range),
            Self::Matrix { matrix: array, axis } => matrix(operator, array, *axis, domain, range),
            Self::Opaque(map) => {
                let own = map.name();
                same(
                    operator,
                    || format!("domain given and domain of {own}"),
                    domain,
                    map.domain(),
                )?;
                same(operator, || format!("range given and range of {own}"), range, map.range())?;
                Ok(())
            }
        }
    }

    /// Whether complex factors commute with it, as an operator on `domain`.
    pub(crate) fn is_complex_linear(&self, domain: &Space) -> bool {
        match self {
            Self::Conjugate => !domain.dtype().is_complex(),
            Self::Real | Self::Imaginary => false,
            Self::Fourier(fourier) => fourier.is_complex_linear(),
            Self::Opaque(map) => map.properties().complex_linear,
            _ => true,
        }
    }

    /// Where it reads and writes, if it holds arrays or moves them.
    pub(crate) fn devices(&self) -> Option<Devices> {
        match self {
            Self::Zero
            | Self::Identity
            | Self::Conjugate
            | Self::Real
            | Self::Imaginary
            | Self::Stencil(_)
            | Self::Index(_)
            | Self::Gather(_)
            | Self::Projection(_)
            | Self::Scan(_)
            | Self::Fourier(_) => None,
            Self::Diagonal(array) | Self::Matrix { matrix: array, .. } => {
                Some(Devices::both(array.device()))
            }
            &Self::ToDevice { from, to } => Some(Devices { domain: from, range: to }),
            Self::Opaque(map) => map.devices(),
        }
    }
}

fn square(operator: &str, domain: &Space, range: &Space) -> Result<()> {
    same(operator, || "domain and range".into(), domain, range)
}

/// From complex numbers to the real ones of their precision.
fn parts_of(operator: &str, domain: &Space, range: &Space) -> Result<()> {
    let (from, to) = (domain.dtype(), range.dtype());
    if domain.shape() == range.shape() && from.is_complex() && to == from.real() {
        return Ok(());
    }
    let why = format!("takes parts of complex numbers, which {domain} to {range} does not");
    Error::parameter(operator, why)
}

fn same(operator: &str, which: impl FnOnce() -> String, a: &Space, b: &Space) -> Result<()> {
    if a == b { Ok(()) } else { Err(Error::spaces(operator, which(), a, b)) }
}

/// Fails for weights of another dtype than that of `space`.
pub(crate) fn weights_dtype(operator: &str, weights: &SharedArray, space: &Space) -> Result<()> {
    let (dtype, expected) = (weights.dtype(), space.dtype());
    if dtype == expected {
        return Ok(());
    }
    let why = format!("weights of dtype {dtype} for {space}, expected {expected}");
    Error::parameter(operator, why)
}

fn diagonal(operator: &str, weights: &SharedArray, space: &Space) -> Result<()> {
    weights_dtype(operator, weights, space)?;
    let extents = weights.shape().iter().zip(space.shape());
    let fits = |(&weight, &extent): (&usize, &usize)| weight == extent || weight == 1;
    if weights.shape().len() == space.shape().len() && extents.into_iter().all(fits) {
        return Ok(());
    }
    Error::parameter(operator, format!("weights of shape {:?} for {space}", weights.shape()))
}

fn stencil(operator: &str, stencil: &Stencil, space: &Space) -> Result<()> {
    for (axis, band) in stencil.terms() {
        if space.shape().get(*axis) != Some(&band.len()) {
            let len = band.len();
            let why = format!("a band of length {len} along axis {axis} of {space}");
            return Error::parameter(operator, why);
        }
    }
    if !space.dtype().is_complex() && !stencil.is_real() {
        return Error::parameter(operator, format!("complex weights for {space}"));
    }
    Ok(())
}

fn index(operator: &str, map: &IndexMap, domain: &Space, range: &Space) -> Result<()> {
    if (map.domain(), map.range()) == (domain.shape(), range.shape()) {
        return Ok(());
    }
    let (from, to) = (map.domain(), map.range());
    let why = format!("an index map from {from:?} to {to:?} does not map {domain} to {range}");
    Error::parameter(operator, why)
}

fn gather(operator: &str, gather: &Gather, domain: &Space, range: &Space) -> Result<()> {
    if gather.range_of(domain.shape()).as_deref() != Some(range.shape()) {
        let (axis, columns, rows) = (gather.axis(), gather.columns(), gather.rows());
        let why = format!(
            "a sparse matrix of {columns:?} columns and {rows:?} rows from axis {axis} on does not map {domain} to {range}"
        );
        return Error::parameter(operator, why);
    }
    if !domain.dtype().is_complex() && !gather.is_real() {
        return Error::parameter(operator, format!("complex weights for {domain}"));
    }
    number::entries_of(operator, gather, domain.dtype())
}

fn projection(
    operator: &str,
    projection: &Projection,
    domain: &Space,
    range: &Space,
) -> Result<()> {
    if projection.range_of(domain.shape()).as_deref() == Some(range.shape()) {
        return Ok(());
    }
    let (axis, columns, rows) = (projection.axis(), projection.columns(), projection.rows());
    let why = format!(
        "curves between {columns:?} and {rows:?} from axis {axis} on do not map {domain} to {range}"
    );
    Error::parameter(operator, why)
}

fn scan(operator: &str, scan: &Scan, domain: &Space, range: &Space) -> Result<()> {
    if scan.range_of(domain.shape()).as_deref() != Some(range.shape()) {
        let (axis, columns, rows) = (scan.axis(), scan.columns(), scan.rows());
        let why = format!(
            "running sums of {columns} elements to {rows} along axis {axis} do not map {domain} to {range}"
        );
        return Error::parameter(operator, why);
    }
    number::sums_of(operator, scan, domain.dtype())
}

fn fourier(operator: &str, fourier: &Fourier, domain: &Space, range: &Space) -> Result<()> {
    let fits = fourier.range_of(domain.shape()).as_deref() == Some(range.shape())
        && fourier.dtypes(domain.dtype()) == [domain.dtype(), range.dtype()];
    if !fits {
        let ([from, to], axis) = (fourier.extents(), fourier.axis());
        let [of_x, of_y] = fourier.dtypes(domain.dtype());
        let why = format!(
            "a Fourier transform of {from} {of_x} elements to {to} {of_y} along axis {axis} does not map {domain} to {range}"
        );
        return Error::parameter(operator, why);
    }
    for (what, value) in [("a scale", fourier.scale()), ("a weight", fourier.inner())] {
        number::check(operator, || format!("{what} of {value}"), value, domain.dtype())?;
    }
    Ok(())
}

fn matrix(
    operator: &str,
    matrix: &SharedArray,
    axis: usize,
    domain: &Space,
    range: &Space,
) -> Result<()> {
    let &[rows, columns] = matrix.shape() else {
        let why = format!("a matrix of shape {:?}, not [rows, columns]", matrix.shape());
        return Error::parameter(operator, why);
    };
    if matrix.dtype() != domain.dtype() {
        let why = format!("a matrix of dtype {} for {domain}", matrix.dtype());
        return Error::parameter(operator, why);
    }
    let (from, to) = (domain.shape(), range.shape());
    let others = |shape: &[usize]| {
        let before = shape.get(..axis)?.to_vec();
        Some((before, shape.get(axis + 1..)?.to_vec()))
    };
    let axes = (from.get(axis), to.get(axis)) == (Some(&columns), Some(&rows));
    if axes && others(from) == others(to) {
        return Ok(());
    }
    let why = format!(
        "a matrix of shape [{rows}, {columns}] along axis {axis} does not map {domain} to {range}"
    );
    Error::parameter(operator, why)
}
