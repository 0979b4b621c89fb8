//! Runs programs.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::Update;

use super::moving;
use super::partition::Slice;
use super::pointwise::conjugate;
use super::program::{Act, Leaf, Place, Program, Step};
use crate::context::Span;
use crate::devices::PerDevice;
use crate::{Context, Result, Space, elementwise, scratch_bytes};

impl Program {
    /// `y ← alpha · A x + beta · y`. Enqueued; does not wait.
    ///
    /// Shared parts may be within each other as deep as one likes: those under way wait on a list, not on the stack.
    #[allow(clippy::needless_pass_by_value, reason = "views are given as to a `LinearMap`")]
    pub(crate) fn run<'p>(
        &'p self,
        mut on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        update: Update<'p>,
    ) -> Result<()> {
        if let [step] = &self.steps[..]
            && step.is_whole()
        {
            return step.act.run(on.without_scratch(), x, y, step.update(update));
        }
        let (from, to) = (Spot::default(), Spot::default());
        let start = PerDevice::default();
        let mut frame = Frame { steps: &self.steps, start, home: None, from, to, update };
        // Allocated only where a shared part is called.
        let mut callers = Vec::new();
        loop {
            let Some((step, rest)) = frame.steps.split_first() else {
                let Some(caller) = callers.pop() else { return Ok(()) };
                frame = caller;
                continue;
            };
            frame.steps = rest;
            let at = At {
                from: frame.from.of(&step.from, &frame),
                to: frame.to.of(&step.to, &frame),
                device: step.device.or(frame.home),
                own: step.own.map(|device, (start, len)| (frame.start.get(device) + start, len)),
                update: step.update(frame.update),
            };
            match &step.act {
                Act::Leaf(Leaf::Call(program)) => {
                    let At { from, to, device: home, own, update } = at;
                    // A program over several devices names the device of each place; any other runs on the device of its caller.
                    let start = match program.devices {
                        Some(_) => own.map(|_, (start, _)| start),
                        None => PerDevice::of(None, own.at_home(home).0),
                    };
                    let called = Frame { steps: &program.steps, start, home, from, to, update };
                    callers.push(std::mem::replace(&mut frame, called));
                }
                act => at.run(act, on.reborrow(), x.clone(), y.reborrow())?,
            }
        }
    }
}

/// A program under way.
struct Frame<'p> {
    /// The steps that are left.
    steps: &'p [Step],
    /// The byte at which its workspace begins.
    start: PerDevice<usize>,
    /// Where it runs, if it is called by a program of several devices and is not one itself.
    home: Option<Device>,
    /// What it reads, and where it writes.
    from: Spot<'p>,
    to: Spot<'p>,
    update: Update<'p>,
}

/// A [`Place`] seen from the outermost program.
#[derive(Default)]
struct Spot<'p> {
    scratch: Option<(usize, &'p Space)>,
    /// Where that lies, if it is named.
    device: Option<Device>,
    path: Vec<&'p Slice>,
}

/// Where a step reads and writes, seen from the outermost program.
struct At<'p> {
    from: Spot<'p>,
    to: Spot<'p>,
    /// Where it runs, if that is named.
    device: Option<Device>,
    own: PerDevice<(usize, usize)>,
    update: Update<'p>,
}

impl At<'_> {
    fn run(&self, act: &Act, on: Context<'_>, x: View<'_>, y: ViewMut<'_>) -> Result<()> {
        let on = match self.device {
            None => on,
            Some(device) => on.at(device)?,
        };
        let owns = self.own.any(|(_, bytes)| bytes > 0);
        if self.from.scratch.is_none() && self.to.scratch.is_none() && !owns {
            let (x, y) = (self.from.view(x)?, self.to.view_mut(y)?);
            return act.run(on.without_scratch(), x, y, self.update);
        }
        let ([from, to], own) = on.split([self.from.span(), self.to.span()], &self.own)?;
        let source;
        let x = match (self.from.scratch, from) {
            (Some((_, space)), Some(memory)) => {
                source = memory.carve(space.shape(), space.dtype())?.0;
                self.from.view(source.view())?
            }
            _ => self.from.view(x)?,
        };
        let y = match (self.to.scratch, to) {
            (Some((_, space)), Some(memory)) => {
                self.to.view_mut(memory.carve(space.shape(), space.dtype())?.0)?
            }
            _ => self.to.view_mut(y)?,
        };
        act.run(own, x, y, self.update)
    }
}

impl Step {
    /// Whether it takes the caller's arrays as they are, on the caller's device and without a workspace, as most operators
    /// do.
    fn is_whole(&self) -> bool {
        let given = |place: &Place| place.scratch.is_none() && place.path.is_empty();
        let called = matches!(self.act, Act::Leaf(Leaf::Call(_)));
        !called
            && given(&self.from)
            && given(&self.to)
            && self.device.is_none()
            && !self.own.any(|(_, bytes)| bytes > 0)
    }

    /// The caller's factors meet what goes to the caller's array.
    pub(super) fn update<'u>(&self, given: Update<'u>) -> Update<'u> {
        match (self.to.scratch.is_some(), self.first) {
            (true, true) => Update::set().scaled(self.scale),
            (true, false) => Update::add().scaled(self.scale),
            (false, true) => given.scaled(self.scale),
            (false, false) => given.then_add().scaled(self.scale),
        }
    }
}

impl<'p> Spot<'p> {
    /// A place of a program that is under way, whose caller gave it this.
    fn of(&self, place: &'p Place, frame: &Frame<'_>) -> Self {
        if let Some((first, space)) = &place.scratch {
            let path = place.path.iter().collect();
            let scratch = Some((frame.start.get(place.device) + first, space));
            return Self { scratch, device: place.device.or(frame.home), path };
        }
        let path = self.path.iter().copied().chain(place.path.iter()).collect();
        Self { path, ..*self }
    }

    /// Where it lies in the workspace.
    fn span(&self) -> Span {
        let span = self.scratch.map_or((0, 0), |(start, space)| (start, scratch_bytes(space)));
        (self.device, span)
    }

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
            Self::Pass(pass) => pass.run(&on, &x, y, update),
            Self::Each(stencil, 0) => Ok(on.stencil_each(stencil, x, y, update)?),
            Self::Each(stencil, axis) => {
                let others = (0..y.shape().len()).filter(|other| other != axis);
                let order: Vec<usize> = std::iter::once(*axis).chain(others).collect();
                Ok(on.stencil_each(stencil, x, y.permuted(&order)?, update)?)
            }
            Self::Maps(maps) => maps.run(&on, x, y, update),
            Self::Transforms(transforms) => transforms.run(on, x, y, update),
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
            Self::Gather(gather) => Ok(on.gather(gather, x, y, update)?),
            Self::Projection(projection) => Ok(on.project(projection, x, y, update)?),
            Self::Scan(scan) => Ok(on.scan(scan, x, y, update)?),
            Self::Fourier(fourier) => Ok(on.fft(fourier, x, y, update)?),
            Self::Matrix(matrix) => matrix.run(&on, x, y, update),
            Self::Move(_) => moving::run(on, x, y, update),
            Self::Map { map, orientation } if orientation.adjoint => {
                map.enqueue_adjoint(on, x, y, update)
            }
            Self::Map { map, .. } => map.enqueue(on, x, y, update),
            Self::Call(program) => program.run(on, x, y, update),
        }
    }
}
