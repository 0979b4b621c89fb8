//! What an operator is given to work with.

use std::ops::Deref;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{CARVE_BYTES, ViewMut, carve_bytes};
use arrayspan_kernels::Executor;

use crate::devices::PerDevice;
use crate::{Error, Result, Space};

/// What an operator is given to work with: an executor, whose verbs are called on this directly, and
/// memory for intermediate results. An example stands with [`LinearMap`](crate::LinearMap).
///
/// It is of one device, that of the models. What an operator does on [other devices](crate::LinearMap::elsewhere), it does by
/// the context that [`at`](Self::at) gives.
#[derive(Debug)]
pub struct Context<'a> {
    here: Site<'a>,
    others: Vec<Site<'a>>,
}

/// One device: what computes there, and the memory there.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) executor: &'a dyn Executor,
    pub(crate) scratch: Option<ViewMut<'a>>,
}

/// A part of the memory on a device: where it begins, and its bytes. Without a name it is the device of the context.
pub(crate) type Span = (Option<Device>, (usize, usize));

impl<'a> Context<'a> {
    pub(crate) fn new(here: Site<'a>, others: Vec<Site<'a>>) -> Self {
        Self { here, others }
    }

    /// Borrows it again, for one of several uses.
    #[must_use]
    pub fn reborrow(&mut self) -> Context<'_> {
        let others = self.others.iter_mut().map(Site::reborrow).collect();
        Context { here: self.here.reborrow(), others }
    }

    /// The same on another device that the operator computes on: its executor, and the memory there.
    ///
    /// The executor is that of the caller on the device the caller computes on, and on others the one that
    /// [`kernels::on`](arrayspan_kernels::on) gave when the [`Workspace`](crate::Workspace) was made.
    /// Work of different devices is in no order but that of the memory it uses: what reads an array waits, on its device,
    /// for what writes it. Arrays go from one to the other by
    /// [`transfer`](trait@arrayspan_kernels::Executor#method.transfer), which a plan keeps.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a device that [`LinearMap::devices`](crate::LinearMap::devices) and
    /// [`LinearMap::elsewhere`](crate::LinearMap::elsewhere) do not name.
    pub fn at(mut self, device: Device) -> Result<Self> {
        if self.here.executor.device() == device {
            return Ok(self);
        }
        let mut others = self.others.iter_mut();
        if let Some(other) = others.find(|site| site.executor.device() == device) {
            std::mem::swap(&mut self.here, other);
            return Ok(self);
        }
        let why = format!("LinearMap::devices and LinearMap::elsewhere do not name {device}");
        Error::parameter("context", why)
    }

    /// Takes an array for an intermediate result; the rest is for whoever comes next. Its content is
    /// unspecified.
    ///
    /// # Errors
    /// When [`LinearMap::workspace`](crate::LinearMap::workspace), or [`elsewhere`](crate::LinearMap::elsewhere) for another
    /// device, asked for less than is taken.
    pub fn scratch(self, space: &Space) -> Result<(ViewMut<'a>, Self)> {
        let Self { here: Site { executor, scratch }, others } = self;
        let (needed, left) =
            (scratch_bytes(space), scratch.as_ref().map(|rest| rest.layout().len()));
        let bytes = match scratch {
            Some(bytes) if left >= Some(needed) => bytes,
            _ => {
                let left = left.unwrap_or(0);
                let why = "LinearMap::workspace asked for too little";
                let why = format!("{space} takes {needed} bytes and {left} are left: {why}");
                return Error::parameter("scratch", why);
            }
        };
        let (array, rest) = bytes.carve(space.shape(), space.dtype())?;
        Ok((array, Self { here: Site { executor, scratch: Some(rest) }, others }))
    }

    /// The same without memory for intermediate results.
    pub(crate) fn without_scratch(mut self) -> Self {
        self.here.scratch = None;
        self.others.iter_mut().for_each(|other| other.scratch = None);
        self
    }

    /// What computes on one of its devices.
    pub(crate) fn executor_of(&self, device: Device) -> Option<&dyn Executor> {
        let sites = std::iter::once(&self.here).chain(&self.others);
        sites.map(|site| site.executor).find(|executor| executor.device() == device)
    }

    /// Two parts of its memory, and the rest of an application: parts that do not overlap, of which one of no bytes has no
    /// memory.
    pub(crate) fn split(
        self,
        [from, to]: [Span; 2],
        own: &PerDevice<(usize, usize)>,
    ) -> Result<([Option<ViewMut<'a>>; 2], Self)> {
        let Self { here, others } = self;
        let name = here.executor.device();
        let is_here = |device: Option<Device>| device.is_none_or(|device| device == name);
        let on = |span: Span, this: bool| if this { span.1 } else { (0, 0) };
        // A place without a device name is on this context's device; one with a name may be so, too.
        let spans = [on(from, is_here(from.0)), on(to, is_here(to.0)), own.at_home(Some(name))];
        let [mut first, mut second, rest] = parts(here.scratch, spans)?;
        let here = Site { executor: here.executor, scratch: rest };
        let mut left = Vec::with_capacity(others.len());
        for Site { executor, scratch } in others {
            let device = Some(executor.device());
            let spans = [on(from, from.0 == device), on(to, to.0 == device), own.get(device)];
            let [x, y, rest] = parts(scratch, spans)?;
            (first, second) = (first.or(x), second.or(y));
            left.push(Site { executor, scratch: rest });
        }
        Ok(([first, second], Self { here, others: left }))
    }
}

impl Site<'_> {
    fn reborrow(&mut self) -> Site<'_> {
        let scratch = self.scratch.as_mut().map(ViewMut::reborrow);
        Site { executor: self.executor, scratch }
    }
}

/// Parts of an array of bytes that do not overlap.
fn parts<const N: usize>(
    memory: Option<ViewMut<'_>>,
    parts: [(usize, usize); N],
) -> Result<[Option<ViewMut<'_>>; N]> {
    let mut split = [const { None }; N];
    let mut order: [usize; N] = std::array::from_fn(|at| at);
    order.sort_unstable_by_key(|&at| parts[at].0);
    let (mut rest, mut passed) = (memory, 0);
    for at in order {
        let (start, bytes) = parts[at];
        if bytes == 0 {
            continue;
        }
        let Some(memory) = rest.take() else {
            return Error::parameter("workspace", format!("nothing left for {bytes} bytes"));
        };
        let (part, behind) = memory.split_at(0, start - passed)?.1.split_at(0, bytes)?;
        split[at] = Some(part);
        (rest, passed) = (Some(behind), start + bytes);
    }
    Ok(split)
}

impl<'a> Deref for Context<'a> {
    type Target = dyn Executor + 'a;

    fn deref(&self) -> &Self::Target {
        self.here.executor
    }
}

/// The bytes that [`Context::scratch`] takes for an array of `space`. Never none, so that arrays without
/// elements are no special case.
#[must_use]
pub fn scratch_bytes(space: &Space) -> usize {
    carve_bytes(space.len(), space.dtype()).max(CARVE_BYTES)
}
