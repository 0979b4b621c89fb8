//! `y ← alpha · stencil(x) + beta · y`, and sums of such terms, on the host: one pass over memory for all of them.

use arrayspan_bridge::iteration::collapse_around;
use arrayspan_bridge::{Array, DType, Lanes, Layout, Relayout, View, ViewMut};
use bytemuck::{cast_slice, cast_slice_mut};
use half::{bf16, f16};
use num_complex::Complex64;

use super::Host;
use super::across::of_stencil;
use super::banded::{Banded, Coefficients};
use super::copy;
use super::norms::put;
use super::operands::values;
use super::parts::by_stride;
use super::pieces::Pieces;
use super::reduce;
use super::rows::{Rows, Terms};
use super::scalar::{Scalar, with_scalar};
use super::stencil_half::{Halves, Summand};
use super::stored::Stored;
use super::sum::{CHUNK, Sum};
use super::tile::Blend;
use super::walk;
use crate::factors::Known;
use crate::verb::{Factor, StencilCall, StencilSumCall};
use crate::{Executor as _, Result, Stencil};

/// Lanes shorter than this are joined to the axis before them, if that has a band.
const SHORT: usize = 64;

/// A stencil and the arrays of its term.
struct Term<'a> {
    stencil: &'a Stencil,
    x: View<'a>,
    before: Option<(View<'a>, bool)>,
    after: Option<(View<'a>, bool)>,
}

pub(super) fn run(host: &Host, call: &mut StencilCall<'_>) -> Result<()> {
    let mut term = [Term { stencil: &call.stencil, x: call.x.view(), before: None, after: None }];
    let normed = call.norm.is_some();
    let squares = updated(host, &mut term, call.y.view_mut(), values(&call.factors)?, normed)?;
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
fn holds(stencil: &Stencil, factor: Complex64, dtype: DType) -> bool {
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
    let order = by_stride(y.layout().strides());
    y = y.permuted(&order)?;
    each_array(terms, |view| Ok(view.permuted(&order)?))?;
    let banded = |old: &usize| {
        terms.iter().any(|term| term.stencil.terms().iter().any(|(axis, _)| axis == old))
    };
    let fixed: Vec<usize> = (0..order.len()).filter(|&new| banded(&order[new])).collect();
    let layouts: Vec<&Layout> =
        std::iter::once(y.layout()).chain(arrays(terms).map(View::layout)).collect();
    let mut collapsed = collapse_around(&layouts, &fixed);
    // With each band goes its axis among those that are left.
    let bands = terms.iter().map(|term| {
        let along = |&new: &usize| {
            let band = term.stencil.terms().iter().find(|(axis, _)| *axis == order[new]);
            collapsed.axes[new].zip(band.map(|(_, band)| band))
        };
        fixed.iter().filter_map(along).collect::<Vec<_>>()
    });
    let bands: Vec<_> = bands.collect();
    if collapsed.shape.is_empty() {
        collapsed.shape.push(1);
    }
    y = y.reshaped(&collapsed.shape)?;
    each_array(terms, |view| Ok(view.reshaped(&collapsed.shape)?))?;
    let components = size_of::<T>() / size_of::<L>();
    let last = collapsed.shape.len() - 1;
    let alphas: Vec<Complex64> = terms.iter().map(|term| within(term, update)).collect();
    let near = |term: usize, axis: usize, unit: usize| {
        let band = bands[term].iter().find(|(other, _)| *other == axis);
        band.map(|(_, band)| Rows::new(band, alphas[term], unit, CHUNK * components))
    };
    let layouts: Vec<&Layout> =
        std::iter::once(y.layout()).chain(arrays(terms).map(View::layout)).collect();
    let block = joined(&layouts, |axis| bands.iter().flatten().any(|(band, _)| *band == axis));
    // The band of each term along the joined axis; all must be near.
    let joined = block.and_then(|block| {
        let own = (0..terms.len()).map(|term| near(term, last - 1, block * components));
        let own: Vec<_> = own.map(|own| own.map_or(Some(None), |own| own.map(Some))).collect();
        Some((block, own.into_iter().collect::<Option<Vec<_>>>()?))
    });
    let mut along = None;
    if let Some((block, own)) = joined {
        let shape =
            [&collapsed.shape[..last - 1], &[collapsed.shape[last] * collapsed.shape[last - 1]]];
        debug_assert_eq!(block, collapsed.shape[last]);
        let shape = shape.concat();
        y = y.reshaped(&shape)?;
        each_array(terms, |view| Ok(view.reshaped(&shape)?))?;
        along = Some(own);
    }
    let innermost = if along.is_some() { last - 1 } else { last };
    let mut own = along.unwrap_or_else(|| {
        (0..terms.len()).map(|term| near(term, last, components).flatten()).collect()
    });
    let mut all = Vec::with_capacity(terms.len());
    for ((term, bands), own) in terms.iter().zip(&bands).zip(own.drain(..)) {
        let alpha = within(term, update);
        let inner = bands.iter().find(|(axis, _)| *axis == innermost).filter(|_| own.is_none());
        let across = bands.iter().filter(|(axis, _)| *axis < innermost);
        all.push(Banded::<T, L> {
            x: term.x.lanes::<T>()?,
            before: coefficients(term.before.as_ref())?,
            after: coefficients(term.after.as_ref())?,
            alpha: L::rounded(update.alpha),
            far: inner.map(|(_, band)| Pieces::new(band, alpha)),
            across: across
                .map(|(axis, band)| (*axis, of_stencil(term.stencil, band, alpha)))
                .collect(),
            own,
        });
    }
    let sum = Sum::new(all, Blend::new(L::rounded(update.beta)));
    Ok(walk::run(&sum, y.lanes_mut::<T>()?, normed))
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
    let block: usize = y.shape()[axis + 1..].iter().product();
    let small = y.layout().len() <= CHUNK && block < SHORT;
    if !(small && y.layout().is_contiguous() && x.layout().is_contiguous()) {
        return Ok(false);
    }
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

fn coefficients<'a, T: Scalar>(
    given: Option<&(View<'a>, bool)>,
) -> Result<Option<Coefficients<'a, T>>> {
    let Some((view, conjugated)) = given else { return Ok(None) };
    Ok(Some(Coefficients { lanes: view.lanes::<T>()?, conjugated: *conjugated }))
}

/// What the weights of a term are multiplied by: all that multiplies its result, unless coefficients do so first.
fn within(term: &Term<'_>, update: Known) -> Complex64 {
    if term.after.is_some() { Known::SET.alpha } else { update.alpha }
}

/// All arrays of terms.
fn arrays<'t, 'a>(terms: &'t [Term<'a>]) -> impl Iterator<Item = &'t View<'a>> {
    terms.iter().flat_map(|term| {
        let factors = term.before.iter().chain(&term.after).map(|(view, _)| view);
        std::iter::once(&term.x).chain(factors)
    })
}

/// Changes how all arrays of terms are seen.
fn each_array<'a>(
    terms: &mut [Term<'a>],
    change: impl Fn(View<'a>) -> Result<View<'a>>,
) -> Result<()> {
    for term in terms {
        term.x = change(term.x.clone())?;
        for (view, _) in term.before.iter_mut().chain(&mut term.after) {
            *view = change(view.clone())?;
        }
    }
    Ok(())
}

/// The extent of the last axis, if it is short and without a band, and joins one that has: a row of that
/// band is then several elements.
fn joined(layouts: &[&Layout], banded: impl Fn(usize) -> bool) -> Option<usize> {
    let y = layouts.first()?;
    let outer = y.rank().checked_sub(2)?;
    let block = y.shape()[outer + 1];
    let gapless = |layout: &&Layout| layout.strides()[outer..] == [block as isize, 1];
    let joins = block < SHORT && banded(outer) && !banded(outer + 1) && layouts.iter().all(gapless);
    joins.then_some(block)
}
