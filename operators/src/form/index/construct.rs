//! Index maps by name.

use super::checked::{addressable, fit, leaves, too_many};
use super::{AxisMap, IndexMap, MOST_BOXES, Piece, Source};
use crate::space::axis_of;
use crate::{Error, Result};

/// Constructors. They are given the name of the operator that errors are to speak of. Axes that are negative count from
/// the end, as in NumPy. All fail with [`Error::Parameter`] for an axis that there is not, an extent beyond `isize::MAX`,
/// and more than [`MOST_BOXES`] boxes.
impl IndexMap {
    /// `y = x`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for extents that are too large.
    pub fn identity(operator: &str, shape: &[usize]) -> Result<Self> {
        Self::of_axes(operator, shape, shape, &whole(shape))
    }

    /// The map that is 0 everywhere: `y = 0`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for extents that are too large.
    pub fn zeros(operator: &str, domain: &[usize], range: &[usize]) -> Result<Self> {
        fit(operator, domain)?;
        fit(operator, range)?;
        Ok(Self::zero(domain, range))
    }

    /// The same for each index of further axes, before and behind its own.
    ///
    /// # Errors
    /// [`Error::Parameter`] for extents that are too large.
    pub(crate) fn between(&self, before: &[usize], behind: &[usize]) -> Result<Self> {
        let around = |own: &[usize]| [before, own, behind].concat();
        let (domain, range) = (around(self.domain()), around(self.range()));
        let (Some(axes), Some(held)) = (self.axes(), self.held()) else {
            return Self::zeros("index map", &domain, &range);
        };
        let whole = |first: usize, extents: &[usize]| {
            let axes = extents.iter().enumerate();
            axes.map(|(axis, &extent)| straight(Some(first + axis), extent, 0, 1)).collect()
        };
        let moved = |axis: &AxisMap| {
            AxisMap::new(axis.from().map(|from| from + before.len()), axis.pieces())
        };
        let own: Vec<AxisMap> = axes.iter().map(moved).collect();
        let last: Vec<AxisMap> = whole(before.len() + self.domain().len(), behind);
        let axes = [whole(0, before), own, last].concat();
        let held = [vec![0; before.len()], held.to_vec(), vec![0; behind.len()]].concat();
        Self::from_pieces("index map", &domain, &range, &axes, &held)
    }

    /// The axes in another order: axis `k` of the output is axis `order[k]` of the input, `y[o] = x[i]` with
    /// `i[order[k]] = o[k]`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `order` names each axis once.
    pub fn permute(operator: &str, shape: &[usize], order: &[isize]) -> Result<Self> {
        let order = axes_of(operator, shape, order)?;
        if order.len() != shape.len() {
            let why = format!("{order:?} does not name each axis of {shape:?}");
            return Error::parameter(operator, why);
        }
        let range: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
        let axes: Vec<AxisMap> =
            order.iter().map(|&axis| straight(Some(axis), shape[axis], 0, 1)).collect();
        Self::of_axes(operator, shape, &range, &axes)
    }

    /// Axes from their end to their start: `y[i] = x[n-1-i]`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when an axis is named twice.
    pub fn flip(operator: &str, shape: &[usize], axes: &[isize]) -> Result<Self> {
        let flipped = axes_of(operator, shape, axes)?;
        let mut all = whole(shape);
        for axis in flipped {
            all[axis] = straight(Some(axis), shape[axis], shape[axis].saturating_sub(1), -1);
        }
        Self::of_axes(operator, shape, shape, &all)
    }

    /// Some indices of an axis, evenly spaced: `y[i] = x[start + step · i]` for `i` below `len`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when indices leave the axis, or for a step of 0.
    pub fn slice(
        operator: &str,
        shape: &[usize],
        axis: isize,
        start: usize,
        len: usize,
        step: isize,
    ) -> Result<Self> {
        let axis = axis_of(operator, shape.len(), axis)?;
        if step == 0 {
            return Error::parameter(operator, format!("a step of 0 along axis {axis}"));
        }
        if len == 0 && start > shape[axis] {
            return Error::parameter(
                operator,
                leaves(&Piece::reads(0, 1, start, step), axis, shape[axis]),
            );
        }
        Self::along(operator, shape, axis, len, &[(len, Some(Source { first: start, step }))])
    }

    /// Zeros before and after: `y[i] = x[i - before]`, 0 where there is no such index.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the axis becomes too long.
    pub fn pad(
        operator: &str,
        shape: &[usize],
        axis: isize,
        before: usize,
        after: usize,
    ) -> Result<Self> {
        let axis = axis_of(operator, shape.len(), axis)?;
        let extent = shape[axis];
        let long = before.checked_add(extent).and_then(|long| long.checked_add(after));
        let long = addressable(operator, long)?;
        let inside = Some(Source { first: 0, step: 1 });
        Self::along(operator, shape, axis, long, &[(before, None), (extent, inside), (after, None)])
    }

