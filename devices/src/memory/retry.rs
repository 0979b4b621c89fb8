//! Runs something again after memory has run out and some was got back.
//!
//! Every allocation, launch and copy already looks for memory by itself when it is refused, step by step until it
//! works: queued work is waited for, our pools are trimmed, kernels forgotten, then whoever has registered
//! ([`reclaim`](crate::reclaim)) is asked, in the order of its [`Stage`]: workspaces, other libraries' caches,
//! arrays that may be spilled. What was tried is part of the error. [`with_retry`] adds what a single call
//! cannot do: the operation lets go of all it holds and begins again, and may wait for other threads.
//!
//! ```
//! use arrayspan_devices::retry::{Policy, with_retry};
//! use arrayspan_devices::{Device, Memory};
//!
//! let stream = Device::cpu().stream()?;
//! let block = with_retry(stream.device(), &Policy::default(), || Memory::allocate(1000, &stream));
//! assert_eq!(block.map_err(|unrecovered| unrecovered.error)?.bytes(), 1000);
//! # Ok::<(), arrayspan_devices::Error>(())
//! ```

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::gate::{Pass, Woken};
use super::recover::{PATIENCE, Recovering, recover};
pub use super::recovered::Recovered;
pub use super::shortage::{OutOfMemory, Shortage};
pub use super::unrecovered::{Attempt, Unrecovered};
pub use crate::reclaim::Stage;
use crate::{Device, fault};

/// No operation is run more often than that, whoever releases memory meanwhile.
const WATCHDOG: usize = 500;

/// What may be done when memory runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How often the operation is run at most; it is always run once. Runs after another thread has released
    /// something are not counted here, but end after some hundreds.
    pub attempts: usize,
    /// How long other threads that are inside [`with_retry`] are waited for; not at all without it. When all of them
    /// wait, the one that came last fails at once, so that the others can go on.
    pub wait: Option<Duration>,
    /// Once memory was looked and waited for so long the operation is not run again. Its own time does not count.
    pub patience: Duration,
}

impl Default for Policy {
    /// Three attempts in a minute, without waiting for others: the first recovery may wait for work only, the second
    /// finds what the others hold.
    fn default() -> Self {
        Self { attempts: 3, wait: None, patience: PATIENCE }
    }
}

/// Runs `operation`, and again each time after it has run out of memory and some was looked for, until as much is
/// free as was asked for. On the device that the error names, else on `device`.
///
/// `operation` must be able to run again after it has failed midway: it keeps its inputs and has changed
/// nothing that it would find changed. No lock is held while it runs or while memory is looked for.
/// Inside a library's own release nothing is retried. A lost device is not tried again.
///
/// # Errors
/// Those of `operation`, with all that was tried.
pub fn with_retry<T, E: OutOfMemory>(
    device: Device,
    policy: &Policy,
    operation: impl FnMut() -> Result<T, E>,
) -> Result<T, Unrecovered<E>> {
    with_retry_told(device, policy, operation).map(|(done, _)| done)
}

/// As [`with_retry`], and tells of the attempts that failed before one did not.
///
/// # Errors
/// As [`with_retry`].
pub fn with_retry_told<T, E: OutOfMemory>(
    device: Device,
    policy: &Policy,
    mut operation: impl FnMut() -> Result<T, E>,
) -> Result<(T, Vec<Attempt>), Unrecovered<E>> {
    let _protected = fault::protect();
    let place = policy.wait.and_then(|_| Place::take(device));
    let (mut tried, mut attempts) = (Vec::new(), 0);
    loop {
        let (seen, own) = (device.0.gate.releases(), Place::own_releases());
        let error = match operation() {
            Ok(done) => return Ok((done, tried)),
            Err(error) => error,
        };
        attempts += 1;
        let looked: Duration = tried.iter().map(Attempt::took).sum();
        let over = looked >= policy.patience || tried.len() >= WATCHDOG;
        let Some(shortage) = error.shortage().filter(|_| !over) else {
            return Err(Unrecovered { error, tried });
        };
        let at = shortage.device.unwrap_or(device);
        let mut recovered = Vec::new();
        if attempts < policy.attempts {
            let Some(_recovering) = Recovering::enter() else {
                return Err(Unrecovered { error, tried });
            };
            recovered = recover(at, shortage.bytes);
        }
        // Where nothing was found here, others may release something.
        let found = recovered.iter().any(|step| step.freed != Some(0) && step.stage > Stage::Drain);
        let mut woken = None;
        if let (Some(place), Some(limit)) =
            (place.as_ref().filter(|_| at == device && !found), policy.wait)
        {
            // What the failed attempt itself has let go of is no reason to hope.
            let seen = seen + Place::own_releases() - own;
            let (step, how) = place.wait(seen, limit.min(policy.patience.saturating_sub(looked)));
            recovered.push(step);
            woken = Some(how);
        }
        let again = match woken {
            Some(Woken::Released) => true,
            Some(Woken::Chosen | Woken::TimedOut) => false,
            None => attempts < policy.attempts,
        };
        if !recovered.is_empty() {
            tried.push(Attempt { shortage, recovered });
        }
        if !again {
            return Err(Unrecovered { error, tried });
        }
    }
}

/// A thread's place at the gate of a device; only its outermost retry has one, or it would wait for itself.
struct Place {
    pass: Pass<'static>,
}

thread_local! {
    /// Where this thread has a place.
    static PLACED: Cell<Option<Device>> = const { Cell::new(None) };
    /// How many blocks of that device it has released.
    static RELEASES: Cell<u64> = const { Cell::new(0) };
}

/// A block of the device was released by this thread.
pub(super) fn released(device: Device) {
    // A thread that is ending waits for nothing any more.
    let own = PLACED.try_with(|placed| placed.get() == Some(device));
    if own.unwrap_or(false) {
        RELEASES.set(RELEASES.get() + 1);
    }
    device.0.gate.released();
}

impl Place {
    fn take(device: Device) -> Option<Self> {
        if PLACED.get().is_some() {
            return None;
        }
        PLACED.set(Some(device));
        Some(Self { pass: device.0.gate.enter() })
    }

    fn own_releases() -> u64 {
        RELEASES.get()
    }

    fn wait(&self, seen: u64, limit: Duration) -> (Recovered, Woken) {
        let begin = Instant::now();
        let woken = self.pass.wait(seen, limit);
        let name = match woken {
            Woken::Released => "another thread, which released something, and",
            Woken::Chosen => "other threads, which all wait, and",
            Woken::TimedOut => "other threads",
        };
        let freed = (woken != Woken::Released).then_some(0);
        let took = begin.elapsed();
        (Recovered { stage: Stage::Wait, name, freed, took, failure: None }, woken)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        PLACED.set(None);
    }
}
