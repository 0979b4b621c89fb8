//! Runs something again after memory has run out and some was got back.
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

use super::recover::recover;
pub use super::recover::{Recovered, Step};
pub use super::shortage::{OutOfMemory, Shortage};
pub use super::unrecovered::{Attempt, Unrecovered};
use crate::Device;

/// What may be done when memory runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How often the operation is run at most; it is always run once.
    pub attempts: usize,
}

impl Default for Policy {
    /// Three attempts: the first recovery may wait for work only, the second finds what the others hold.
    fn default() -> Self {
        Self { attempts: 3 }
    }
}

/// Runs `operation`, and again each time after it has run out of memory and some was looked for: queued
/// work is waited for, our pool trimmed, other libraries ([`reclaim`](crate::reclaim)) asked for theirs,
/// in that order, until as much is free as was asked for. On the device that the error names, else on
/// `device`.
///
/// `operation` must be able to run again after it has failed midway: it keeps its inputs and has changed
/// nothing that it would find changed. No lock is held while it runs or while memory is looked for.
/// Inside a library's own release nothing is retried.
///
/// # Errors
/// Those of `operation`, with all that was tried.
pub fn with_retry<T, E: OutOfMemory>(
    device: Device,
    policy: &Policy,
    mut operation: impl FnMut() -> Result<T, E>,
) -> Result<T, Unrecovered<E>> {
    let mut tried = Vec::new();
    loop {
        let error = match operation() {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let Some(shortage) = error.shortage().filter(|_| tried.len() + 1 < policy.attempts) else {
            return Err(Unrecovered { error, tried });
        };
        let Some(_recovering) = Recovering::enter() else {
            return Err(Unrecovered { error, tried });
        };
        let recovered = recover(shortage.device.unwrap_or(device), shortage.bytes);
        tried.push(Attempt { shortage, recovered });
    }
}

thread_local! {
    static RECOVERING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps a recovery that runs out of memory itself from starting another.
struct Recovering;

impl Recovering {
    fn enter() -> Option<Self> {
        (!RECOVERING.replace(true)).then_some(Self)
    }
}

impl Drop for Recovering {
    fn drop(&mut self) {
        RECOVERING.set(false);
    }
}
