//! How an array lies in its memory, so that every law meets strides of every sign and gaps.

use arrayspan_bridge::{Relayout, Result};

/// How an array lies in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Without gaps, last axis fastest.
    RowMajor,
    /// First axis fastest.
    Transposed,
    /// Every second element of a longer last axis.
    Stepped,
    /// A part of a longer first axis, backwards.
    Reversed,
}

impl Arrangement {
    /// Pairs for input and output in which each arrangement appears on each side.
    pub const PAIRS: [(Self, Self); 4] = [
        (Self::RowMajor, Self::RowMajor),
        (Self::Transposed, Self::Stepped),
        (Self::Stepped, Self::Reversed),
        (Self::Reversed, Self::Transposed),
    ];

    /// The shape of the row-major array that holds one of `shape` arranged like this.
    #[must_use]
    pub fn base(self, shape: &[usize]) -> Vec<usize> {
        let mut base = shape.to_vec();
        match self {
            Self::RowMajor => {}
            Self::Transposed => base.reverse(),
            Self::Stepped => base.iter_mut().rev().take(1).for_each(|extent| *extent *= 2),
            Self::Reversed => base.iter_mut().take(1).for_each(|extent| *extent += 3),
        }
        base
    }

    /// The array of `shape` inside one of the shape [`base`](Self::base).
    ///
    /// # Errors
    /// When `base` has another shape.
    pub fn arrange<V: Relayout>(self, base: V, shape: &[usize]) -> Result<V> {
        let rank = shape.len();
        match self {
            Self::Transposed => base.permuted(&(0..rank).rev().collect::<Vec<_>>()),
            Self::Stepped if rank > 0 => base.stepped(rank - 1, 2),
            Self::Reversed if rank > 0 => base.sliced(0, 2, shape[0])?.reversed(0),
            _ => Ok(base),
        }
    }
}
