//! Stencils and arrays, arranged for the loops: axes in the order of memory and as few as there can be, bands by the axes that are
//! left, weights multiplied.

use arrayspan_bridge::iteration::collapse_around;
use arrayspan_bridge::{LanesMut, Layout, Relayout, View, ViewMut};
use num_complex::Complex64;

use super::across::of_stencil;
use super::banded::{Banded, Coefficients};
use super::parts::by_stride;
use super::pieces::Pieces;
use super::rows::Rows;
use super::scalar::Scalar;
use super::sum::{CHUNK, Sum};
use super::tile::Blend;
use super::walk;
use crate::factors::Known;
use crate::{Result, Stencil};

/// Lanes shorter than this are joined to the axis before them, if that has a band.
pub(super) const SHORT: usize = 64;

/// A stencil and the arrays of its term.
pub(super) struct Term<'a> {
    pub(super) stencil: &'a Stencil,
    pub(super) x: View<'a>,
    pub(super) before: Option<(View<'a>, bool)>,
    pub(super) after: Option<(View<'a>, bool)>,
}

/// A sum of terms and where it goes. `L` is `T`, or its parts when all weights are real.
///
/// Has addresses of the arrays' elements, and references to nothing.
pub(super) struct Arranged<'x, 'y, T, L> {
    sum: Sum<'x, T, L>,
    y: LanesMut<'y, T>,
}

impl<'x, 'y, T: Scalar, L: Scalar> Arranged<'x, 'y, T, L> {
    /// The terms, and `y` with elements.
    pub(super) fn new(terms: &mut [Term<'x>], mut y: ViewMut<'y>, update: Known) -> Result<Self> {
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
            let shape = [
                &collapsed.shape[..last - 1],
                &[collapsed.shape[last] * collapsed.shape[last - 1]],
            ];
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
        Ok(Self { sum, y: y.into_lanes_mut::<T>()? })
    }

    /// Computes all elements; the sum of their squares, too, if it is asked for and made in the same pass.
    pub(super) fn run(&mut self, normed: bool) -> Option<f64> {
        walk::run(&self.sum, self.y.reborrow(), normed)
    }
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
pub(super) fn each_array<'a>(
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
