//! `y ← alpha · stencil(x) + beta · y`, and sums of such terms, on the host: one pass over memory for all of them.

use arrayspan_bridge::{Array, DType, Lanes, Layout, Relayout, View, ViewMut};
use bytemuck::{cast_slice, cast_slice_mut};
use half::{bf16, f16};
use num_complex::Complex64;

use super::Host;
use super::arranged::{Arranged, SHORT, Term, each_array};
use super::copy;
use super::norms::put;
use super::operands::values;
use super::parts::by_stride;
use super::reduce;
use super::rows::{Rows, Terms};
use super::scalar::{Scalar, with_scalar};
use super::stencil_half::{Halves, Summand};
use super::stored::Stored;
use super::sum::CHUNK;
use super::tile::Blend;
use crate::factors::Known;
use crate::verb::{Factor, StencilCall, StencilSumCall};
use crate::{Executor as _, Result, Stencil};

pub(super) fn run(host: &Host, call: &mut StencilCall<'_>) -> Result<()> {
    let mut term = [Term { stencil: &call.stencil, x: call.x.view(), before: None, after: None }];
    let normed = call.norm.is_some();
    let squares = updated(host, &mut term, call.y.view_mut(), values(&call.factors)?, normed)?;
    finish(call, squares)
}

/// Writes the norm of a call, if it asks for one: of the squares that were added up beside it, or by a reduction.
pub(super) fn finish(call: &mut StencilCall<'_>, squares: Option<f64>) -> Result<()> {
    match (squares, &mut call.norm) {
        (Some(sum), Some(norm)) => put(norm, sum),
        _ => call.norm_alone(reduce::run),
    }
}

pub(super) fn run_sum(host: &Host, call: &mut StencilSumCall<'_>) -> Result<()> {
    let terms = call.terms.iter().map(|term| Term {
        stencil: &term.stencil,
        x: term.x.view(),
        before: term.before.as_ref().map(factor),
        after: term.after.as_ref().map(factor),
    });
    let mut terms = terms.collect::<Vec<_>>();
    updated(host, &mut terms, call.y.view_mut(), values(&call.factors)?, false)?;
    Ok(())
}

/// The sum of the terms, combined with the old content. Weights are multiplied by alpha first, unless a product is no normal
/// number of the dtype, though results may be: then the sum is made by itself. Also the sum of the squares of what is written, if
/// it is asked for and made in the same pass.
fn updated(
    host: &Host,
    terms: &mut [Term<'_>],
    y: ViewMut<'_>,
    update: Known,
    normed: bool,
) -> Result<Option<f64>> {
    match y.dtype() {
        DType::Float16 => return of_halves::<f16>(terms, y, update).map(|()| None),
        DType::BFloat16 => return of_halves::<bf16>(terms, y, update).map(|()| None),
        _ => {}
    }
    let within = terms.iter().all(|term| holds(term.stencil, update.alpha, y.dtype()));
    if within || y.layout().is_empty() {
        return sum(terms, y, update, normed);
    }
    let mut alone = Array::empty(y.shape(), y.dtype(), host.stream())?;
    sum(terms, alone.view_mut(), Known::SET, false)?;
    copy::updated(&alone.view(), y, update)?;
    Ok(None)
}

/// Whether all weights times a factor are zero or normal numbers of the dtype.
pub(super) fn holds(stencil: &Stencil, factor: Complex64, dtype: DType) -> bool {
    if factor == Complex64::ONE {
        return true;
    }
    let range = match dtype.real() {
        DType::Float32 => f32::MIN_POSITIVE.into()..=f32::MAX.into(),
        _ => f64::MIN_POSITIVE..=f64::MAX,
    };
    let [least, largest] = stencil.magnitudes();
    if factor.im == 0.0 && range.contains(&(least * factor.re.abs())) {
        // Each part of a weight is multiplied by itself.
        return range.contains(&(largest * factor.re.abs()));
    }
    let pieces = stencil.terms().iter().flat_map(|(_, band)| band.pieces());
    let mut weights = pieces.flat_map(|(_, taps)| taps).map(|tap| tap.weight);
    let normal = |part: f64| part == 0.0 || range.contains(&part.abs());
    weights.all(|weight| {
        let product = weight * factor;
        // A product that vanishes has left the range, unless a factor of it is zero.
        let vanished =
            product == Complex64::ZERO && weight != Complex64::ZERO && factor != Complex64::ZERO;
        !vanished && normal(product.re) && normal(product.im)
    })
}

fn factor<'f>(factor: &'f Factor<'_>) -> (View<'f>, bool) {
    (factor.array.view(), factor.conjugated)
}

