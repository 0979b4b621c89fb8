//! `y ← alpha · F x + beta · y` with Fourier transforms along an axis, on the host: lines are gathered a few at a time, where they lie
//! side by side, transformed in memory near the core, and written.

mod bins;
mod butterflies;
pub(super) mod complex;
mod cosines;
pub(super) mod factors;
pub(super) mod kind;
pub(super) mod lines;
pub(super) mod place;
pub(super) mod plans;
pub(super) mod room;
mod roots;
pub(super) mod rows;
mod several;
mod stages;
pub(super) mod together;
mod transpose;

use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{DType, LanesMut, Relayout, View, ViewMut, parallel};
use bytemuck::Pod;
use num_complex::{Complex, Complex64};

use self::kind::Kind;
use self::lines::{Ends, Part, Sample};
use self::plans::{Plan, Planned};
use self::together::width;
use super::map;
use super::operands::values;
use super::parts::{by_stride, for_each_block};
use super::scalar::Scalar;
use super::scan_sums::Store;
use super::stored::Stored;
use super::tile::Blend;
use crate::factors::Known;
use crate::verb::{FftCall, Split};
use crate::{Fit, Fourier, Result, Signals, fit};

/// Bytes of the lines that are gathered together where they lie side by side: they stay in a near cache.
const TILE: usize = 256 << 10;

/// The same where each is contiguous, and lines together save little.
const LINES: usize = 16 << 10;

/// Bytes of a row of samples that lines side by side have at least: a cache line is read once.
const ROW: usize = 128;

pub(super) fn run(call: &mut FftCall<'_>) -> Result<()> {
    if call.y.layout().is_empty() {
        return Ok(());
    }
    if call.is_cleared() {
        return map::run(&mut call.factors.clearing(call.y.view_mut())?);
    }
    let known = values(&call.factors)?;
    match call.y.dtype().real() {
        DType::Float32 => precision::<f32>(call, known),
        _ => precision::<f64>(call, known),
    }
}

