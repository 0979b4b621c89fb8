//! What can be told of an operator from what it is made of.

use arrayspan_kernels::{Cost, Update};
use num_complex::Complex64;

use super::leaf::Leaf;
use super::program::{Act, Place, Program, Step};
use crate::elementwise::updated;
use crate::{Error, LinearMap, Operator, Result, Space};

impl Operator {
    /// Whether it is complex-linear (see [`Properties`](crate::Properties)), as far as its form tells: `false` says that it may
    /// not be. Between real spaces it is.
    #[must_use]
    pub fn is_complex_linear(&self) -> bool {
        self.is_linear() || self.has_real_spaces()
    }

    fn has_real_spaces(&self) -> bool {
        [self.domain(), self.range()].iter().all(|space| !space.dtype().is_complex())
    }

    /// Whether its matrix is real, as far as its form tells: `false` says that it may not be. Of real spaces it is; one that is
    /// linear over the real numbers only has no matrix.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.has_real_spaces()
            || (self.is_linear() && self.factor().im == 0.0 && self.program(false).is_real())
    }

    /// Whether it is its own adjoint, as far as its form tells: `false` says that it may not be. See
    /// [`Properties`](crate::Properties) for operators that are linear over the real numbers only.
    #[must_use]
    pub fn is_self_adjoint(&self) -> bool {
        self.factor().im == 0.0
            && self.domain() == self.range()
            && self.devices().is_none_or(|devices| devices.one().is_some())
            && self.program(false).same(self.program(true))
    }

    /// Fails unless it has a matrix: of one that is linear over the real numbers only, complex unit vectors do not tell all.
    pub(crate) fn expect_matrix(&self, operation: &str) -> Result<()> {
        if self.is_complex_linear() || !self.domain().dtype().is_complex() {
            return Ok(());
        }
        let why =
            format!("it has no matrix over complex numbers, only over real ones ({operation})");
        Error::parameter(self.name(), why)
    }

    /// What `y ← A x`, or `x ← Aᴴ y`, costs for contiguous arrays; `None` if it has opaque parts, which do not tell. That of
    /// all devices together: what is moved from one to another is read and written, by no launch.
    #[must_use]
    pub fn cost(&self, adjoint: bool) -> Option<Cost> {
        let program = self.program(adjoint);
        if self.factor() == 1.0.into() {
            return program.cost();
        }
        let spaces = (self.domain(), self.range());
        let (from, to, factor) = if adjoint {
            (spaces.1, spaces.0, self.factor().conj())
        } else {
            (spaces.0, spaces.1, self.factor())
        };
        cost(program.steps(), from, to, factor)
    }
}

impl Program {
    /// Whether both do the same, step by step.
    fn same(&self, other: &Self) -> bool {
        let steps = self.steps.iter().zip(&other.steps);
        self.steps.len() == other.steps.len() && steps.into_iter().all(|(a, b)| a.same(b))
    }
}

/// The cost of steps one after the other, from the one space to the other, times a factor. (Not counted is its
/// multiplication within shared parts.)
pub(super) fn cost(steps: &[Step], from: &Space, to: &Space, factor: Complex64) -> Option<Cost> {
    let mut sum = Cost::default();
    for step in steps {
        let update = step.update(Update::set().scaled(factor));
        sum += step.cost(step.from.space(from), step.to.space(to), update)?;
    }
    Some(sum)
}

/// Whether all numbers of steps are real, from the one space to the other.
pub(super) fn is_real(steps: &[Step], from: &Space, to: &Space) -> bool {
    steps.iter().all(|step| {
        let (from, to) = (step.from.space(from).dtype(), step.to.space(to).dtype());
        let dtype = if from.is_complex() { from } else { to };
        let act = match &step.act {
            Act::Zero | Act::Copy => true,
            Act::Conjugate => !dtype.is_complex(),
            Act::Pass(pass) => pass.is_real(),
            Act::Leaf(leaf) => leaf.is_real(dtype),
        };
        act && step.scale.im == 0.0
    })
}

impl Step {
    fn same(&self, other: &Self) -> bool {
        let numbers =
            (self.scale, self.first, self.device) == (other.scale, other.first, other.device);
        numbers
            && self.from.same(&other.from)
            && self.to.same(&other.to)
            && self.act.same(&other.act)
    }

    fn cost(&self, from: &Space, to: &Space, update: Update) -> Option<Cost> {
        let bytes = |space: &Space| space.len() * space.dtype().bytes();
        let (read, written) = (bytes(from), bytes(to));
        let previous = if update.reads() { written } else { 0 };
        let once = |bytes_read: usize, flops: usize| Cost {
            launches: usize::from(written > 0),
            bytes_read: bytes_read + previous,
            bytes_written: written,
            flops,
        };
        Some(match &self.act {
            Act::Zero => once(0, 0),
            Act::Copy | Act::Conjugate => once(read, 0),
            Act::Pass(pass) => pass.cost(to, update),
            Act::Leaf(Leaf::Pointwise(factor)) => {
                let operations = updated(factor.parts().0.clone(), update).operations();
                let weights = if written > 0 { factor.read().1 } else { 0 };
                once(read + weights, operations.saturating_mul(to.len()))
            }
            Act::Leaf(Leaf::Stencil(stencil)) => {
                let flops = stencil.terms().iter().map(|(_, band)| {
                    let lanes = to.len() / band.len().max(1);
                    lanes.saturating_mul(band.entries()).saturating_mul(2)
                });
                once(read, flops.fold(0, usize::saturating_add))
            }
            Act::Leaf(Leaf::Matrix(matrix)) => {
                let entries = matrix.array.layout().len();
                let columns = to.shape().iter().skip(1).product::<usize>();
                let matrix = entries * matrix.array.dtype().bytes();
                once(read + matrix, entries.saturating_mul(columns).saturating_mul(2))
            }
            Act::Leaf(Leaf::Move(_)) => {
                let moved = Cost { bytes_read: read, bytes_written: written, ..Cost::default() };
                let mut all = if update == Update::set() { Cost::default() } else { once(read, 0) };
                all += moved;
                all
            }
            Act::Leaf(Leaf::Index { map, adjoint }) => map.cost(*adjoint, update, to.dtype()),
            Act::Leaf(Leaf::Call(program)) => program.cost?,
            Act::Leaf(Leaf::Map { .. }) => return None,
        })
    }
}

impl Place {
    fn same(&self, other: &Self) -> bool {
        self.scratch == other.scratch && self.device == other.device && self.path == other.path
    }

    /// The space of the array there, which is a part of `given` if it is the caller's.
    fn space<'a>(&'a self, given: &'a Space) -> &'a Space {
        let whole = self.scratch.as_ref().map_or(given, |(_, space)| space);
        self.path.last().map_or(whole, super::partition::Slice::space)
    }
}

impl Act {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Zero, Self::Zero)
            | (Self::Copy, Self::Copy)
            | (Self::Conjugate, Self::Conjugate) => true,
            (Self::Pass(a), Self::Pass(b)) => a.same(b),
            (Self::Leaf(a), Self::Leaf(b)) => a.same(b),
            _ => false,
        }
    }
}
