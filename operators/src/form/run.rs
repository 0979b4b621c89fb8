//! Runs programs.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::leaf::Leaf;
use super::pointwise::conjugate;
use super::program::{Act, Place, Program, Step};
use crate::{Context, Result, elementwise, scratch_bytes};

impl Program {
    /// `y ← alpha · A x + beta · y`. Enqueued; does not wait.
    pub(crate) fn run(
        &self,
        mut on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        if let [step] = &self.steps[..] {
            return step.run(on, x, y, update);
        }
        for step in &self.steps {
            step.run(on.reborrow(), x.clone(), y.reborrow(), update)?;
        }
        Ok(())
    }
}

impl Step {
    fn run(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        let update = self.update(update);
        if self.from.scratch.is_none() && self.to.scratch.is_none() && self.own.1 == 0 {
            let (x, y) = (self.from.view(x)?, self.to.view_mut(y)?);
            return self.act.run(on.without_scratch(), x, y, update);
        }
        let bytes = |place: &Place| {
            place.scratch.as_ref().map_or((0, 0), |(start, space)| (*start, scratch_bytes(space)))
        };
        let [from, to, own] = on.split([bytes(&self.from), bytes(&self.to), self.own])?;
        let source;
        let x = match (&self.from.scratch, from.into_scratch()) {
            (Some((_, space)), Some(memory)) => {
                source = memory.carve(space.shape(), space.dtype())?.0;
                self.from.view(source.view())?
            }
            _ => self.from.view(x)?,
        };
        let y = match (&self.to.scratch, to.into_scratch()) {
            (Some((_, space)), Some(memory)) => {
                self.to.view_mut(memory.carve(space.shape(), space.dtype())?.0)?
            }
            _ => self.to.view_mut(y)?,
        };
        self.act.run(own, x, y, update)
    }

    /// The caller's factors meet what goes to the caller's array.
    fn update(&self, given: Update) -> Update {
        match (self.to.scratch.is_some(), self.first) {
            (true, true) => Update::set().scaled(self.scale),
            (true, false) => Update::add().scaled(self.scale),
            (false, true) => given.scaled(self.scale),
            (false, false) => given.then_add().scaled(self.scale),
        }
    }
}

impl Place {
    fn view<'a>(&self, array: View<'a>) -> Result<View<'a>> {
        self.path.iter().try_fold(array, |array, slice| slice.view(array))
    }

    fn view_mut<'a>(&self, array: ViewMut<'a>) -> Result<ViewMut<'a>> {
        self.path.iter().try_fold(array, |array, slice| slice.view_mut(array))
    }
}

impl Act {
    fn run(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        match self {
            Self::Zero => elementwise::scale(&*on, y, update),
            Self::Copy => Ok(on.copy(x, y, update)?),
            Self::Conjugate => conjugate(&on, x, y, update),
            Self::Leaf(leaf) => leaf.run(on, x, y, update),
        }
    }
}

impl Leaf {
    fn run(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        match self {
            Self::Pointwise(factor) => factor.run(&on, x, y, update),
            Self::Stencil(stencil) => Ok(on.stencil(stencil, x, y, update)?),
            Self::Index { map, adjoint: false } => map.enqueue(&*on, x, y, update),
            Self::Index { map, adjoint: true } => map.enqueue_adjoint(on, x, y, update),
            Self::Matrix(matrix) => matrix.run(&on, x, y, update),
            Self::Map { map, orientation } if orientation.adjoint => {
                map.enqueue_adjoint(on, x, y, update)
            }
            Self::Map { map, .. } => map.enqueue(on, x, y, update),
            Self::Call(program) => program.run(on, x, y, update),
        }
    }
}
