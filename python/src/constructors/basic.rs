//! Basic operators.

use arrayspan::bridge::Conversion;
use arrayspan::operators as of;
use arrayspan::operators::{Integral, Interpolation, Sparse};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, kept, space};
use crate::device::OnDevice;
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::incoming;
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{Axes, Indices, Shape};

/// ``y = x``, or the part of ``x`` that fits ``range_shape``, with zeros where there is no ``x``.
///
#[doc = include_str!("../../docs/operators/Identity.txt")]
#[pyfunction(name = "Identity")]
#[pyo3(signature = (shape, range_shape=None, dtype=DTYPE))]
pub(crate) fn identity(
    shape: Shape,
    range_shape: Option<Shape>,
    dtype: Named,
) -> Result<PyOperator> {
    let to = range_shape.map(|range| of::Space::new(range.0, dtype.0)).transpose()?;
    let from = space(shape, dtype)?;
    Ok(match to {
        None => of::Identity::new(from)?,
        Some(to) => of::Identity::rectangular(from, to)?,
    }
    .into())
}

/// ``y = 0``.
///
#[doc = include_str!("../../docs/operators/Zero.txt")]
#[pyfunction(name = "Zero")]
#[pyo3(signature = (shape, range_shape=None, dtype=DTYPE, range_dtype=None))]
pub(crate) fn zero(
    shape: Shape,
    range_shape: Option<Shape>,
    dtype: Named,
    range_dtype: Option<Named>,
) -> Result<PyOperator> {
    let to = range_shape.map_or_else(|| shape.0.clone(), |range| range.0);
    let to = of::Space::new(to, range_dtype.map_or(dtype.0, |dtype| dtype.0))?;
    Ok(of::Zero::new(space(shape, dtype)?, to)?.into())
}

/// ``y = d x`` with weights ``d``, one for each element, or one for each index along an ``axis`` of arrays of a ``shape``.
///
#[doc = include_str!("../../docs/operators/Diagonal.txt")]
#[pyfunction(name = "Diagonal")]
#[pyo3(signature = (weights, shape=None, axis=None))]
pub(crate) fn diagonal(
    weights: &Bound<'_, PyAny>,
    shape: Option<Shape>,
    #[pyo3(from_py_with = integer)] axis: Option<isize>,
) -> Result<PyOperator> {
    let weights = kept(weights, "weights")?;
    let shape = shape.map_or_else(|| weights.shape().to_vec(), |shape| shape.0);
    let space = of::Space::new(shape, weights.dtype())?;
    Ok(match axis {
        None => of::Diagonal::new(space, weights)?,
        Some(axis) => of::Diagonal::along(space, axis, weights)?,
    }
    .into())
}

/// ``y = conj(x)``
///
#[doc = include_str!("../../docs/operators/Conj.txt")]
#[pyfunction(name = "Conj")]
#[pyo3(signature = (shape, dtype=Named(arrayspan::bridge::DType::Complex64)))]
pub(crate) fn conj(shape: Shape, dtype: Named) -> Result<PyOperator> {
    Ok(of::Conj::new(space(shape, dtype)?)?.into())
}

/// ``y = Re x``; data are real.
///
#[doc = include_str!("../../docs/operators/Real.txt")]
#[pyfunction(name = "Real")]
#[pyo3(signature = (shape, dtype=Named(arrayspan::bridge::DType::Complex64)))]
pub(crate) fn real(shape: Shape, dtype: Named) -> Result<PyOperator> {
    Ok(of::Real::new(space(shape, dtype)?)?.into())
}

/// ``y = Im x``; data are real.
///
#[doc = include_str!("../../docs/operators/Imag.txt")]
#[pyfunction(name = "Imag")]
#[pyo3(signature = (shape, dtype=Named(arrayspan::bridge::DType::Complex64)))]
pub(crate) fn imag(shape: Shape, dtype: Named) -> Result<PyOperator> {
    Ok(of::Imag::new(space(shape, dtype)?)?.into())
}

/// ``y = A x`` with a matrix along the first axis, whose models have further axes of extents ``others``; or along an ``axis`` of models of a
/// ``shape``. With a ``dtype`` the matrix is converted to that. Sparse matrices are those of SciPy, or whatever has ``tocsr()``.
///
#[doc = include_str!("../../docs/operators/MatrixMult.txt")]
#[pyfunction(name = "MatrixMult")]
#[pyo3(signature = (matrix, others=None, *, shape=None, axis=None, dtype=None))]
pub(crate) fn matrix_mult(
    matrix: &Bound<'_, PyAny>,
    others: Option<Shape>,
    shape: Option<Shape>,
    #[pyo3(from_py_with = integer)] axis: Option<isize>,
    dtype: Option<Named>,
) -> Result<PyOperator> {
    if matrix.hasattr("tocsr")? {
        return sparse(matrix, others, shape, axis, dtype);
    }
    let mut matrix = kept(matrix, "matrix")?;
    if let Some(dtype) = dtype.map(|dtype| dtype.0).filter(|dtype| *dtype != matrix.dtype()) {
        let stream = matrix.device().stream()?;
        matrix = matrix.view().convert(dtype, &Conversion::SATURATE, &stream)?.into_shared();
    }
    Ok(match (shape, others) {
        (None, others) => of::MatrixMult::new(matrix, &others.map_or_else(Vec::new, |o| o.0))?,
        (Some(shape), None) => {
            let space = of::Space::new(shape.0, matrix.dtype())?;
            of::MatrixMult::along(space, axis.unwrap_or(0), matrix)?
        }
        (Some(_), Some(_)) => {
            refuse(Class::Parameter, "MatrixMult: either others or shape and axis")?
        }
    }
    .into())
}

