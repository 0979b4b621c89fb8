//! Parallel work: the output is split into parts, each of which runs on a free core.

use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{LanesMut, Relayout, View, ViewMut};

use crate::Result;

/// Work on fewer elements stays on the caller's thread: waking another costs more than it saves.
pub(super) const GRAIN: usize = 64 * 1024;

/// The shape of the parts of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Parts {
    /// Whole lanes, as long as there are several.
    Lanes,
    /// About square, for inputs that are contiguous along another axis.
    Squares,
}

/// Calls `work` for parts of `out` that make up all of it, with the index in `out` where each begins.
pub(super) fn for_each_part<T: Send>(
    out: LanesMut<'_, T>,
    parts: Parts,
    work: &(impl Fn(&[usize], LanesMut<'_, T>) + Sync),
) {
    let origin = vec![0; out.shape().len()];
    cut(origin, out, parts, work);
}

fn cut<T: Send>(
    origin: Vec<usize>,
    out: LanesMut<'_, T>,
    parts: Parts,
    work: &(impl Fn(&[usize], LanesMut<'_, T>) + Sync),
) {
    let shape = out.shape();
    let len: usize = shape.iter().product();
    let axis = match parts {
        Parts::Lanes => shape.iter().position(|&extent| extent > 1),
        Parts::Squares => (0..shape.len()).max_by_key(|&axis| shape[axis]),
    };
    match axis {
        Some(axis) if len > GRAIN => {
            let half = shape[axis] / 2;
            let (first, second) = out.split_at(axis, half);
            let mut moved = origin.clone();
            moved[axis] += half;
            rayon::join(|| cut(origin, first, parts, work), || cut(moved, second, parts, work));
        }
        _ if len > 0 => work(&origin, out),
        _ => {}
    }
}

/// Calls `visit` for every lane along the last axis of a part with that origin and shape, or, where
/// lanes are longer than `width`, for their first `width` elements, then for the next. `visit` takes the
/// index in the part and in the whole where the lane begins, and its length.
pub(super) fn for_each_lane(
    origin: &[usize],
    shape: &[usize],
    width: usize,
    mut visit: impl FnMut(&[usize], &[usize], usize),
) {
    let axis = shape.len() - 1;
    let (mut index, mut at) = (vec![0; shape.len()], origin.to_vec());
    for from in (0..shape[axis]).step_by(width) {
        index[axis] = from;
        loop {
            at.iter_mut().zip(origin).zip(&index).for_each(|((at, a), b)| *at = a + b);
            visit(&index, &at, width.min(shape[axis] - from));
            if !advance(&mut index[..axis], &shape[..axis]) {
                break;
            }
        }
    }
}

/// Moves `index` to the next one below `shape`, the last axis fastest. `false` after the last.
pub(super) fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (at, &extent) in index.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < extent {
            return true;
        }
        *at = 0;
    }
    false
}

/// The same elementwise work with as few axes as possible, at least one: `out` runs forwards and has its
/// smallest stride last, inputs follow. All have one shape, with elements.
pub(super) fn arranged<'a>(
    inputs: &[View<'a>],
    out: ViewMut<'a>,
) -> Result<(Vec<View<'a>>, ViewMut<'a>)> {
    let strides = out.layout().strides().to_vec();
    let order = by_stride(&strides);
    let mut out = out.permuted(&order)?;
    let mut inputs: Vec<View<'a>> =
        inputs.iter().map(|view| view.clone().permuted(&order)).collect::<Result<_, _>>()?;
    for axis in 0..order.len() {
        if out.layout().strides()[axis] < 0 {
            out = out.reversed(axis)?;
            inputs =
                inputs.into_iter().map(|view| view.reversed(axis)).collect::<Result<_, _>>()?;
        }
    }
    let layouts: Vec<_> =
        std::iter::once(out.layout()).chain(inputs.iter().map(View::layout)).collect();
    let mut shape = collapse(&layouts).shape;
    if shape.is_empty() {
        shape.push(1);
    }
    let inputs = inputs.into_iter().map(|view| view.reshaped(&shape)).collect::<Result<_, _>>()?;
    Ok((inputs, out.reshaped(&shape)?))
}

/// The axes from the largest stride to the smallest.
pub(super) fn by_stride(strides: &[isize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..strides.len()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
    order
}
