//! `y ← alpha · stencil(x) + beta · y` on the host.

use arrayspan_bridge::{Line, Lines, LinesMut, Relayout};
use bytemuck::{cast_slice, cast_slice_mut};
use num_complex::Complex64;

use super::blend::{Blend, blend};
use super::parts::{CHUNK, advance, by_stride, for_each_part};
use super::scalar::{Scalar, with_scalar};
use crate::collapse::collapse_around;
use crate::verb::StencilCall;
use crate::{Band, Result, Tap};

pub(super) fn run(call: StencilCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    // Real weights act on real and imaginary parts alike, so complex arrays need no complex products.
    let real = call.stencil.is_real() && call.update.is_real();
    with_scalar!("stencil", call.y.dtype(), T => {
        if real { stencil::<T, <T as Scalar>::Part>(call) } else { stencil::<T, T>(call) }
    })
}

/// `L` is `T`, or its parts when all weights are real.
fn stencil<T: Scalar, L: Scalar>(call: StencilCall<'_>) -> Result<()> {
    let order = by_stride(call.y.layout().strides());
    let (x, y) = (call.x.permuted(&order)?, call.y.permuted(&order)?);
    let place = |axis: usize| order.iter().position(|&old| old == axis);
    let fixed: Vec<usize> =
        call.stencil.terms().iter().filter_map(|(axis, _)| place(*axis)).collect();
    let collapsed = collapse_around(&[y.layout(), x.layout()], &fixed);
    let mut shape = collapsed.shape;
    if shape.is_empty() {
        shape.push(1);
    }
    let (x, mut y) = (x.reshaped(&shape)?, y.reshaped(&shape)?);
    let parts = size_of::<T>() / size_of::<L>();
    let terms = call.stencil.terms().iter().zip(&fixed);
    let rows = terms.filter_map(|((_, band), &axis)| {
        Some((collapsed.axes[axis]?, Rows::<L>::new(band, call.update.alpha, parts)))
    });
    let last = shape.len() - 1;
    let (own, across): (Vec<_>, Vec<_>) = rows.partition(|(axis, _)| *axis == last);
    let stencil = Weighted {
        x: x.lines::<T>()?,
        own: own.into_iter().next().map(|(_, rows)| rows),
        across,
        beta: Blend::new(L::rounded(call.update.beta)),
    };
    for_each_part(y.lines_mut::<T>()?, &|origin, part| stencil.part(origin, part));
    Ok(())
}

/// A band with its weights as the loops use them.
struct Rows<L> {
    len: usize,
    interior: Vec<(isize, L)>,
    head: Vec<Vec<(isize, L)>>,
    tail: Vec<Vec<(isize, L)>>,
    /// The rows from here to there are interior, with no tap outside the axis.
    whole: (usize, usize),
    /// How far the taps of any row reach to the left and to the right.
    reach: (usize, usize),
    /// How many `L` make an element.
    parts: usize,
}

impl<L: Scalar> Rows<L> {
    fn new(band: &Band, alpha: Complex64, parts: usize) -> Self {
        let weighted = |taps: &[Tap]| -> Vec<(isize, L)> {
            taps.iter().map(|tap| (tap.offset, L::rounded(alpha * tap.weight))).collect()
        };
        let offsets = || band.interior().iter().map(|tap| tap.offset);
        let left = offsets().min().unwrap_or(0).min(0).unsigned_abs();
        let right = offsets().max().unwrap_or(0).max(0).unsigned_abs();
        let len = band.len();
        let first = band.head().len().max(left).min(len);
        let end = len.saturating_sub(band.tail().len().max(right)).max(first);
        Self {
            len,
            interior: weighted(band.interior()),
            head: band.head().iter().map(|taps| weighted(taps)).collect(),
            tail: band.tail().iter().map(|taps| weighted(taps)).collect(),
            whole: (first, end),
            reach: band.reach(),
            parts,
        }
    }

    /// The columns and weights of row `i`.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, L)> {
        let tail = self.len - self.tail.len();
        let taps = match self.head.get(i) {
            Some(row) => row,
            None if i >= tail => &self.tail[i - tail],
            None => &self.interior,
        };
        let column = move |offset| i.checked_add_signed(offset).filter(|&j| j < self.len);
        taps.iter().filter_map(move |&(offset, weight)| Some((column(offset)?, weight)))
    }

    /// Adds rows from `begin` on, one by one, to `y`, where the first element of `x` is in column `base`.
    fn edge(&self, begin: usize, y: &mut [L], base: usize, x: &[L]) {
        let parts = self.parts;
        for (i, y) in y.chunks_exact_mut(parts).enumerate() {
            for (column, weight) in self.row(begin + i) {
                let from = (column - base) * parts;
                for (y, x) in y.iter_mut().zip(&x[from..from + parts]) {
                    *y = *y + weight * *x;
                }
            }
        }
    }
}