fn sparse(
    matrix: &Bound<'_, PyAny>,
    others: Option<Shape>,
    shape: Option<Shape>,
    axis: Option<isize>,
    dtype: Option<Named>,
) -> Result<PyOperator> {
    let csr = matrix.call_method0("tocsr")?;
    let extents: (usize, usize) = csr.getattr("shape")?.extract()?;
    let dtype = match dtype {
        Some(dtype) => dtype.0,
        None => csr.getattr("dtype")?.extract::<Named>()?.0,
    };
    let part = |name: &str| -> Result<_> { incoming::copied(&csr.getattr(name)?, name) };
    let (indptr, indices, data) = (part("indptr")?, part("indices")?, part("data")?);
    let matrix = Sparse::from_csr([extents.0, extents.1], indptr, indices, data)?;
    let shape = match (shape, others) {
        (Some(shape), None) => shape.0,
        (None, others) => [vec![extents.1], others.map_or_else(Vec::new, |o| o.0)].concat(),
        _ => refuse(Class::Parameter, "MatrixMult: either others or shape and axis")?,
    };
    let space = of::Space::new(shape, dtype)?;
    Ok(of::MatrixMult::sparse(space, axis.unwrap_or(0), matrix)?.into())
}

/// Axes in another order: axis ``k`` of data is axis ``order[k]`` of models.
///
#[doc = include_str!("../../docs/operators/Transpose.txt")]
#[pyfunction(name = "Transpose")]
#[pyo3(signature = (shape, order, dtype=DTYPE))]
pub(crate) fn transpose(shape: Shape, order: Axes, dtype: Named) -> Result<PyOperator> {
    Ok(of::Transpose::new(space(shape, dtype)?, &order.0)?.into())
}

/// Back to front along axes.
///
#[doc = include_str!("../../docs/operators/Flip.txt")]
#[pyfunction(name = "Flip")]
#[pyo3(signature = (shape, axes=Axes::last(), dtype=DTYPE))]
pub(crate) fn flip(shape: Shape, axes: Axes, dtype: Named) -> Result<PyOperator> {
    Ok(of::Flip::new(space(shape, dtype)?, &axes.0)?.into())
}

/// ``y[i] = x[(i - shift) mod n]`` along an axis.
///
#[doc = include_str!("../../docs/operators/Roll.txt")]
#[pyfunction(name = "Roll")]
#[pyo3(signature = (shape, shift=1, axis=-1, dtype=DTYPE))]
pub(crate) fn roll(
    shape: Shape,
    #[pyo3(from_py_with = integer)] shift: isize,
    #[pyo3(from_py_with = integer)] axis: isize,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::Roll::new(space(shape, dtype)?, axis, shift)?.into())
}

/// Zeros before and behind, as many along each axis as ``pad`` says: pairs.
///
#[doc = include_str!("../../docs/operators/Pad.txt")]
#[pyfunction(name = "Pad")]
#[pyo3(signature = (shape, pad, dtype=DTYPE))]
pub(crate) fn pad(
    shape: Shape,
    #[pyo3(from_py_with = integer)] pad: Vec<(usize, usize)>,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::Pad::new(space(shape, dtype)?, &pad)?.into())
}

/// The mirror image along an axis, then the array itself.
///
#[doc = include_str!("../../docs/operators/Symmetrize.txt")]
#[pyfunction(name = "Symmetrize")]
#[pyo3(signature = (shape, axis=-1, dtype=DTYPE))]
pub(crate) fn symmetrize(
    shape: Shape,
    #[pyo3(from_py_with = integer)] axis: isize,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::Symmetrize::new(space(shape, dtype)?, axis)?.into())
}

/// Some indices along an axis; with ``mask=True`` the others are zero instead of left out.
///
#[doc = include_str!("../../docs/operators/Restriction.txt")]
#[pyfunction(name = "Restriction")]
#[pyo3(signature = (shape, indices, axis=-1, *, mask=false, dtype=DTYPE))]
pub(crate) fn restriction(
    shape: Shape,
    indices: Indices,
    #[pyo3(from_py_with = integer)] axis: isize,
    mask: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let space = space(shape, dtype)?;
    Ok(if mask {
        of::Restriction::mask(space, axis, indices.0)?
    } else {
        of::Restriction::new(space, axis, indices.0)?
    }
    .into())
}

