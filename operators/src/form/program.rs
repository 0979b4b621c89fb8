//! What is run: a list of verbs, with the places they read and write.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Cost, Fourier, Gather, Projection, Scan, Stencil};
use num_complex::Complex64;

use super::maps::Maps;
use super::partition::Slice;
use super::pass::Pass;
use super::transforms::Transforms;
use super::{IndexMap, Matrix, Orientation, Pointwise};
use crate::devices::PerDevice;
use crate::number::Gain;
use crate::{Devices, LinearMap, Space};

/// An operator in one orientation, as it is run: step by step, without looking at its parts again.
#[derive(Debug)]
pub(crate) struct Program {
    pub(super) steps: Vec<Step>,
    /// The workspace of all steps together.
    pub(super) bytes: PerDevice<usize>,
    /// Where it reads and where it writes, if its steps are on several devices: all of its places have theirs then. Else they
    /// are where the caller's arrays are.
    pub(super) devices: Option<Devices>,
    /// The factors that the caller's `alpha` is multiplied by.
    pub(super) gain: Gain,
    /// Whether all of its numbers are real.
    pub(super) is_real: bool,
    /// Whether complex factors commute with all of its steps.
    pub(super) is_complex_linear: bool,
    /// Whether it has no opaque parts: it enqueues the same verbs each time.
    pub(super) is_plain: bool,
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
    /// Where it runs, in a program of several devices: where it writes, or where the models of an opaque operator are.
    pub(super) device: Option<Device>,
    /// The workspace of the step itself: where it begins, and its bytes.
    pub(super) own: PerDevice<(usize, usize)>,
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
    /// A sum of stencils and weights of parts of `x`.
    Pass(Pass),
    /// `y[…, t, …] = bandₜ x`: the terms of a stencil, each by itself, along this axis of `y`.
    Each(Stencil, usize),
    /// Weights times parts of `x`, each of which goes to a part of `y`.
    Maps(Maps),
    /// Fourier transforms along several axes.
    Transforms(Transforms),
    /// A form. An opaque one is not to be conjugated: that takes steps of its own.
    Leaf(Leaf),
}

/// One factor of a product: a form, turned to one of its four orientations.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    Pointwise(Pointwise),
    Stencil(Stencil),
    Index {
        map: IndexMap,
        /// Whether elements are added where the map would read them. Only where they are read more than once: else
        /// the transpose is a map itself.
        adjoint: bool,
    },
    Gather(Gather),
    Projection(Projection),
    Scan(Scan),
    Fourier(Fourier),
    Matrix(Matrix),
    /// From one device to another.
    Move(Devices),
    Map {
        map: Arc<dyn LinearMap>,
        orientation: Orientation,
    },
    /// A large operator that is part of several others: compiled by itself.
    Call(Arc<Program>),
}

/// Where a step reads or writes.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// An array of the workspace, which begins at this byte; without one it is the array that the caller gave.
    pub(super) scratch: Option<(usize, Space)>,
    /// Where it lies, in a program of several devices.
    pub(super) device: Option<Device>,
    /// The part of it, and the part of that.
    pub(super) path: Arc<[Slice]>,
}

impl Program {
    /// The bytes of its workspace.
    pub(crate) fn bytes(&self) -> &PerDevice<usize> {
        &self.bytes
    }

    /// Whether it has a workspace anywhere.
    pub(crate) fn takes_memory(&self) -> bool {
        self.bytes.any(|bytes| bytes > 0)
    }

    /// Where it reads and where it writes, if its steps are on several devices.
    pub(crate) fn devices(&self) -> Option<Devices> {
        self.devices
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

    /// Whether complex factors commute with all of its steps.
    pub(crate) fn is_complex_linear(&self) -> bool {
        self.is_complex_linear
    }

    /// Whether it has no opaque parts: it enqueues the same verbs each time.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// What it costs for contiguous arrays; `None` if it has opaque parts, which do not tell.
    pub(crate) fn cost(&self) -> Option<Cost> {
        self.cost
    }

    /// Whether both do the same, step by step.
    pub(super) fn same(&self, other: &Self) -> bool {
        let steps = self.steps.iter().zip(&other.steps);
        self.steps.len() == other.steps.len() && steps.into_iter().all(|(a, b)| a.same(b))
    }
}

/// Takes it apart from the top: shared parts may be within each other as deep as one likes.
impl Drop for Program {
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.steps);
        while let Some(step) = left.pop() {
            if let Act::Leaf(Leaf::Call(program)) = step.act
                && let Some(mut program) = Arc::into_inner(program)
            {
                left.append(&mut program.steps);
            }
        }
    }
}

impl Act {
    /// The bytes of workspace that it takes itself, where it runs on `device`.
    pub(super) fn bytes(&self, dtype: DType, device: Option<Device>) -> PerDevice<usize> {
        match self {
            Self::Leaf(leaf) => leaf.bytes(dtype, device),
            Self::Transforms(transforms) => PerDevice::of(device, transforms.bytes()),
            Self::Zero
            | Self::Copy
            | Self::Conjugate
            | Self::Pass(_)
            | Self::Each(..)
            | Self::Maps(_) => PerDevice::default(),
        }
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Zero, Self::Zero)
            | (Self::Copy, Self::Copy)
            | (Self::Conjugate, Self::Conjugate) => true,
            (Self::Pass(a), Self::Pass(b)) => a.same(b),
            (Self::Each(a, c), Self::Each(b, d)) => c == d && a == b,
            (Self::Maps(a), Self::Maps(b)) => a.same(b),
            (Self::Transforms(a), Self::Transforms(b)) => a == b,
            (Self::Leaf(a), Self::Leaf(b)) => a.same(b),
            _ => false,
        }
    }
}

impl Step {
    /// Whether it enqueues the same verbs each time.
    pub(super) fn is_plain(&self) -> bool {
        match &self.act {
            Act::Leaf(Leaf::Map { .. }) => false,
            Act::Leaf(Leaf::Call(program)) => program.is_plain,
            _ => true,
        }
    }

    fn same(&self, other: &Self) -> bool {
        let numbers =
            (self.scale, self.first, self.device) == (other.scale, other.first, other.device);
        numbers
            && self.from.same(&other.from)
            && self.to.same(&other.to)
            && self.act.same(&other.act)
    }
}

impl Place {
    fn same(&self, other: &Self) -> bool {
        self.scratch == other.scratch && self.device == other.device && self.path == other.path
    }

    /// The space of the array there, which is a part of `given` if it is the caller's.
    pub(super) fn space<'a>(&'a self, given: &'a Space) -> &'a Space {
        let whole = self.scratch.as_ref().map_or(given, |(_, space)| space);
        self.path.last().map_or(whole, Slice::space)
    }
}

/// Whether all numbers of steps are real, from the one space to the other.
pub(super) fn is_real(steps: &[Step], from: &Space, to: &Space) -> bool {
    steps.iter().all(|step| {
        let (from, to) = (step.from.space(from).dtype(), step.to.space(to).dtype());
        let dtype = if from.is_complex() { from } else { to };
        let act = match &step.act {
            Act::Zero | Act::Copy => true,
            Act::Conjugate => !dtype.is_complex(),
            Act::Transforms(_) => false,
            Act::Pass(pass) => pass.is_real(),
            Act::Each(stencil, _) => stencil.is_real(),
            Act::Maps(maps) => maps.is_real(),
            Act::Leaf(leaf) => leaf.is_real(dtype),
        };
        act && step.scale.im == 0.0
    })
}
