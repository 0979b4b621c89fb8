//! Runs something again after memory has run out and some was got back.
//!
//! Every allocation, launch and copy already looks for memory by itself when it is refused, step by step until it
//! works: queued work is waited for, our pools are trimmed, kernels forgotten, then whoever has registered
//! ([`reclaim`](crate::reclaim)) is asked, in the order of its [`Stage`]: workspaces, other libraries' caches,
//! arrays that may be spilled. What was tried is part of the error. [`with_retry`] adds what a single call
//! cannot do: the operation lets go of all it holds and begins again, and may wait for other threads.
//!
//! Memory may be asked for under any lock of the program. A recovery waits for work of the device and for releases of
//! arrayspan's own; for functions by which other libraries take their memory back, which may take any lock, it waits
//! two seconds at most, once for each, and runs none of them itself. In turn arrayspan asks for memory under no lock of its
//! own that one of them or a recovery could wait for.
//!
//! ```
//! use arrayspan_devices::retry::{RetryPolicy, with_retry};
//! use arrayspan_devices::{Device, Memory};
//!
//! let stream = Device::cpu().stream()?;
//! let block = with_retry(stream.device(), &RetryPolicy::default(), || Memory::allocate(1000, &stream));
//! assert_eq!(block.map_err(|unrecovered| unrecovered.error)?.bytes(), 1000);
//! # Ok::<(), arrayspan_devices::Error>(())
//! ```

use std::time::{Duration, Instant};

use super::attempt;
use super::gate::{LetGo, Pass, Woken};
pub use super::recover::{Around, around};
use super::recover::{PATIENCE, Recovering, recover};
pub use super::recovered::{Recovered, Total};
pub use super::shortage::{OutOfMemory, Shortage};
pub use super::unrecovered::{Attempt, Unrecovered};
pub use crate::reclaim::Stage;
use crate::{Device, fault};

/// So often an operation is run again at once when others have released something; then after pauses, which double up to
/// the longest. Where many small releases come before there is enough, that keeps the thread from doing nothing else.
const AT_ONCE: u32 = 4;
const LONGEST_PAUSE: Duration = Duration::from_millis(128);

/// What may be done when memory runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often the operation is run at most; it is always run once. Runs after another thread has released
    /// something are not counted here: those end with the time.
    pub attempts: usize,
    /// How long other threads that are inside [`with_retry`] with such a time of their own are waited for, in all; not at
    /// all without it. Those that wait run again one at a time, and only when something may have changed for them. When
    /// all of them wait in vain, the one that came last fails at once, so that the others can go on. Of calls within each
    /// other on one thread only the outermost waits.
    pub wait: Option<Duration>,
    /// Once memory was looked and waited for so long, no more is looked or waited for. The operation's own time does not
    /// count.
    pub patience: Duration,
}

impl Default for RetryPolicy {
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
/// Those of `operation`, with all that was tried: in all where it is printed, step by step as `{:#}`.
pub fn with_retry<T, E: OutOfMemory>(
    device: Device,
    policy: &RetryPolicy,
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
    policy: &RetryPolicy,
    mut operation: impl FnMut() -> Result<T, E>,
) -> Result<(T, Vec<Attempt>), Unrecovered<E>> {
    let _protected = fault::protect();
    let place = policy.wait.and_then(|_| Place::take(device));
    let (mut tried, mut attempts, mut woken_before) = (Vec::<Attempt>::new(), 0, 0);
    let (mut waited, mut recoveries) = (Duration::ZERO, 0);
    loop {
        place.iter().for_each(Place::begin);
        let error = match operation() {
            Ok(done) => return Ok((done, tried)),
            Err(error) => error,
        };
        let let_go = attempt::let_go();
        attempts += 1;
        let looked: Duration = tried.iter().map(Attempt::took).sum();
        let over = looked >= policy.patience;
        let Some(shortage) = error.shortage().filter(|_| !over) else {
            return Err(Unrecovered { error, tried });
        };
        let at = shortage.device.unwrap_or(device);
        let mut recovered = Vec::new();
        if attempts < policy.attempts {
            let Some(_recovering) = Recovering::enter() else {
                return Err(Unrecovered { error, tried });
            };
            recovered = recover(at, shortage.bytes, recoveries);
            recoveries += 1;
        }
        // Where nothing was found here, others may release something.
        let found = recovered.iter().any(|step| step.freed != Some(0) && step.stage > Stage::Drain);
        let mut woken = None;
        if let (Some(place), Some(limit)) =
            (place.as_ref().filter(|_| at == device && !found), policy.wait)
        {
            let looked = looked + recovered.iter().map(|step| step.took).sum::<Duration>();
            let left = limit.saturating_sub(waited).min(policy.patience.saturating_sub(looked));
            let (step, how) = place.wait(let_go, pause(woken_before), left);
            waited += step.took;
            woken_before += 1;
            recovered.push(step);
            woken = Some(how);
        }
        let again = match woken {
            Some(Woken::Released) => true,
            Some(Woken::Chosen | Woken::TimedOut) => false,
            None => attempts < policy.attempts,
        };
        if !recovered.is_empty() {
            Attempt { shortage, recovered }.enter(&mut tried);
        }
        if !again {
            return Err(Unrecovered { error, tried });
        }
    }
}

/// How long to wait at least when others have let an operation run so often already.
fn pause(woken: u32) -> Duration {
    let Some(doubled) = woken.checked_sub(AT_ONCE) else { return Duration::ZERO };
    Duration::from_millis(1).saturating_mul(1 << doubled.min(16)).min(LONGEST_PAUSE)
}

/// A thread's entry in the queue of a device; only its outermost retry has one, or it would wait for itself.
struct Place {
    pass: Pass<'static>,
}

impl Place {
    fn take(device: Device) -> Option<Self> {
        attempt::place(device).then(|| Self { pass: device.0.gate.enter() })
    }

    /// An attempt begins.
    fn begin(&self) {
        attempt::begin();
        self.pass.begin();
    }

    fn wait(&self, let_go: LetGo, pause: Duration, limit: Duration) -> (Recovered, Woken) {
        let begin = Instant::now();
        let woken = self.pass.wait(let_go, pause, limit);
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
        attempt::unplace();
    }
}