    /// An axis turned around: `y[i] = x[(i - shift) mod n]`, so that what leaves it at one end comes in at the other.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis.
    pub fn roll(operator: &str, shape: &[usize], axis: isize, shift: isize) -> Result<Self> {
        let axis = axis_of(operator, shape.len(), axis)?;
        let extent = shape[axis];
        let moved = (shift as i128).rem_euclid(extent.max(1) as i128) as usize;
        let front = Source { first: extent - moved, step: 1 };
        let rest = Source { first: 0, step: 1 };
        Self::along(
            operator,
            shape,
            axis,
            extent,
            &[(moved, Some(front)), (extent - moved, Some(rest))],
        )
    }

    /// A new axis `axis` of the output, along which the input is repeated: `y[…, k, …] = x[…, …]` for `k` below `times`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the output has such an axis.
    pub fn repeat(operator: &str, shape: &[usize], axis: isize, times: usize) -> Result<Self> {
        let axis = axis_of(operator, shape.len() + 1, axis)?;
        let (mut range, mut axes) = (shape.to_vec(), whole(shape));
        range.insert(axis, times);
        axes.insert(axis, straight(None, times, 0, 0));
        Self::of_axes(operator, shape, &range, &axes)
    }

    /// An axis several times, one after the other: `y[i] = x[i mod n]` for `i` below `times · n`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the axis becomes too long, or is repeated more than [`MOST_BOXES`] times.
    pub fn tile(operator: &str, shape: &[usize], axis: isize, times: usize) -> Result<Self> {
        let axis = axis_of(operator, shape.len(), axis)?;
        let extent = shape[axis];
        let long = addressable(operator, extent.checked_mul(times))?;
        if extent == 1 {
            let once = Source { first: 0, step: 0 };
            return Self::along(operator, shape, axis, long, &[(long, Some(once))]);
        }
        if extent > 0 && times > MOST_BOXES {
            return too_many(operator);
        }
        let pieces = vec![(extent, Some(Source { first: 0, step: 1 })); times.min(MOST_BOXES)];
        Self::along(operator, shape, axis, long, &pieces)
    }

    /// One index of an axis, which is gone after: `y[…, …] = x[…, index, …]`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such index.
    pub fn select(operator: &str, shape: &[usize], axis: isize, index: usize) -> Result<Self> {
        let axis = axis_of(operator, shape.len(), axis)?;
        if index >= shape[axis] {
            return Error::parameter(
                operator,
                leaves(&Piece::reads(0, 1, index, 1), axis, shape[axis]),
            );
        }
        let (mut range, mut axes) = (shape.to_vec(), whole(shape));
        range.remove(axis);
        axes.remove(axis);
        let mut held = vec![0; shape.len()];
        held[axis] = index;
        Self::from_pieces(operator, shape, &range, &axes, &held)
    }

    /// An axis and, before it, its mirror image: `y[i] = x[|i - (n-1)|]` for `i` below `2n - 1`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an axis without indices, or one that becomes too long.
    ///
    /// Golden: PyLops 2.8.0 `Symmetrize`.
    pub fn symmetrize(operator: &str, shape: &[usize], axis: isize) -> Result<Self> {
        let axis = axis_of(operator, shape.len(), axis)?;
        let Some(last) = shape[axis].checked_sub(1) else {
            return Error::parameter(operator, format!("axis {axis} of {shape:?} has no indices"));
        };
        let long = addressable(operator, last.checked_add(shape[axis]))?;
        let mirror = Source { first: last, step: -1 };
        let rest = Source { first: 1, step: 1 };
        Self::along(operator, shape, axis, long, &[(shape[axis], Some(mirror)), (last, Some(rest))])
    }

    /// A map that keeps all axes but one, which gets `extent` indices in these runs.
    fn along(
        operator: &str,
        shape: &[usize],
        axis: usize,
        extent: usize,
        runs: &[(usize, Option<Source>)],
    ) -> Result<Self> {
        let mut pieces = Vec::with_capacity(runs.len());
        let mut start = 0;
        for &(len, source) in runs {
            pieces.push(Piece { start, end: start + len, source });
            start += len;
        }
        let (mut range, mut axes) = (shape.to_vec(), whole(shape));
        range[axis] = extent;
        axes[axis] = AxisMap::new(Some(axis), pieces);
        Self::of_axes(operator, shape, &range, &axes)
    }

    /// A map that reads all input axes.
    fn of_axes(
        operator: &str,
        domain: &[usize],
        range: &[usize],
        axes: &[AxisMap],
    ) -> Result<Self> {
        Self::from_pieces(operator, domain, range, axes, &vec![0; domain.len()])
    }
}

/// Each axis as it is.
fn whole(shape: &[usize]) -> Vec<AxisMap> {
    let axes = shape.iter().enumerate();
    axes.map(|(axis, &extent)| straight(Some(axis), extent, 0, 1)).collect()
}

/// An axis in one piece.
fn straight(from: Option<usize>, extent: usize, first: usize, step: isize) -> AxisMap {
    AxisMap::new(from, [Piece::reads(0, extent, first, step)])
}

/// Several, each at most once.
fn axes_of(operator: &str, shape: &[usize], axes: &[isize]) -> Result<Vec<usize>> {
    let mut found = Vec::with_capacity(axes.len());
    for &axis in axes {
        let counted = axis_of(operator, shape.len(), axis)?;
        if found.contains(&counted) {
            return Error::parameter(operator, format!("axis {axis} is named twice in {axes:?}"));
        }
        found.push(counted);
    }
    Ok(found)
}
