//! Allocations that the limit of a scope refuses: arrays that are counted for the scope are spilled.

use std::time::Instant;

use super::account::{Full, ScopeHandle};
use super::contest::Contest;
use super::recover::{PATIENCE, Recovering, take_turn};
use crate::{Device, Result, reclaim};

/// Asks for room in a scope, and again as long as arrays of the scope can be spilled. The device itself may have room, so
/// nothing else is given up.
pub(super) fn or_spill(device: Device, mut admit: impl FnMut() -> Result<(), Full>) -> Result<()> {
    let Err(mut full) = admit() else { return Ok(()) };
    if full.never_fits() {
        return Err(full.error);
    }
    // Inside a recovery the error goes to the step that ran out of memory.
    let Some(_recovering) = Recovering::enter() else { return Err(full.error) };
    let _turn = take_turn(device);
    let (begin, mut contest) = (Instant::now(), Contest::begin(device));
    while begin.elapsed() < PATIENCE {
        let mut freed = false;
        for library in reclaim::libraries() {
            match library.release_within(&ScopeHandle::that_is(&full), device, full.missing) {
                Ok(bytes) => freed |= bytes != Some(0),
                Err(error) => tracing::info!(%device, %error, "no room was made in a scope"),
            }
        }
        full = match admit() {
            Ok(()) => return Ok(()),
            Err(full) => full,
        };
        if !contest.goes_on(freed) {
            break;
        }
    }
    Err(full.error)
}
