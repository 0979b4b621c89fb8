//! What counts against a device's limit: what its pool has from the driver, and, for the host, what is held beside it.

use std::sync::atomic::Ordering::Relaxed;

use super::Pool;
use crate::memory::refusal::Refusal;
use crate::{Device, Error, Result};

impl Pool {
    /// Counts `bytes` more from the driver, if the bounds allow it.
    pub(super) fn reserve(&self, device: Device, bytes: usize, asked: usize) -> Result<()> {
        self.charge(device, bytes, asked)?;
        let before = self.reserved.fetch_add(bytes, Relaxed);
        let headroom = self.bounds.headroom();
        if headroom > 0 {
            let free = free(device, before);
            if free < bytes.saturating_add(headroom) {
                self.reserved.fetch_sub(bytes, Relaxed);
                self.uncharge(bytes);
                return Err(Error::refused(device, asked, Refusal::Headroom { free, headroom }));
            }
        }
        Ok(())
    }

    /// Counts `bytes` more as held, beside the pool or in it, if the limit allows it.
    pub(crate) fn charge(&self, device: Device, bytes: usize, asked: usize) -> Result<()> {
        let limit = self.bounds.limit().unwrap_or(usize::MAX);
        let more = |held: usize| held.checked_add(bytes).filter(|held| *held <= limit);
        match self.held.fetch_update(Relaxed, Relaxed, more) {
            Ok(_) => Ok(()),
            // Without a limit this is more than can be counted.
            Err(_) if limit == usize::MAX => Err(Error::out_of_memory(device, asked, 0)),
            Err(reserved) => {
                self.bounds.check(device)?;
                Err(Error::refused(device, asked, Refusal::Limit { limit, reserved }))
            }
        }
    }

    /// As [`charge`](Self::charge) for what is there already and cannot be refused.
    pub(crate) fn charge_anyway(&self, bytes: usize) {
        self.held.fetch_add(bytes, Relaxed);
    }

    /// Ends what [`charge`](Self::charge) began.
    pub(crate) fn uncharge(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// As [`charge`](Self::charge), after what the pool keeps unused has made room where there is too little.
    pub(crate) fn charge_or_trim(&self, device: Device, bytes: usize, asked: usize) -> Result<()> {
        let refused = match self.charge(device, bytes, asked) {
            Err(refused @ Error::OutOfMemory { .. }) => refused,
            done => return done,
        };
        if self.trim(device, 0)? > 0 && self.charge(device, bytes, asked).is_ok() {
            return Ok(());
        }
        Err(self.explain(device, refused))
    }
}

/// Bytes that can be had on the device: by what a driver tells, else by what is held ourselves.
fn free(device: Device, reserved: usize) -> usize {
    let told = device.free_bytes().map(|free| free + device.0.driver.spare_bytes());
    let told = told.or_else(|| device.readings().ok()?.free_bytes);
    told.unwrap_or_else(|| device.info().memory_bytes.saturating_sub(reserved))
}
