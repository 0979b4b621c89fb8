//! `y ← alpha · C x + beta · y` with a dense convolution, on the host: a few rows of results at once, which share the rows that they are made of.

use arrayspan_bridge::{Lanes, LanesMut, Relayout, View, ViewMut, parallel};
use bytemuck::cast_slice_mut;
use num_complex::Complex64;

use super::convolve_rows::{Rows, Work};
use super::operands::values;
use super::parts::{advance, by_stride, even, for_each_block};
use super::scalar::{Scalar, with_scalar};
use super::scan_sums::Store;
use super::stored::Stored;
use super::sum::{CACHE, MOST_PARTS};
use super::tile::{Blend, tile};
use super::window::ROWS;
use crate::Result;
use crate::factors::Known;
use crate::verb::{ConvolveCall, lanes};

/// Elements of rows that are made at a time.
const WIDTHS: std::ops::RangeInclusive<usize> = 256..=8192;

pub(super) fn run(call: &mut ConvolveCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let known = values(&call.factors)?;
    // Real weights act on real and imaginary parts alike.
    let real = call.convolution.is_real() && known.is_real();
    with_scalar!("convolve", call.y.dtype(), T => {
        if real {
            convolve::<T, <T as Scalar>::Part>(call, known)
        } else {
            convolve::<T, T>(call, known)
        }
    })
}

