//! Memory for intermediate results, on every device that an operator computes on.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Arrays, Executor};

use crate::arguments::computes;
use crate::context::Site;
use crate::{Context, Error, LinearMap, Result};

/// Memory for intermediate results, allocated once and used by many applications of an operator.
///
/// It is where the executor computes, and on every other device that the operator needs. There it goes with an executor of
/// its own, that of [`kernels::on`](arrayspan_kernels::on) when it is made. Work that uses it goes on in stream order, so
/// it is for one stream at a time.
#[derive(Debug)]
pub struct Workspace {
    array: Option<Array>,
    others: Vec<Other>,
}

/// So that a [`Plan`](arrayspan_kernels::Plan) can keep it.
impl Arrays for Workspace {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        self.array.show(show);
        for other in &mut self.others {
            other.array.show(show);
        }
    }
}

/// What there is on a device other than the caller's.
#[derive(Debug)]
struct Other {
    executor: Arc<dyn Executor>,
    array: Option<Array>,
}

/// The bytes that an operator takes from the memory of each device.
struct Needs {
    /// On the executor's.
    here: usize,
    others: Vec<(Device, usize)>,
    /// Where the operator's context is.
    home: Device,
}

impl Needs {
    fn of(operator: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<Self> {
        let bytes = operator.workspace();
        let here = on.device();
        let Some(devices) = operator.devices() else {
            return Ok(Self { here: bytes, others: Vec::new(), home: here });
        };
        let home = devices.domain;
        let mut others = operator.elsewhere();
        if home == here {
            return Ok(Self { here: bytes, others, home });
        }
        match others.iter_mut().find(|(device, _)| *device == here) {
            // The executor is not that of models: they change places.
            Some(other) => {
                let here = std::mem::replace(other, (home, bytes)).1;
                Ok(Self { here, others, home })
            }
            None => {
                Err(Error::WrongExecutor { operator: operator.name().into(), devices, found: here })
            }
        }
    }
}

impl Workspace {
    /// Enough for `operator` in both directions, where `on` computes and on the other devices that it needs.
    ///
    /// # Errors
    /// [`Error::WrongExecutor`] when `on` computes on none of the operator's devices; out of memory.
    #[track_caller]
    pub fn of(operator: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<Self> {
        let Needs { here, others, .. } = Needs::of(operator, on)?;
        let array = memory(here, on)?;
        let mut all = Vec::with_capacity(others.len());
        for (device, bytes) in others {
            let executor = arrayspan_kernels::on(device)?;
            let array = memory(bytes, &*executor)?;
            all.push(Other { executor, array });
        }
        Ok(Self { array, others: all })
    }

    /// Its size in bytes, on all devices.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let others = self.others.iter().map(|other| bytes(other.array.as_ref()));
        others.fold(bytes(self.array.as_ref()), usize::saturating_add)
    }

    /// Fails unless it is enough for `operator` where `on` computes, and where that needs memory besides.
    ///
    /// # Errors
    /// As [`context`](Self::context).
    pub fn check(&self, operator: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<()> {
        self.checked(operator, on).map(drop)
    }

    /// The context for one application of `operator`: that of the device of its models.
    ///
    /// # Errors
    /// [`Error::Parameter`] when it is smaller than the operator needs, [`Error::WrongDevice`] when it lies
    /// elsewhere than `on` computes, [`Error::WrongExecutor`] when `on` computes on none of the operator's devices.
    pub fn context<'a>(
        &'a mut self,
        operator: &(impl LinearMap + ?Sized),
        on: &'a dyn Executor,
    ) -> Result<Context<'a>> {
        let needs = self.checked(operator, on)?;
        let scratch = if needs.here == 0 { None } else { self.array.as_mut() };
        let here = Site { executor: on, scratch: scratch.map(Array::view_mut) };
        if needs.others.is_empty() {
            return Ok(Context::new(here, Vec::new()));
        }
        let needed = |other: &&mut Other| {
            let device = other.executor.device();
            needs.others.iter().any(|(needed, _)| *needed == device)
        };
        let others = self.others.iter_mut().filter(needed).map(|other| Site {
            executor: on.beside(&other.executor).unwrap_or(&*other.executor),
            scratch: other.array.as_mut().map(Array::view_mut),
        });
        Context::new(here, others.collect()).at(needs.home)
    }

    fn checked(&self, operator: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<Needs> {
        let needs = Needs::of(operator, on)?;
        let found = |device| self.others.iter().find(|other| other.executor.device() == device);
        let alone = |(device, _): &(Device, usize)| {
            found(*device).is_some_and(|other| on.beside(&other.executor).is_none())
        };
        if on.records() && needs.others.iter().any(alone) {
            let why = "it computes on several devices, and the executor records the calls of one";
            return Error::parameter(operator.name(), why.to_owned());
        }
        let others = needs.others.iter().map(|&(device, needed)| {
            (device, needed, found(device).map(|other| bytes(other.array.as_ref())))
        });
        let here = (on.device(), needs.here, Some(bytes(self.array.as_ref())));
        for (device, needed, found) in std::iter::once(here).chain(others) {
            if found.is_some_and(|found| found >= needed) {
                continue;
            }
            let place =
                if needs.others.is_empty() { String::new() } else { format!(" on {device}") };
            let why = match found {
                Some(found) => format!("a workspace of {found} bytes{place}, {needed} are needed"),
                None => format!("a workspace without {device}, where the operator computes, too"),
            };
            return Error::parameter(operator.name(), why);
        }
        if needs.here > 0
            && let Some(array) = &self.array
        {
            computes(operator, on, "the workspace", array.device())?;
        }
        Ok(needs)
    }
}

fn memory(bytes: usize, on: &dyn Executor) -> Result<Option<Array>> {
    Ok(if bytes == 0 { None } else { Some(on.empty(&[bytes], DType::UInt8)?) })
}

fn bytes(array: Option<&Array>) -> usize {
    array.map_or(0, |array| array.layout().len())
}
