//! Index maps from pieces, which are checked.

use super::{AxisMap, IndexMap, Joined, MOST_BOXES, Piece};
use crate::{Error, Result};

impl IndexMap {
    /// Any index map. `axes` says for each output axis what it reads; input axes that none of them reads are held at their
    /// index in `held`, which has one entry for each input axis.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the pieces of each axis begin at 0, follow each other and end at the extent of the output;
    /// the indices that are read are there; and each input axis is read at most once.
    pub fn from_pieces(
        operator: &str,
        domain: &[usize],
        range: &[usize],
        axes: &[AxisMap],
        held: &[usize],
    ) -> Result<Self> {
        fit(operator, domain)?;
        fit(operator, range)?;
        if axes.len() != range.len() || held.len() != domain.len() {
            let (axes, held) = (axes.len(), held.len());
            let why =
                format!("{axes} axis maps and {held} held indices for {domain:?} to {range:?}");
            return Error::parameter(operator, why);
        }
        let mut is_read = vec![false; domain.len()];
        let mut normal = Vec::with_capacity(axes.len());
        for (number, (axis, &extent)) in axes.iter().zip(range).enumerate() {
            let input = match axis.from() {
                None => 1,
                Some(from) if from >= domain.len() => {
                    return Error::parameter(operator, format!("{domain:?} has no axis {from}"));
                }
                Some(from) if is_read[from] => {
                    return Error::parameter(operator, format!("two axes read input axis {from}"));
                }
                Some(from) => {
                    is_read[from] = true;
                    domain[from]
                }
            };
            normal.push(checked(operator, axis, number, extent, input)?);
        }
        let zero = normal.iter().any(AxisMap::is_zero);
        let outside = (0..domain.len()).find(|&axis| !is_read[axis] && held[axis] >= domain[axis]);
        if let Some(axis) = outside.filter(|_| !zero) {
            return Error::parameter(
                operator,
                leaves(&Piece::reads(0, 1, held[axis], 1), axis, domain[axis]),
            );
        }
        match Self::normal(domain, range, normal, held.to_vec()) {
            Some(map) => Ok(map),
            None => too_many(operator),
        }
    }
}

/// The normal form of what output axis `number` with `extent` indices reads on an axis with `input`.
fn checked(
    operator: &str,
    axis: &AxisMap,
    number: usize,
    extent: usize,
    input: usize,
) -> Result<AxisMap> {
    let mut joined = Joined::new(MOST_BOXES);
    let mut end = 0;
    for piece in axis.pieces() {
        if piece.start != end || piece.end < piece.start {
            let Piece { start, end: next, .. } = piece;
            let why = format!("a piece {start}..{next} after index {end} of axis {number}");
            return Error::parameter(operator, why);
        }
        end = piece.end;
        if piece.start == end {
            continue;
        }
        if let Some(source) = piece.source {
            let on_axis = |index: i128| (0..input as i128).contains(&index);
            let last = (source.step as i128).checked_mul(piece.len() as i128 - 1);
            let last = last.and_then(|reach| reach.checked_add(source.first as i128));
            if !on_axis(source.first as i128) || !last.is_some_and(on_axis) {
                return Error::parameter(operator, leaves(piece, number, input));
            }
        }
        if joined.push(piece.len(), piece.source).is_none() {
            return too_many(operator);
        }
    }
    if end != extent {
        let why = format!("pieces end at {end} on axis {number}, which has {extent} indices");
        return Error::parameter(operator, why);
    }
    Ok(joined.finish(axis.from()))
}

pub(super) fn fit(operator: &str, shape: &[usize]) -> Result<()> {
    shape.iter().try_for_each(|&extent| addressable(operator, Some(extent)).map(drop))
}

/// An extent, if there can be one like it.
pub(super) fn addressable(operator: &str, extent: Option<usize>) -> Result<usize> {
    match extent.filter(|&extent| isize::try_from(extent).is_ok()) {
        Some(extent) => Ok(extent),
        None => Error::parameter(operator, "an axis is longer than can be addressed"),
    }
}

pub(super) fn leaves(piece: &Piece, axis: usize, extent: usize) -> String {
    let (first, step) = piece.source.map_or((0, 0), |source| (source.first, source.step));
    let len = piece.len();
    format!("{len} indices from {first} on, {step} apart, leave axis {axis}, which has {extent}")
}

pub(super) fn too_many<T>(operator: &str) -> Result<T> {
    Error::parameter(operator, format!("more than {MOST_BOXES} boxes"))
}
