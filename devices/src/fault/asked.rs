//! The check at the top of each call that faults can make fail.

use std::panic::Location;
use std::sync::OnceLock;

use super::active::{arm, strike};
use super::coverage::{record, start_if_wanted};
use super::reasons::{armed, look_no_more, tell};
use super::{Fault, FaultKind, text};
use crate::{Device, Result};

/// To be asked at the top of each call that may fail, with the bytes that it is about.
///
/// # Errors
/// The injected failure, if it is this call's turn.
#[inline]
pub(crate) fn check(kind: FaultKind, device: Device, bytes: usize) -> Result<()> {
    if armed() { look_at(kind, device, bytes) } else { Ok(()) }
}

#[cold]
fn look_at(kind: FaultKind, device: Device, bytes: usize) -> Result<()> {
    // An error is told when it is found.
    let _ = read_environment();
    strike(kind, device, bytes)
}

/// Takes note of an allocation.
#[inline]
pub(crate) fn note(location: &'static Location<'static>, bytes: usize) {
    if armed() {
        let _ = read_environment();
        record(location, bytes);
    }
}

/// The faults that `ARRAYSPAN_FAULTS` asks for.
///
/// # Errors
/// [`Error::Setting`](crate::Error::Setting) when it cannot be read; nothing is injected then.
pub fn environment() -> Result<Vec<Fault>> {
    read_environment().clone()
}

/// Reads the variables once, injects what they ask for, and reports what cannot be read.
fn read_environment() -> &'static Result<Vec<Fault>> {
    static READ: OnceLock<Result<Vec<Fault>>> = OnceLock::new();
    READ.get_or_init(|| {
        let faults = text::read(&std::env::var(text::VARIABLE).unwrap_or_default());
        match &faults {
            Ok(faults) => faults.iter().for_each(|fault| drop(arm(*fault))),
            Err(error) => tell(&error.to_string()),
        }
        start_if_wanted();
        look_no_more();
        faults
    })
}