struct Weighted<'a, T, L> {
    x: Lines<'a, T>,
    /// The band along the last axis, if there is one.
    own: Option<Rows<L>>,
    /// The bands along other axes.
    across: Vec<(usize, Rows<L>)>,
    beta: Blend<L>,
}

impl<T: Scalar, L: Scalar> Weighted<'_, T, L> {
    /// Computes the part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut y: LinesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let mut sum = vec![T::default(); CHUNK.min(shape[axis])];
        let mut buffers = [Vec::new(), Vec::new()];
        for from in (0..shape[axis]).step_by(CHUNK) {
            let n = CHUNK.min(shape[axis] - from);
            let mut index = vec![0; shape.len()];
            index[axis] = from;
            loop {
                let at: Vec<usize> = origin.iter().zip(&index).map(|(a, b)| a + b).collect();
                let mut line = y.line(&index, axis, n);
                if let Some(slice) = line.as_mut_slice() {
                    self.chunk(&at, slice, &mut buffers);
                } else {
                    if self.beta != Blend::Set {
                        line.read().gather(0, &mut sum[..n]);
                    }
                    self.chunk(&at, &mut sum[..n], &mut buffers);
                    line.scatter(0, &sum[..n]);
                }
                if !advance(&mut index[..axis], &shape[..axis]) {
                    break;
                }
            }
        }
    }

    /// Computes the elements from `at` along the last axis, as many as `y` has.
    fn chunk(&self, at: &[usize], y: &mut [T], buffers: &mut [Vec<T>; 2]) {
        let axis = at.len() - 1;
        let start = at[axis];
        let end = start + y.len();
        let [gathered, window] = buffers;

        let mut at = at.to_vec();
        let mut lines = Vec::new();
        for (other, rows) in &self.across {
            let row = at[*other];
            for (column, weight) in rows.row(row) {
                at[*other] = column;
                lines.push((self.x.line(&at, axis, y.len()), weight));
            }
            at[*other] = row;
        }
        let across = slices(&lines, y.len(), gathered);

        let Some(own) = &self.own else {
            let terms: Vec<_> = across.iter().map(|(x, w)| (cast_slice(x), *w)).collect();
            return blend(self.beta, cast_slice_mut(y), &terms);
        };
        // The columns that these rows may need, and where they begin.
        let base = start.saturating_sub(own.reach.0);
        at[axis] = base;
        let columns = (end + own.reach.1).min(own.len) - base;
        let line = [(self.x.line(&at, axis, columns), ())];
        let x = slices(&line, columns, window)[0].0;

        let (first, last) = (own.whole.0.clamp(start, end), own.whole.1.clamp(start, end));
        let mut terms: Vec<(&[L], L)> = Vec::with_capacity(across.len() + own.interior.len());
        for (begin, end, inside) in [(start, first, false), (first, last, true), (last, end, false)]
        {
            if begin == end {
                continue;
            }
            let part = begin - start..end - start;
            terms.clear();
            terms.extend(across.iter().map(|(x, w)| (cast_slice(&x[part.clone()]), *w)));
            if inside {
                terms.extend(own.interior.iter().map(|&(offset, weight)| {
                    let from = (begin - base).wrapping_add_signed(offset);
                    (cast_slice(&x[from..from + part.len()]), weight)
                }));
            }
            let y: &mut [L] = cast_slice_mut(&mut y[part]);
            blend(self.beta, y, &terms);
            if !inside {
                own.edge(begin, y, base, cast_slice(x));
            }
        }
    }
}

/// The lines as slices: their own, or copies of them.
fn slices<'x, T: Scalar, W: Copy>(
    lines: &[(Line<'x, T>, W)],
    len: usize,
    buffer: &'x mut Vec<T>,
) -> Vec<(&'x [T], W)> {
    if lines.iter().all(|(line, _)| line.as_slice().is_some()) {
        return lines.iter().filter_map(|(line, w)| Some((line.as_slice()?, *w))).collect();
    }
    buffer.resize(lines.len() * len, T::default());
    for ((line, _), part) in lines.iter().zip(buffer.chunks_exact_mut(len)) {
        line.gather(0, part);
    }
    lines.iter().zip(buffer.chunks_exact(len)).map(|((_, w), part)| (part, *w)).collect()
}