fn sum(terms: &mut [Term<'_>], y: ViewMut<'_>, update: Known, normed: bool) -> Result<Option<f64>> {
    if y.layout().is_empty() {
        return Ok(None);
    }
    // Real weights act on real and imaginary parts alike, so complex arrays need no complex products.
    let real = terms.iter().all(|term| term.stencil.is_real()) && update.is_real();
    with_scalar!("stencil", y.dtype(), T => {
        if real { stencil::<T, <T as Scalar>::Part>(terms, y, update, normed) }
        else { stencil::<T, T>(terms, y, update, normed) }
    })
}

/// The same of arrays of 16-bit floats, axis by axis.
fn of_halves<S: Stored<Number = f32>>(
    terms: &mut [Term<'_>],
    mut y: ViewMut<'_>,
    update: Known,
) -> Result<()> {
    if y.layout().is_empty() {
        return Ok(());
    }
    let order = by_stride(y.layout().strides());
    y = y.permuted(&order)?;
    each_array(terms, |view| Ok(view.permuted(&order)?))?;
    if order.is_empty() {
        y = y.reshaped(&[1])?;
        each_array(terms, |view| Ok(view.reshaped(&[1])?))?;
    }
    let summands = terms.iter().map(|term| {
        let placed = |(axis, band)| Some((order.iter().position(|old| old == axis)?, band));
        let bands = term.stencil.terms().iter().filter_map(|(axis, band)| placed((axis, band)));
        Ok(Summand {
            x: term.x.lanes::<S>()?,
            before: lanes(term.before.as_ref())?,
            after: lanes(term.after.as_ref())?,
            bands: bands.collect(),
        })
    });
    let terms = summands.collect::<Result<Vec<_>>>()?;
    let [alpha, beta] = [update.alpha, update.beta].map(|factor| factor.re as f32);
    Halves { terms, alpha, beta }.run(y.lanes_mut::<S>()?);
    Ok(())
}

/// The lanes of coefficients, which are real.
fn lanes<'a, S: Stored>(given: Option<&(View<'a>, bool)>) -> Result<Option<Lanes<'a, S>>> {
    Ok(given.map(|(view, _)| view.lanes::<S>()).transpose()?)
}

/// `L` is `T`, or its parts when all weights are real.
fn stencil<T: Scalar, L: Scalar>(
    terms: &mut [Term<'_>],
    mut y: ViewMut<'_>,
    update: Known,
    normed: bool,
) -> Result<Option<f64>> {
    if along_one_axis::<T, L>(terms, &mut y, update)? {
        return Ok(None);
    }
    Ok(Arranged::<T, L>::new(terms, y, update)?.run(normed))
}

/// One band along one axis of small arrays without gaps, where arranging axes and lanes would take longer than the
/// elements do; whether it is that, and done.
fn along_one_axis<T: Scalar, L: Scalar>(
    terms: &[Term<'_>],
    y: &mut ViewMut<'_>,
    update: Known,
) -> Result<bool> {
    let [Term { stencil, x, before: None, after: None }] = terms else { return Ok(false) };
    let [(axis, band)] = stencil.terms() else { return Ok(false) };
    if !is_small(stencil, [x.layout(), y.layout()]) {
        return Ok(false);
    }
    let block: usize = y.shape()[axis + 1..].iter().product();
    let components = size_of::<T>() / size_of::<L>();
    let unit = block * components;
    let Some(rows) = Rows::<L>::new(band, update.alpha, unit, CHUNK * components) else {
        return Ok(false);
    };
    let beta = Blend::new(L::rounded(update.beta));
    let x: &[L] = cast_slice(x.as_slice::<T>()?);
    let y: &mut [L] = cast_slice_mut(y.as_mut_slice::<T>()?);
    let (lane, mut taps) = (band.len() * unit, Terms::new());
    for (x, y) in x.chunks_exact(lane).zip(y.chunks_exact_mut(lane)) {
        rows.apply(beta, (0, y), (0, x), &[], &mut taps);
    }
    Ok(true)
}

/// Whether it is one band along one axis of small arrays, `x` and `y`, without gaps.
pub(super) fn is_small(stencil: &Stencil, arrays: [&Layout; 2]) -> bool {
    let [(axis, _)] = stencil.terms() else { return false };
    let [x, y] = arrays;
    let block: usize = y.shape()[axis + 1..].iter().product();
    y.len() <= CHUNK && block < SHORT && y.is_contiguous() && x.is_contiguous()
}
