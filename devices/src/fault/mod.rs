//! Failures on purpose: a program, or its tests, can see what happens when memory runs out or a device is lost.
//!
//! The calls of arrayspan that reach a driver ask here first, whatever the device, so that every recovery can
//! be tried on a machine without a GPU. An injected failure has the type and the code of the real one.
//!
//! ```
//! use arrayspan_devices::fault::{self, Class, Fault, FaultKind, Threads};
//! use arrayspan_devices::{Device, Error, Memory};
//!
//! let stream = Device::cpu().stream()?;
//! let lost = Fault { class: Class::DeviceLost, ..Fault::new(FaultKind::Allocation) };
//! let injection = fault::inject(lost);
//! assert!(matches!(Memory::allocate(100, &stream), Err(Error::DeviceLost { .. })));
//! assert_eq!(injection.hits(), 1);
//! // Failures end with the guard, or when all that were asked for have happened.
//! drop(injection);
//! Memory::allocate(100, &stream)?;
//! # Ok::<(), Error>(())
//! ```
//!
//! Without a line of code, for a whole program, by the environment variable `ARRAYSPAN_FAULTS`:
//! `allocation:skip=3,count=1;launch:every=101;copy:every=53,class=lost,device=cuda:0`. The parts are `kind:` and
//! then `skip`, `count`, `every`, `class` (`memory`, `lost`, `driver`), `device`, `threads` (`any`, `each`) and
//! `protected` (`yes`, `no`). Threads are counted each for itself unless it says otherwise, so that a program
//! fails at the same places every time it runs. Text that cannot be read is reported once, on stderr if nobody listens
//! to [`tracing`], and then nothing is injected; [`environment`] returns it as an error.

mod active;
mod asked;
mod coverage;
mod error;
mod reasons;
mod scope;
mod text;

pub use active::{Injection, inject};
pub use asked::environment;
pub(crate) use asked::{check, note};
pub use coverage::{Site, Watch, unprotected, watch};
pub use scope::{Protected, is_protected, protect};

use crate::Device;

/// What is made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Taking a block of memory.
    Allocation,
    /// Queueing a kernel. It fails before the driver sees it.
    Launch,
    /// Queueing a copy between blocks. It fails before the driver sees it.
    Copy,
    /// Taking page-locked host memory.
    Pinned,
    /// Building a kernel or another plan that is then kept.
    Plan,
    /// Waiting on the host for an [`Event`](crate::Event), for whoever is told of a failure. The work is done then.
    Wait,
    /// Making the context of a GPU, which happens once: at the first use of the device, and again after a failure.
    Context,
}

/// How it fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// As if memory had run out: [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[default]
    OutOfMemory,
    /// As if the device had failed for good: [`Error::DeviceLost`](crate::Error::DeviceLost).
    DeviceLost,
    /// As if a driver had refused for another reason: [`Error::Driver`](crate::Error::Driver).
    Driver,
}

/// Whose calls count, and fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// Those of the thread that injects.
    #[default]
    This,
    /// Those of all threads, counted together.
    Any,
    /// Those of all threads, each counted for itself.
    Each,
}

/// Which calls fail, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What fails.
    pub kind: FaultKind,
    /// How.
    pub class: Class,
    /// How many calls pass first.
    pub skip: usize,
    /// How many calls fail in all.
    pub count: usize,
    /// Of the calls after the first `skip`, every so many-th fails: 1 for one after the other.
    pub every: usize,
    /// Whose.
    pub threads: Threads,
    /// Where; everywhere without one.
    pub device: Option<Device>,
    /// Whether only calls inside a retry scope ([`protect`], `with_retry`) count, and fail.
    pub only_protected: bool,
}

impl Fault {
    /// The next call of this thread runs out of memory.
    #[must_use]
    pub fn new(kind: FaultKind) -> Self {
        Self {
            kind,
            class: Class::default(),
            skip: 0,
            count: 1,
            every: 1,
            threads: Threads::default(),
            device: None,
            only_protected: false,
        }
    }

    /// Whether call number `call`, from 0, fails.
    fn hits(&self, call: usize) -> bool {
        let Some(after) = call.checked_sub(self.skip) else { return false };
        let every = self.every.max(1);
        (after + 1).is_multiple_of(every) && after / every < self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(fault: Fault) -> Vec<usize> {
        (0..20).filter(|call| fault.hits(*call)).collect()
    }

    #[test]
    fn calls_are_skipped_then_every_so_many_th_fails_until_enough_have() {
        let fault = Fault::new(FaultKind::Copy);
        assert_eq!(hit(fault), [0]);
        assert_eq!(hit(Fault { skip: 3, count: 2, ..fault }), [3, 4]);
        assert_eq!(hit(Fault { every: 7, count: 9, ..fault }), [6, 13]);
        assert_eq!(hit(Fault { every: 7, count: 1, skip: 1, ..fault }), [7]);
        assert_eq!(hit(Fault { every: 0, count: usize::MAX, skip: 18, ..fault }), [18, 19]);
        assert!(hit(Fault { count: 0, ..fault }).is_empty());
    }
}
