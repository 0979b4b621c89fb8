//! Zeros around.

use crate::form::index::{AxisMap, IndexMap, Piece};
use crate::{Error, Form, Operator, Result, Space};

/// `y[i] = x[i - before]`, and zero where there is no such index, along all axes.
///
/// The adjoint crops. Units: those of `x`. Complex: linear. Cost: 1 launch; 2 values moved per element of `x`, 1 per zero; the
/// adjoint is 1 launch (test `bytes::pad`).
///
/// Golden: PyLops 2.8.0 `Pad`.
#[derive(Debug)]
pub struct Pad(());

impl Pad {
    const NAME: &str = "Pad";

    /// Zeros before and after, for each axis of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there is a pair for each axis and the dtype is one to compute with or to move; [`Error::TooLarge`] when
    /// the range cannot be addressed.
    pub fn new(space: Space, pad: &[(usize, usize)]) -> Result<Operator> {
        space.stored(Self::NAME)?;
        if pad.len() != space.shape().len() {
            let (pairs, axes) = (pad.len(), space.shape().len());
            let why = format!("{pairs} pairs of zeros for {space}, which has {axes} axes");
            return Error::parameter(Self::NAME, why);
        }
        let wide = space.shape().iter().zip(pad);
        let wide = wide.map(|(&extent, &(before, after))| {
            [before, extent, after].iter().map(|&count| count as u128).sum()
        });
        let range = Space::of_wide(Self::NAME, wide.collect(), space.dtype())?;
        let axes: Vec<AxisMap> = space
            .shape()
            .iter()
            .zip(pad)
            .zip(range.shape())
            .enumerate()
            .map(|(axis, ((&extent, &(before, _)), &all))| {
                let inside = before + extent;
                let pieces = [
                    Piece::zeros(0, before),
                    Piece::reads(before, inside, 0, 1),
                    Piece::zeros(inside, all),
                ];
                AxisMap::new(Some(axis), pieces)
            })
            .collect();
        let held = vec![0; axes.len()];
        let map = IndexMap::from_pieces(Self::NAME, space.shape(), range.shape(), &axes, &held)?;
        Operator::of(Self::NAME, space, range, Form::Index(map))
    }
}
