//! `y ← alpha · P x + beta · y` with sums along curves, on the host: a thread makes a few rows of results at a time, to which each line of
//! the input is added in turn.

use arrayspan_bridge::{Lanes, LanesMut, Relayout, View, ViewMut, parallel};
use bytemuck::{cast_slice, cast_slice_mut};

use super::map;
use super::operands::values;
use super::parts::{advance, for_each_block};
use super::project_rows::{Row, Way};
use super::scalar::{Scalar, with_scalar};
use super::scan_sums::Store;
use super::stored::Stored;
use super::tile::Blend;
use crate::factors::Known;
use crate::projection::Paths;
use crate::verb::{ProjectCall, others};
use crate::{Projection, Result};

/// Bytes of the results that are made at a time: they stay in a near cache beside a line of the input.
const ROWS: usize = 64 << 10;

pub(super) fn run(call: &mut ProjectCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    if call.is_cleared() {
        return map::run(&mut call.factors.clearing(call.y.view_mut())?);
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
    let (x, mut y) = arranged(&projection, call.x.view(), call.y.view_mut())?;
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
    let last = y.shape().len() - 1;
    let (all, inner, len) =
        (y.shape()[..last].iter().product(), y.shape()[last - 1], y.shape()[last]);
    let crossings = projection.columns().iter().rev().skip(1).product::<usize>() * len;
    let grain = parallel::even_grain(all, crossings * 4, crossings * 20);
    let together = (ROWS / (len * size_of::<T>())).max(1).min(grain).min(inner);
    let block = (grain < usize::MAX).then(|| {
        let mut block = vec![1; last + 1];
        (block[last - 1], block[last]) = (together, len);
        block
    });
    for_each_block(y, block, &|origin: &[usize], part: LanesMut<'_, T>| {
        rows.part(origin, part, together);
    });
    Ok(())
}

/// Views with the other axes first, then three of the projection's.
fn arranged<'a>(
    projection: &Projection,
    x: View<'a>,
    y: ViewMut<'a>,
) -> Result<(View<'a>, ViewMut<'a>)> {
    let (rank, count) = (x.shape().len(), projection.rows().len());
    let mut order = others(projection, rank);
    order.extend(projection.axis()..projection.axis() + count);
    let (x, y) = (x.permuted(&order)?, y.permuted(&order)?);
    if count == 3 {
        return Ok((x, y));
    }
    let shape = |shape: &[usize]| {
        let mut shape = shape.to_vec();
        shape.insert(rank - 2, 1);
        shape
    };
    let (from, to) = (shape(x.shape()), shape(y.shape()));
    Ok((x.reshaped(&from)?, y.reshaped(&to)?))
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
        let shape = y.shape().to_vec();
        let last = shape.len() - 1;
        let (inner, len) = (shape[last - 1], shape[last]);
        let total = self.projection.rows().iter().rev().nth(1).copied().unwrap_or(1);
        let mut sums = vec![T::default(); together * len];
        let mut copied = Vec::new();
        let mut index = vec![0; last + 1];
        loop {
            let at: Vec<usize> = origin.iter().zip(&index).map(|(a, b)| a + b).collect();
            for first in (0..inner).step_by(together) {
                let sums = &mut sums[..together.min(inner - first) * len];
                sums.fill(T::default());
                let row = at[last - 2] * total + at[last - 1] + first;
                self.sums(&at[..last - 2], row, len, sums, &mut copied);
                for (number, sums) in sums.chunks(len).enumerate() {
                    index[last - 1] = first + number;
                    self.store.put(&mut y.lane(&index, last, len), 0, sums);
                }
            }
            index[last - 1] = 0;
            if !advance(&mut index[..last - 1], &shape[..last - 1]) {
                break;
            }
        }
    }

    /// Rows of results from number `row` on, at an index of the other axes.
    fn sums(&self, others: &[usize], row: usize, len: usize, sums: &mut [T], copied: &mut Vec<T>) {
        let (curves, transposed) = (self.projection.curves(), self.projection.is_transposed());
        let axis = others.len();
        let [outer, inner, extent] = [0, 1, 2].map(|own| self.x.shape()[axis + own]);
        let parts = size_of::<T>() / size_of::<T::Part>();
        let mut index = [others, &[0; 3]].concat();
        for number in 0..outer * inner {
            (index[axis], index[axis + 1]) = (number / inner, number % inner);
            let lane = self.x.lane(&index, axis + 2, extent);
            let items = lane.as_slice().unwrap_or_else(|| {
                copied.resize(extent, T::default());
                lane.gather(0, copied);
                copied
            });
            let x: &[T::Part] = cast_slice(items);
            for (near, y) in sums.chunks_mut(len).enumerate() {
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
                for sum in sums {
                    *sum = *sum * Way::of(*weight);
                }
            }
        }
    }
}
