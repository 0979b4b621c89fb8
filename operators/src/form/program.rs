//! What is run: a list of verbs, with the places they read and write.

use std::fmt;
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::Complex64;

use super::emit::emit;
use super::normal::Normal;
use super::partition::Slice;
use super::{IndexMap, Matrix, Pointwise};
use crate::number::Gain;
use crate::{LinearMap, Space};
use arrayspan_kernels::{Cost, Stencil};

/// An operator in one orientation, as it is run: step by step, without looking at its parts again.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) steps: Vec<Step>,
    /// The workspace of all steps together.
    pub(super) bytes: usize,
    /// The factors that the caller's `alpha` is multiplied by.
    pub(super) gain: Gain,
    /// Whether all of its numbers are real.
    pub(super) is_real: bool,
    /// What it costs for contiguous arrays, if it has no opaque parts. As [`is_real`](Self::is_real), kept: shared parts may
    /// be called more often than can be counted.
    pub(super) cost: Option<Cost>,
}

/// One verb, or one opaque operator.
#[derive(Debug)]
pub(crate) struct Step {
    pub(super) act: Act,
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) scale: Complex64,
    /// Whether nothing was written there before: what is there is the caller's, or nothing.
    pub(super) first: bool,
    /// The workspace of the step itself: where it begins, and its bytes.
    pub(super) own: (usize, usize),
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// `y = 0`
    Zero,
    /// `y = x`
    Copy,
    /// `y = conj(x)`
    Conjugate,
    Pointwise(Pointwise),
    Stencil(Stencil),
    Index {
        map: IndexMap,
        adjoint: bool,
    },
    Matrix(Matrix),
    Map {
        map: Arc<dyn LinearMap>,
        adjoint: bool,
    },
    Call(Arc<Program>),
}

/// Where a step reads or writes.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// An array of the workspace, which begins at this byte; without one it is the array that the caller gave.
    pub(super) scratch: Option<(usize, Space)>,
    /// The part of it, and the part of that.
    pub(super) path: Arc<[Slice]>,
}

impl Program {
    /// The steps of a normal form.
    pub(crate) fn of(normal: &Normal) -> Self {
        emit(normal)
    }

    /// The bytes of its workspace.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The factors that the caller's `alpha` is multiplied by.
    pub(crate) fn gain(&self) -> Gain {
        self.gain
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether all of its numbers are real; an opaque operator is as real as its spaces.
    pub(crate) fn is_real(&self) -> bool {
        self.is_real
    }

    /// What it costs for contiguous arrays; `None` if it has opaque parts, which do not tell.
    pub(crate) fn cost(&self) -> Option<Cost> {
        self.cost
    }
}

/// Takes it apart from the top: shared parts may be within each other as deep as one likes.
impl Drop for Program {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.steps);
        while let Some(step) = left.pop() {
            if let Act::Call(program) = step.act
                && let Some(mut program) = Arc::into_inner(program)
            {
                left.append(&mut program.steps);
            }
        }
    }
}

impl Act {
    /// The bytes of workspace that it takes itself.
    pub(super) fn bytes(&self, dtype: DType) -> usize {
        match self {
            // Not more than an array of the domain, which can be addressed.
            Self::Index { map, adjoint: true } => map.workspace(dtype).unwrap_or(usize::MAX),
            Self::Map { map, .. } => map.workspace(),
            Self::Call(program) => program.bytes,
            _ => 0,
        }
    }

    /// Whether all of its numbers are real; an opaque operator is as real as its dtype.
    pub(crate) fn is_real(&self, dtype: DType) -> bool {
        match self {
            Self::Zero | Self::Copy | Self::Index { .. } => true,
            Self::Pointwise(factor) => factor.is_real(),
            Self::Stencil(stencil) => stencil.is_real(),
            Self::Matrix(matrix) => !matrix.array.dtype().is_complex(),
            Self::Conjugate | Self::Map { .. } => !dtype.is_complex(),
            Self::Call(program) => program.is_real,
        }
    }
}

/// What a step does, in a word or a few.
impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Copy => f.write_str("copy"),
            Self::Conjugate => f.write_str("conjugate"),
            Self::Pointwise(factor) => match factor.read().0 {
                1 => f.write_str("map with 1 array of weights"),
                arrays => write!(f, "map with {arrays} arrays of weights"),
            },
            Self::Stencil(stencil) => {
                let axes = stencil.terms().iter();
                let taps = |(axis, band): &(usize, arrayspan_kernels::Band)| {
                    format!("{} taps along axis {axis}", band.interior().len())
                };
                let axes: Vec<String> = axes.map(taps).collect();
                write!(f, "stencil of {}", axes.join(" and "))
            }
            Self::Index { map, adjoint } => {
                let boxes = map.boxes().count();
                let verb = if *adjoint { "add" } else { "copy" };
                write!(f, "{verb} {boxes} {}", if boxes == 1 { "box" } else { "boxes" })
            }
            Self::Matrix(matrix) => {
                let shape = matrix.array.shape();
                write!(f, "gemm with a matrix of shape {shape:?}")?;
                f.write_str(if matrix.transposed { ", transposed" } else { "" })
            }
            Self::Map { map, adjoint } => {
                write!(f, "{}{}", map.name(), if *adjoint { "ᴴ" } else { "" })
            }
            Self::Call(program) => write!(f, "{} steps of a shared part", program.steps.len()),
        }
    }
}
