//! `y ← alpha · P x + beta · y` with sums along curves, on the host: a thread makes a few rows of results at a time, to which each line of
//! the input is added in turn.

use arrayspan_bridge::{LaneMut, Lanes, LanesMut, Relayout, View, ViewMut, parallel};
use bytemuck::{cast_slice, cast_slice_mut};

use super::map;
use super::operands::values;
use super::parts::for_each_block;
use super::project_rows::{Row, Way};
use super::scalar::{Scalar, with_scalar};
use super::scan_sums::Store;
use super::stored::Stored;
use super::tile::Blend;
use crate::factors::Known;
use crate::projection::Paths;
use crate::verb::{MapCall, ProjectCall};
use crate::{Projection, Result};

/// Bytes of the results that are made at a time: they stay in a near cache beside a line of the input.
const ROWS: usize = 64 << 10;

pub(super) fn run(call: &mut ProjectCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    if call.is_cleared() {
        let (nothing, factor) = call.factors.cleared();
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        return map::run(&mut MapCall::new(&nothing, &inputs, call.y.view_mut())?);
    }
    let known = values(&call.factors)?;
    with_scalar!("project", call.y.dtype(), T => {
        if known.is_real() {
            project::<T, <T as Scalar>::Part>(call, known)
        } else {
            project::<T, T>(call, known)
        }
    })
}

/// `L` are the numbers of `T`, or their parts when the factors are real.
fn project<T, L>(call: &mut ProjectCall<'_>, known: Known) -> Result<()>
where
    T: Scalar + Stored<Number = T>,
    T::Part: Way,
    L: Scalar,
{
    let projection = call.projection.clone();
    let x = three_axes(call.x.view())?;
    let mut y = three_axes_mut(call.y.view_mut())?;
    let rows = Rows {
        projection: &projection,
        x: x.lanes::<T>()?,
        store: Store {
            alpha: L::rounded(known.alpha),
            beta: Blend::new(L::rounded(known.beta)),
            plain: known == Known::SET,
        },
    };
    let y = y.lanes_mut::<T>()?;
    let [outer, inner, len] = [0, 1, 2].map(|axis| y.shape()[axis]);
    let crossings = rows.x.shape()[..2].iter().product::<usize>() * len;
    let grain = parallel::even_grain(outer * inner, crossings * 4, crossings * 20);
    let together = (ROWS / (len * size_of::<T>()).max(1)).max(1).min(grain).min(inner);
    let block = (grain < usize::MAX).then(|| vec![1, together, len]);
    for_each_block(y, block, &|origin: &[usize], part: LanesMut<'_, T>| {
        rows.part(origin, part, together);
    });
    Ok(())
}

fn three_axes(view: View<'_>) -> Result<View<'_>> {
    let &[rows, len] = view.shape() else { return Ok(view) };
    Ok(view.reshaped(&[1, rows, len])?)
}

fn three_axes_mut(view: ViewMut<'_>) -> Result<ViewMut<'_>> {
    let &[rows, len] = view.shape() else { return Ok(view) };
    Ok(view.reshaped(&[1, rows, len])?)
}

/// What rows of results are made of.
struct Rows<'a, T, L> {
    projection: &'a Projection,
    x: Lanes<'a, T>,
    store: Store<L>,
}

impl<T, L> Rows<'_, T, L>
where
    T: Scalar + Stored<Number = T>,
    T::Part: Way,
    L: Scalar,
{
    /// A part of the output that begins at `origin`, so many rows at a time.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>, together: usize) {
        let [outer, inner, len] = [0, 1, 2].map(|axis| y.shape()[axis]);
        let total: usize = self.projection.rows().iter().rev().nth(1).copied().unwrap_or(1);
        let mut sums = vec![T::default(); together * len];
        let mut copied = Vec::new();
        for first in (0..outer).flat_map(|a| (0..inner).step_by(together).map(move |b| (a, b))) {
            let (a, b) = first;
            let count = together.min(inner - b);
            let row = (origin[0] + a) * total + origin[1] + b;
            let sums = &mut sums[..count * len];
            sums.fill(T::default());
            self.sums(row, len, sums, &mut copied);
            for (number, sums) in sums.chunks(len.max(1)).enumerate() {
                let mut lane: LaneMut<'_, T> = y.lane(&[a, b + number, 0], 2, len);
                self.store.put(&mut lane, 0, sums);
            }
        }
    }

    /// Rows of results from number `row` on.
    fn sums(&self, row: usize, len: usize, sums: &mut [T], copied: &mut Vec<T>) {
        let (curves, transposed) = (self.projection.curves(), self.projection.is_transposed());
        let [outer, inner, extent] = [0, 1, 2].map(|axis| self.x.shape()[axis]);
        let parts = size_of::<T>() / size_of::<T::Part>();
        for (number, at) in (0..outer).flat_map(|a| (0..inner).map(move |b| [a, b, 0])).enumerate() {
            let lane = self.x.lane(&at, 2, extent);
            let items = lane.as_slice().unwrap_or_else(|| {
                copied.resize(extent, T::default());
                lane.gather(0, copied);
                copied
            });
            let x: &[T::Part] = cast_slice(items);
            for (near, y) in sums.chunks_mut(len.max(1)).enumerate() {
                let y: &mut [T::Part] = cast_slice_mut(y);
                let (ray, line) =
                    if transposed { (number, row + near) } else { (row + near, number) };
                Row { curves, ray, line, transposed, parts }.add(x, y);
            }
        }
        if let (Paths::Straight { weight, .. }, false) = (&curves.paths, transposed) {
            let sums: &mut [T::Part] = cast_slice_mut(sums);
            let weights = &weight[row * curves.points()..];
            for (sums, weight) in sums.chunks_mut(parts).zip(weights) {
                // A ray that crosses no line has the weight 0 and no sum.
                sums.iter_mut().for_each(|sum| *sum = *sum * Way::of(*weight));
            }
        }
    }
}
