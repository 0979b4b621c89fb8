//! `y ← alpha · S x + beta · y` with running sums along an axis, on the host.
//!
//! Where neighbours in `y` lie along the axis, sums go along lanes; else a row of sums goes from row to row. An axis is cut into
//! blocks of a fixed length: the sum before a block is that of all blocks before it, each added up by itself. So results do
//! not depend on whether one thread goes along an axis or several share it, for which it is read twice.

use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{DType, Relayout, View, ViewMut};

use super::map;
use super::operands::values;
use super::parts::by_stride;
use super::scalar::{Scalar, with_scalar};
use super::scan_line::Along;
use super::scan_rows::Across;
use super::scan_sums::{Store, Sums};
use super::stored::{Part, Stored};
use super::tile::Blend;
use crate::Result;
use crate::factors::Known;
use crate::verb::{ScanCall, Split};

pub(super) fn run(call: &mut ScanCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    if call.is_cleared() {
        return map::run(&mut call.factors.clearing(call.y.view_mut())?);
    }
    let known = values(&call.factors)?;
    let real = known.is_real();
    match call.y.dtype() {
        DType::Float16 => return scan::<half::f16, f32>(call, known),
        DType::BFloat16 => return scan::<half::bf16, f32>(call, known),
        _ => {}
    }
    with_scalar!("scan", call.y.dtype(), T => {
        if real { scan::<T, Part<T>>(call, known) } else { scan::<T, T>(call, known) }
    })
}

/// `L` are the numbers of `S`, or their parts when the factors are real.
fn scan<S: Stored, L: Scalar>(call: &mut ScanCall<'_>, update: Known) -> Result<()> {
    let (x, mut y, across) = arranged(call.scan.axis(), call.x.view(), call.y.view_mut())?;
    let store = Store {
        alpha: L::rounded(update.alpha),
        beta: Blend::new(L::rounded(update.beta)),
        plain: update == Known::SET,
    };
    let (x, y) = (x.lanes::<S>()?, y.lanes_mut::<S>()?);
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
