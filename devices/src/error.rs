//! What can go wrong between a program and its devices.

use crate::memory::retry::Recovered;
use crate::{Device, DeviceKind, Refused};

/// The result of a device operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong between a program and its devices.
///
/// `Clone`, so that a failure found while freeing memory can be kept and returned by the next call.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A driver, library or platform is not installed or does not answer.
    #[error("{what} is unavailable: {why}")]
    Unavailable {
        /// The driver or library.
        what: String,
        /// What was tried and how it failed.
        why: String,
    },
    /// The number does not name a device of that kind.
    #[error("{kind}:{gpu_id} does not exist: this machine has {count} {kind} device(s)")]
    NoSuchDevice {
        /// The kind asked for.
        kind: DeviceKind,
        /// The number asked for.
        gpu_id: usize,
        /// How many devices of that kind there are.
        count: usize,
    },
    /// A device name could not be read.
    #[error("'{text}' is not a device: expected a kind and a number, as cpu, cuda:0 or opencl:1")]
    DeviceName {
        /// The text given.
        text: String,
    },
    /// The device has no room for an allocation, as its driver's error code says, or arrayspan may not take more.
    /// Made by [`Error::out_of_memory`].
    ///
    /// Prints in one line what was missing, what looking for memory has brought in all, and what would help; with each
    /// step on a line of its own as `{:#}`.
    #[error(fmt = crate::memory::print_refused)]
    OutOfMemory {
        /// Where.
        device: Device,
        /// How many bytes were asked for; 0 where nobody knows.
        bytes: usize,
        /// The driver's own code; zero where it was not asked.
        code: i32,
        /// What the memory pool knows about it.
        refusal: Option<Box<Refused>>,
        /// What was tried to find memory, in order.
        tried: Vec<Recovered>,
    },
    /// A limit of memory could not be read.
    #[error("'{text}' is not a size: {why}")]
    LimitText {
        /// The text given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A limit of memory makes no sense where it is set; nothing was changed.
    #[error("{operation}: {asked} on {device}: {why}")]
    Limit {
        /// What set it.
        operation: &'static str,
        /// Where.
        device: Device,
        /// What was asked for.
        asked: String,
        /// Why that cannot be.
        why: String,
    },
    /// The limit of a [`Scope`](crate::Scope) refuses an allocation. The device may well have room.
    #[error(
        "scope '{scope}': {bytes} bytes more on {device} would exceed its limit of {limit} bytes ({live} are live)"
    )]
    ScopeLimit {
        /// The scope whose limit it is and those around it, as `outer/inner`.
        scope: String,
        /// Where.
        device: Device,
        /// How many bytes were asked for.
        bytes: usize,
        /// How many the scope may hold there.
        limit: usize,
        /// How many it held there at that moment.
        live: usize,
    },
    /// A scope was to be entered with a limit that refuses everything.
    #[error("scope '{scope}': a limit of 0 bytes would refuse every allocation")]
    ZeroLimit {
        /// The scope.
        scope: String,
    },
    /// Pages of host memory could not be locked in place.
    #[error("{device}: page-locking {bytes} bytes at {address:#x}: {why}{}", coded(*code))]
    PageLock {
        /// The device they were to be locked for.
        device: Device,
        /// The first byte.
        address: usize,
        /// How many bytes.
        bytes: usize,
        /// Why.
        why: &'static str,
        /// The driver's own code; 0 where it was not asked.
        code: i32,
    },
    /// A kernel did not compile.
    #[error("{device}: kernel '{kernel}' does not compile{}\n{log}", line.as_ref().map_or_else(String::new, |l| format!(" at: {}", l.trim())))]
    Compile {
        /// The device or architecture compiled for.
        device: String,
        /// The kernel.
        kernel: String,
        /// The first source line the compiler complains about.
        line: Option<String>,
        /// The compiler's log.
        log: String,
    },
    /// A driver call failed.
    #[error("{device}: {call} failed with {name} ({code})")]
    Driver {
        /// Where.
        device: String,
        /// The driver function.
        call: &'static str,
        /// The driver's name for the failure.
        name: String,
        /// The driver's own code.
        code: i32,
    },
    /// A device no longer works in this process: its hardware failed, or a kernel left its context unusable.
    ///
    /// Every later call on it fails the same way, so nothing retries. Other devices still work; this one
    /// comes back in a new process, if its hardware does.
    #[error(
        "{device} is lost: {call} failed with {name} ({code}); it cannot be used again in this process"
    )]
    DeviceLost {
        /// Which.
        device: String,
        /// The driver function that found it out.
        call: &'static str,
        /// The driver's name for the failure.
        name: String,
        /// The driver's own code.
        code: i32,
    },
    /// Two objects that must live on one device do not.
    #[error("{operation}: an argument is on {found}, the operation runs on {expected}")]
    WrongDevice {
        /// What was asked for.
        operation: &'static str,
        /// The device it runs on.
        expected: Device,
        /// The device of the offending argument.
        found: Device,
    },
    /// A byte range leaves the memory it refers to.
    #[error("{operation}: bytes {start}..{end} lie outside a block of {bytes} bytes on {device}")]
    OutOfRange {
        /// What was asked for.
        operation: &'static str,
        /// The block's device.
        device: Device,
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// The size of the block.
        bytes: usize,
    },
    /// The device cannot do this at all.
    #[error("{device}: {what} is not supported")]
    Unsupported {
        /// Where.
        device: String,
        /// What.
        what: String,
    },
    /// A setting in the environment cannot be read.
    #[error("{variable}: cannot read '{text}': {why}")]
    Setting {
        /// The environment variable.
        variable: &'static str,
        /// The part that cannot be read.
        text: String,
        /// What was expected.
        why: String,
    },
}

/// The driver's code, if it was asked.
fn coded(code: i32) -> String {
    if code == 0 { String::new() } else { format!(" (driver code {code})") }
}

/// Makes `Debug` of an error its `Display`: what `main` and `unwrap` print is the message, not the fields.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_as_display {
    ($error:ident $(<$parameter:ident>)?) => {
        impl $(<$parameter: ::std::fmt::Display>)? ::std::fmt::Debug for $error $(<$parameter>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

debug_as_display!(Error);
