//! Gets memory back when it has run out, the cheapest way first.

use std::fmt;
use std::time::{Duration, Instant};

use super::drain;
use crate::reclaim::{self, Reclaim};
use crate::{Device, Error, Result};

/// One way to get memory back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Waits for queued work, so that what it holds is released.
    Drain,
    /// Gives what our own pool keeps unused back to the driver.
    Trim,
    /// Asks another library, by name, to give back what it keeps unused.
    Library(&'static str),
}

/// What one step gave back.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The step.
    pub step: Step,
    /// Bytes that became free; `None` where nobody can tell.
    pub freed: Option<usize>,
    /// How long it took.
    pub took: Duration,
    /// Why it failed, if it did.
    pub failure: Option<Error>,
}

/// Takes the steps in order until they have given back `wanted` bytes; without a number, all of them.
/// Holds no lock while it waits.
pub(super) fn recover(device: Device, wanted: Option<usize>) -> Vec<Recovered> {
    let mut done = Vec::new();
    let mut freed = 0;
    let ours = [Way::Drain, Way::Trim].into_iter();
    for way in ours.chain(reclaim::libraries().into_iter().map(Way::Library)) {
        let recovered = way.take(device);
        tracing::info!(%device, %recovered, "out of memory: tried to get some back");
        freed += recovered.freed.unwrap_or(0);
        done.push(recovered);
        if wanted.is_some_and(|wanted| freed >= wanted) {
            break;
        }
    }
    done
}

enum Way {
    Drain,
    Trim,
    Library(&'static dyn Reclaim),
}

impl Way {
    fn take(self, device: Device) -> Recovered {
        let begin = Instant::now();
        let (step, result) = match self {
            Self::Drain => (Step::Drain, drained(device)),
            Self::Trim => (Step::Trim, device.trim(0).map(Some)),
            Self::Library(library) => (Step::Library(library.name()), released(library, device)),
        };
        let (freed, failure) = match result {
            Ok(freed) => (freed, None),
            Err(error) => (None, Some(error)),
        };
        Recovered { step, freed, took: begin.elapsed(), failure }
    }
}

fn drained(device: Device) -> Result<Option<usize>> {
    let driver = &device.0.driver;
    let free = || Some(driver.free_bytes()? + driver.spare_bytes() + device.0.pool.cached());
    let before = free();
    // Work first, since releases wait for it; then what the releases have queued.
    device.synchronize()?;
    drain();
    device.synchronize()?;
    Ok(growth(before, free()))
}

fn released(library: &dyn Reclaim, device: Device) -> Result<Option<usize>> {
    let held = || library.holdings(device).map(|holdings| holdings.reserved_bytes);
    let (before, free) = (held(), device.free_bytes());
    library.release(device)?;
    Ok(growth(held(), before).or_else(|| growth(free, device.free_bytes())))
}

fn growth(before: Option<usize>, after: Option<usize>) -> Option<usize> {
    Some(after?.saturating_sub(before?))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Drain => "waiting for queued work",
            Self::Trim => "trimming our pool",
            Self::Library(name) => return write!(f, "emptying the cache of {name}"),
        })
    }
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.step)?;
        match (&self.failure, self.freed) {
            (Some(error), _) => write!(f, "failed ({error})"),
            (None, Some(bytes)) => write!(f, "freed {bytes} bytes in {:.1?}", self.took),
            (None, None) => write!(f, "freed an unknown amount in {:.1?}", self.took),
        }
    }
}