/// Values of models ``[n0, m0]`` spread along curves of data ``[n, m]``: to the position ``table[i, k, j]`` in row ``j``, nowhere
/// if that is NaN.
///
#[doc = include_str!("../../docs/operators/Spread.txt")]
#[pyfunction(name = "Spread")]
#[pyo3(signature = (shape, range_shape, table, interpolation=Choice(Interpolation::Linear), dtype=DTYPE))]
pub(crate) fn spread(
    shape: Shape,
    range_shape: Shape,
    table: &Bound<'_, PyAny>,
    interpolation: Choice<Interpolation>,
    dtype: Named,
) -> Result<PyOperator> {
    let table = super::numbers(table, "table")?;
    let (from, to) = (space(shape, Named(dtype.0))?, space(range_shape, dtype)?);
    Ok(of::Spread::from_table(from, to, &table, interpolation.0)?.into())
}

/// Sums along an axis, which is gone after.
///
#[doc = include_str!("../../docs/operators/SumAlong.txt")]
#[pyfunction(name = "SumAlong")]
#[pyo3(signature = (shape, axis=-1, dtype=DTYPE))]
pub(crate) fn sum_along(
    shape: Shape,
    #[pyo3(from_py_with = integer)] axis: isize,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::SumAlong::new(space(shape, dtype)?, axis)?.into())
}

/// The integral along an axis up to each sample: ``"full"``, ``"half"`` or ``"trapezoidal"``; without the first sample with
/// ``first=False``.
///
#[doc = include_str!("../../docs/operators/CausalIntegration.txt")]
#[pyfunction(name = "CausalIntegration")]
#[pyo3(signature = (shape, axis=-1, step=1.0, integral=Choice(Integral::Full), *, first=true, dtype=DTYPE))]
pub(crate) fn causal_integration(
    shape: Shape,
    #[pyo3(from_py_with = integer)] axis: isize,
    step: f64,
    integral: Choice<Integral>,
    first: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let space = space(shape, dtype)?;
    Ok(if first {
        of::CausalIntegration::new(space, axis, step, integral.0)?
    } else {
        of::CausalIntegration::without_first(space, axis, step, integral.0)?
    }
    .into())
}

/// A polynomial of coefficients ``x`` at ``positions``; along an ``axis`` of data of a ``shape``, if one is given.
///
#[doc = include_str!("../../docs/operators/Regression.txt")]
#[pyfunction(name = "Regression")]
#[pyo3(signature = (positions, order, *, shape=None, axis=0))]
pub(crate) fn regression(
    positions: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] order: usize,
    shape: Option<Shape>,
    #[pyo3(from_py_with = integer)] axis: isize,
) -> Result<PyOperator> {
    let positions = kept(positions, "positions")?;
    Ok(match shape {
        None => of::Regression::new(positions, order)?,
        Some(shape) => {
            let space = of::Space::new(shape.0, positions.dtype())?;
            of::Regression::along(space, axis, positions, order)?
        }
    }
    .into())
}

/// A straight line of two coefficients at ``positions``: a `Regression` of order 1.
///
#[doc = include_str!("../../docs/operators/LinearRegression.txt")]
#[pyfunction(name = "LinearRegression")]
#[pyo3(signature = (positions, *, shape=None, axis=0))]
pub(crate) fn linear_regression(
    positions: &Bound<'_, PyAny>,
    shape: Option<Shape>,
    #[pyo3(from_py_with = integer)] axis: isize,
) -> Result<PyOperator> {
    let positions = kept(positions, "positions")?;
    Ok(match shape {
        None => of::LinearRegression::new(positions)?,
        Some(shape) => {
            let space = of::Space::new(shape.0, positions.dtype())?;
            of::LinearRegression::along(space, axis, positions)?
        }
    }
    .into())
}

/// Remembers the last results of an operator, ``entries`` in each direction.
///
#[doc = include_str!("../../docs/operators/MemoizeOperator.txt")]
#[pyfunction(name = "MemoizeOperator")]
#[pyo3(signature = (operator, entries=10))]
pub(crate) fn memoize_operator(
    operator: &PyOperator,
    #[pyo3(from_py_with = integer)] entries: usize,
) -> Result<PyOperator> {
    Ok(of::MemoizeOperator::new(&operator.0, entries)?.into())
}

/// ``y = x``, with models on one device and data on another.
///
#[doc = include_str!("../../docs/operators/ToDevice.txt")]
#[pyfunction(name = "ToDevice")]
#[pyo3(signature = (shape, source, target, dtype=DTYPE))]
pub(crate) fn to_device(
    shape: Shape,
    source: OnDevice,
    target: OnDevice,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::ToDevice::new(space(shape, dtype)?, source.0, target.0)?.into())
}