fn precision<T>(call: &mut FftCall<'_>, known: Known) -> Result<()>
where
    T: Planned + Scalar + Sample<T> + Stored<Number = T>,
    Complex<T>: Scalar + Sample<T> + Stored<Number = Complex<T>>,
{
    match (call.x.dtype().is_complex(), call.y.dtype().is_complex(), known.is_real()) {
        (false, false, _) => lines::<T, T, T, T>(call, known),
        (false, _, true) => lines::<T, T, Complex<T>, T>(call, known),
        (false, _, false) => lines::<T, T, Complex<T>, Complex<T>>(call, known),
        (_, false, _) => lines::<T, Complex<T>, T, T>(call, known),
        (_, _, true) => lines::<T, Complex<T>, Complex<T>, T>(call, known),
        _ => lines::<T, Complex<T>, Complex<T>, Complex<T>>(call, known),
    }
}

/// Transforms lines of `X` to lines of `Y`, times factors of type `L`: that of the results, or their parts.
fn lines<T, X, Y, L>(call: &mut FftCall<'_>, known: Known) -> Result<()>
where
    T: Planned + Scalar + Sample<T>,
    X: Scalar + Sample<T>,
    Y: Stored<Number = Y> + Pod + Sample<T>,
    L: Scalar,
{
    let fourier = call.fourier;
    let (x, mut y, across) = arranged(fourier.axis(), call.x.view(), call.y.view_mut())?;
    let cosines = fourier.signals() == Signals::Cosines;
    let line = y.shape().len() - 2;
    let several = several::<T, X, Y>(&fourier, y.shape(), across);
    let plan = T::plans().get(kind(&fourier), several, fourier.points());
    let together = matches!(plan, Plan::Together(_));
    let alpha = known.alpha.scale(fourier.scale());
    // These are multiplied by all factors at once, where they are numbers of the dtype.
    let weights = [alpha.re, alpha.re * fourier.inner()];
    let [first, others] = weights.map(|weight| fit(weight, T::DTYPE));
    let at_once = (cosines || together && alpha.im == 0.0)
        && others == Fit::Held
        && matches!(first, Fit::Held | Fit::TooSmall);
    let weights = if at_once { weights } else { [1.0, fourier.inner()] };
    let alpha = if at_once { Complex64::ONE } else { alpha };
    let store = Store {
        alpha: L::rounded(alpha),
        beta: Blend::new(L::rounded(known.beta)),
        plain: alpha == Complex64::ONE && !known.reads(),
    };
    let ends = Ends { x: x.lanes::<X>()?, fourier, weights, across, store };
    let y = y.lanes_mut::<Y>()?;
    let bytes = if cosines { size_of::<T>() } else { size_of::<Complex<T>>() };
    let tile = tile(&fourier, across, bytes).min(y.shape()[line]);
    let tile = if together { tile.next_multiple_of(width::<T>()) } else { tile };
    let block = block(y.shape(), fourier.points(), size_of::<X>() + size_of::<Y>(), tile);
    for_each_block(y, block, &|origin: &[usize], y: LanesMut<'_, Y>| {
        let part = Part { origin, y, tile };
        match &plan {
            Plan::Together(plan) => ends.together(plan, part),
            plan => ends.transform(plan, part),
        }
    });
    Ok(())
}

/// Whether lines of results of that shape are transformed several at once.
fn several<T: Planned, X: Sample<T>, Y: Sample<T>>(
    fourier: &Fourier,
    shape: &[usize],
    across: bool,
) -> bool {
    let (kind, points) = (kind(fourier), fourier.points());
    // Real samples are not parts of complex ones, and bins are complex numbers.
    let [samples, others] =
        if kind.is_inverse() { [Y::PARTS, X::PARTS] } else { [X::PARTS, Y::PARTS] };
    let parts = if kind.has_cosines() { 1 } else { 2 };
    let fits = match kind {
        // A complex line that is contiguous is transformed as it is in vector code as fast.
        Kind::Complex { .. } => across,
        _ => samples == 1 && others == parts,
    };
    let points = if kind.by_twos(points) { points / 2 + 1 } else { points };
    let bytes = size_of::<X>() + size_of::<Y>();
    let enough = together::fill::<T>(shape[shape.len() - 2], points, across);
    fits && enough && are_shared(shape, fourier.points(), bytes, width::<T>())
}

/// Whether threads share groups of so many lines of so many points as evenly as lines, or need not share any.
pub(super) fn are_shared(shape: &[usize], points: usize, bytes: usize, width: usize) -> bool {
    let lines = shape[..shape.len() - 1].iter().product::<usize>();
    let threads = parallel::threads(usize::MAX).min(lines);
    2 * lines.div_ceil(width) >= threads || block(shape, points, bytes, 1).is_none()
}

/// How its lines are transformed.
fn kind(fourier: &Fourier) -> Kind {
    match (fourier.signals(), fourier.is_inverse()) {
        (Signals::Half, false) => Kind::ToHalf,
        (Signals::Half, true) => Kind::FromHalf,
        (Signals::Cosines, false) => Kind::ToCosines,
        (Signals::Cosines, true) => Kind::FromCosines,
        _ => Kind::Complex { positive: fourier.is_positive() },
    }
}

/// Lines that are gathered together.
fn tile(fourier: &Fourier, across: bool, bytes: usize) -> usize {
    let line = fourier.points().saturating_mul(bytes);
    if across { (TILE / line).max(ROW / bytes) } else { (LINES / line).max(1) }
}

/// The part that a core takes at a time, of whole tiles of lines of so many points; `None` if that is all.
pub(super) fn block(
    shape: &[usize],
    points: usize,
    bytes: usize,
    tile: usize,
) -> Option<Vec<usize>> {
    let (line, lines) = (shape.len() - 2, shape[..shape.len() - 1].iter().product::<usize>());
    // Some ten operations of real numbers for each point and pass.
    let flops = points.saturating_mul(10 * (points.ilog2() as usize + 1));
    let grain = parallel::even_grain(lines, points.saturating_mul(bytes), flops);
    if grain == usize::MAX {
        return None;
    }
    let mut block = vec![1; shape.len()];
    block[line + 1] = shape[line + 1];
    let mut left = grain.next_multiple_of(tile);
    for axis in (0..=line).rev() {
        block[axis] = left.clamp(1, shape[axis]);
        left /= shape[axis];
    }
    Some(block)
}

/// Views with as few axes as possible: the other axes first, at least one of them, then that of the transform; and whether lines lie
/// side by side, so that neighbours are of several.
pub(super) fn arranged<'a>(
    axis: usize,
    x: View<'a>,
    y: ViewMut<'a>,
) -> Result<(View<'a>, ViewMut<'a>, bool)> {
    let strides = y.layout().strides().to_vec();
    let others: Vec<usize> =
        by_stride(&strides).into_iter().filter(|other| *other != axis).collect();
    let [rows, columns] = [y.shape()[axis], x.shape()[axis]];
    let along = [Split::along(y.layout(), &others)?, Split::along(x.layout(), &others)?];
    let mut shape = collapse(&[&along[0], &along[1]]).shape.to_vec();
    if shape.is_empty() {
        shape.push(1);
    }
    let order = [others, vec![axis]].concat();
    shape.push(columns);
    let x = x.permuted(&order)?.reshaped(&shape)?;
    let last = shape.len() - 1;
    shape[last] = rows;
    let y = y.permuted(&order)?.reshaped(&shape)?;
    let near = |strides: &[isize]| strides[last - 1].unsigned_abs() < strides[last].unsigned_abs();
    let across = shape[last - 1] > 1 && (near(y.layout().strides()) || near(x.layout().strides()));
    Ok((x, y, across))
}
