//! `y ← alpha · S x + beta · y` with running sums along an axis, on the host.
//!
//! Where neighbours in `y` lie along the axis, sums go along lanes; else a row of sums goes from row to row. An axis is cut into
//! blocks of a fixed length: the sum before a block is that of all blocks before it, each added up by itself. So results do
//! not depend on whether one thread goes along an axis or several share it, for which it is read twice.

use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{LaneMut, Lanes, Relayout, View, ViewMut, parallel};
use bytemuck::{cast_slice, cast_slice_mut};
use std::ops::Range;

use super::blend::{blend, term};
use super::map;
use super::operands::values;
use super::parts::by_stride;
use super::scalar::{Scalar, with_scalar};
use super::scan_line::Along;
use super::scan_rows::Across;
use super::tile::Blend;
use crate::factors::Known;
use crate::verb::{MapCall, ScanCall, Split};
use crate::{Result, Scan};

pub(super) fn run(call: &mut ScanCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    if call.scan.columns() == 0 {
        let (nothing, factor) = call.factors.cleared();
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        return map::run(&mut MapCall::new(&nothing, &inputs, call.y.view_mut())?);
    }
    let known = values(&call.factors)?;
    let real = known.is_real();
    with_scalar!("scan", call.y.dtype(), T => {
        if real { scan::<T, <T as Scalar>::Part>(call, known) } else { scan::<T, T>(call, known) }
    })
}

/// `L` is `T`, or its parts when the factors are real.
fn scan<T: Scalar, L: Scalar>(call: &mut ScanCall<'_>, update: Known) -> Result<()> {
    let (x, mut y, across) = arranged(call.scan.axis(), call.x.view(), call.y.view_mut())?;
    let store = Store {
        alpha: L::rounded(update.alpha),
        beta: Blend::new(L::rounded(update.beta)),
        plain: update == Known::SET,
    };
    let (x, y) = (x.lanes::<T>()?, y.lanes_mut::<T>()?);
    let sums = Sums { x, scan: call.scan, store };
    if across {
        Across(sums).run(y);
    } else {
        Along(sums).run(y);
    }
    Ok(())
}

/// Views with as few axes as possible: the other axes first, then that of the sums. Where lanes go along one of the others, it
/// is behind all.
fn arranged<'a>(axis: usize, x: View<'a>, y: ViewMut<'a>) -> Result<(View<'a>, ViewMut<'a>, bool)> {
    let strides = y.layout().strides().to_vec();
    let others: Vec<usize> =
        by_stride(&strides).into_iter().filter(|other| *other != axis).collect();
    let near = |axis: &usize| strides[*axis].unsigned_abs();
    let long = others.iter().filter(|other| y.shape()[**other] > 1);
    let across = long.map(near).min().is_some_and(|lane| lane <= near(&axis));
    let [rows, columns] = [y.shape()[axis], x.shape()[axis]];
    let along = [Split::along(y.layout(), &others)?, Split::along(x.layout(), &others)?];
    let mut shape = collapse(&[&along[0], &along[1]]).shape.to_vec();
    let order = [others, vec![axis]].concat();
    shape.push(columns);
    let x = x.permuted(&order)?.reshaped(&shape)?;
    let last = shape.len() - 1;
    shape[last] = rows;
    let y = y.permuted(&order)?.reshaped(&shape)?;
    if !across {
        return Ok((x, y, false));
    }
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order.swap(last - 1, last);
    Ok((x.permuted(&order)?, y.permuted(&order)?, true))
}

/// What is summed, how, and what becomes of it.
pub(super) struct Sums<'a, T, L> {
    pub(super) x: Lanes<'a, T>,
    pub(super) scan: Scan,
    pub(super) store: Store<L>,
}

impl<T: Scalar, L: Scalar> Sums<'_, T, L> {
    /// The indices of the square matrix that block `number` has, of so many results each. The first has those that are left
    /// out before them, too.
    pub(super) fn block(&self, number: usize, len: usize) -> Range<usize> {
        let [first, _] = self.scan.left_out();
        let end = (first + (number + 1) * len).min(self.scan.extent());
        let start = if number == 0 { 0 } else { first + number * len };
        start..end
    }

    /// Numbers from 0 to `count`, in the order in which sums go.
    pub(super) fn order(&self, count: usize) -> impl Iterator<Item = usize> + use<T, L> {
        let backward = self.scan.is_backward();
        (0..count).map(move |number| if backward { count - 1 - number } else { number })
    }

    /// Whether threads share an axis of so many blocks, if there are so many other parts.
    pub(super) fn shares(blocks: usize, parts: usize, elements: usize) -> bool {
        let grain = parallel::grain(elements, 2 * size_of::<T>(), 4);
        blocks > 1 && grain < usize::MAX && parts < parallel::threads(usize::MAX)
    }
}

/// How results are stored.
pub(super) struct Store<L> {
    alpha: L,
    beta: Blend<L>,
    /// Whether they are just written.
    pub(super) plain: bool,
}

impl<L: Scalar> Store<L> {
    /// `y ← alpha · results + beta · y` for the elements of a lane from `from` on.
    pub(super) fn put<T: Scalar>(&self, y: &mut LaneMut<'_, T>, from: usize, results: &[T]) {
        if self.plain {
            return y.scatter(from, results);
        }
        let len = results.len();
        let results = [term(cast_slice(results), self.alpha)];
        if let Some(slice) = y.as_mut_slice() {
            return blend(self.beta, cast_slice_mut(&mut slice[from..from + len]), &results);
        }
        let mut old = vec![T::default(); len];
        if self.beta != Blend::Set {
            y.read().gather(from, &mut old);
        }
        blend(self.beta, cast_slice_mut(&mut old), &results);
        y.scatter(from, &old);
    }
}