fn convolve<T, L>(call: &mut ConvolveCall<'_>, known: Known) -> Result<()>
where
    T: Scalar + Stored<Number = T>,
    L: Scalar,
{
    let convolution = call.convolution.clone();
    let order = order(call);
    let x: View<'_> = call.x.view().permuted(&order)?;
    let mut y: ViewMut<'_> = call.y.view_mut().permuted(&order)?;
    let last = order.len() - 1;
    // Where an axis with several taps has become which one.
    let axes = (0..last).map(|axis| (axis, convolution.along(order[axis])));
    let longest =
        axes.filter(|(_, (taps, _))| *taps > 1).max_by_key(|(axis, (taps, _))| (*taps, *axis));
    let beside = longest.map(|(axis, _)| axis);
    let x: Lanes<'_, T> = x.lanes()?;
    let sums = Sums {
        together: beside
            .map(|beside| Rows::<T, L, ROWS>::new(&convolution, &order, &x, Some(beside))),
        alone: Rows::<T, L, 1>::new(&convolution, &order, &x, beside),
        store: Store {
            alpha: L::rounded(known.alpha),
            beta: Blend::new(L::rounded(known.beta)),
            plain: known == Known::SET,
        },
        once: known.alpha == Complex64::ONE,
        beside: beside.unwrap_or(last),
    };
    let y = y.lanes_mut::<T>()?;
    let block = sums.block(y.shape(), convolution.taps().len());
    for_each_block(y, block, &|origin: &[usize], part: LanesMut<'_, T>| sums.part(origin, part));
    Ok(())
}

/// The axes of a call from the largest step to the smallest, that of lanes last.
fn order(call: &ConvolveCall<'_>) -> Vec<usize> {
    let (lanes, strides) = (lanes(call.y.layout()), call.y.layout().strides());
    let others = by_stride(strides).into_iter().filter(|axis| *axis != lanes);
    others.chain([lanes]).collect()
}

/// How results are made and stored.
struct Sums<'a, T, L> {
    /// Rows that are made together along an axis with several taps, and those that are left.
    together: Option<Rows<'a, T, L, ROWS>>,
    alone: Rows<'a, T, L, 1>,
    store: Store<L>,
    /// Whether sums are results, but for what was there before.
    once: bool,
    beside: usize,
}

impl<T, L> Sums<'_, T, L>
where
    T: Scalar + Stored<Number = T>,
    L: Scalar,
{
    /// The shape of parts, if there are several.
    fn block(&self, shape: &[usize], taps: usize) -> Option<Vec<usize>> {
        let (last, len) = (shape.len() - 1, shape.iter().product());
        let parts = size_of::<T>() / size_of::<L>();
        let grain = parallel::even_grain(len, 3 * size_of::<T>(), 2 * taps * parts);
        if grain == usize::MAX {
            return None;
        }
        let mut left = grain.max(len / MOST_PARTS);
        let mut block = vec![1; shape.len()];
        // Each part reads the rows around it that others make theirs of, too.
        let wide = left.min(self.width()).max(*WIDTHS.start());
        block[last] = even(shape[last], wide);
        left /= block[last];
        if self.beside < last {
            let high = even(shape[self.beside], left.max(ROWS)).next_multiple_of(ROWS);
            block[self.beside] = high.min(shape[self.beside]);
            left /= block[self.beside];
        }
        for axis in (0..last).rev().filter(|axis| *axis != self.beside) {
            block[axis] = even(shape[axis], left);
            left /= block[axis];
        }
        Some(block)
    }

    /// Elements of rows that are made before the next rows are.
    fn width(&self) -> usize {
        let rows = self.together.as_ref().map_or(self.alone.count(), Rows::count);
        (CACHE / (rows * size_of::<T>())).clamp(*WIDTHS.start(), *WIDTHS.end())
    }

    /// Makes a part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let last = shape.len() - 1;
        let mut outer = shape[..last].to_vec();
        let rows =
            if self.beside < last { std::mem::replace(&mut outer[self.beside], 1) } else { 1 };
        let (mut together, mut alone) = (Work::default(), Work::default());
        let mut index = vec![0; shape.len()];
        let width = self.width();
        for from in (0..shape[last]).step_by(width) {
            let len = width.min(shape[last] - from);
            index[last] = from;
            loop {
                let mut row = 0;
                while row < rows {
                    if self.beside < last {
                        index[self.beside] = row;
                    }
                    row += match &self.together {
                        Some(of) if row + ROWS <= rows => {
                            self.rows(of, origin, (&mut y, &index), len, &mut together);
                            ROWS
                        }
                        _ => {
                            self.rows(&self.alone, origin, (&mut y, &index), len, &mut alone);
                            1
                        }
                    };
                }
                if self.beside < last {
                    index[self.beside] = 0;
                }
                if !advance(&mut index[..last], &outer) {
                    break;
                }
            }
        }
    }

    /// Makes elements of rows from an index of a part on.
    fn rows<'a, const R: usize>(
        &self,
        of: &Rows<'a, T, L, R>,
        origin: &[usize],
        (y, index): (&mut LanesMut<'_, T>, &[usize]),
        len: usize,
        work: &mut Work<'a, T, L>,
    ) where
        L: 'a,
    {
        let last = index.len() - 1;
        let at: Vec<usize> = origin.iter().zip(index).map(|(a, b)| a + b).collect();
        let mut lanes = y.beside::<R>(index, self.beside, last, len);
        let direct = self.once && lanes.iter_mut().all(|lane| lane.as_mut_slice().is_some());
        let mut held = std::mem::take(&mut work.held);
        let (beta, mut rows): (_, [&mut [T]; R]) = if direct {
            let slices = lanes.each_mut().map(|lane| lane.as_mut_slice().unwrap_or_default());
            (self.store.beta, slices)
        } else {
            held.resize(R * len, T::default());
            let mut rows = held.chunks_exact_mut(len);
            (Blend::Set, std::array::from_fn(|_| rows.next().unwrap_or_default()))
        };
        of.each(&at, len, work, |range, terms| {
            let y = rows.each_mut().map(|row| cast_slice_mut::<T, L>(&mut row[range.clone()]));
            tile(beta, y, terms);
        });
        if !direct {
            for (lane, row) in lanes.iter_mut().zip(held.chunks_exact(len)) {
                self.store.put(lane, 0, row);
            }
        }
        work.held = held;
    }
}
