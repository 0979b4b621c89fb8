//! Host memory beside the pool that is arrayspan's own: what the program hands over, and page-locked blocks.

use std::panic::Location;

use parking_lot::Mutex;

use super::block::{Memory, Owner};
use super::hand_back::Release;
use super::recover::or_recover;
use super::uses::Uses;
use super::{account, attempt};
use crate::{Device, Result, fault};

impl Memory {
    /// Takes over host memory that the program gives away for good, as a vector, without copying. Unlike what another
    /// library lends ([`from_foreign`](Self::from_foreign)) it counts as what is [allocated](Self::allocate) on the CPU
    /// does: in statistics and scopes, and against their limits and that of the device.
    ///
    /// `release` runs once, after all work that uses the block, on whatever thread that happens. It only frees memory:
    /// it takes no lock and does not wait.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) and [`Error::ScopeLimit`](crate::Error::ScopeLimit) where a limit
    /// allows no more; `release` is dropped then, with what it holds.
    ///
    /// # Safety
    /// `address` is that of `bytes` bytes of host memory, valid until `release` runs, which nobody else uses.
    #[track_caller]
    pub unsafe fn adopt(address: usize, bytes: usize, release: Release) -> Result<Self> {
        let cpu = Device::cpu();
        let charge = || or_recover(cpu, || cpu.0.pool.charge_or_trim(cpu, bytes, bytes));
        let site = Location::caller();
        Self::beside(bytes, site, || charge().map(|()| (address, charged(bytes, release))))
    }

    /// As [`adopt`](Self::adopt), whatever the limits are: for conversions that cannot fail. What is beyond a limit
    /// keeps others from getting more.
    ///
    /// # Safety
    /// As [`adopt`](Self::adopt).
    #[must_use]
    #[track_caller]
    pub unsafe fn adopt_anyway(address: usize, bytes: usize, release: Release) -> Self {
        let cpu = Device::cpu();
        cpu.0.pool.charge_anyway(bytes);
        let release = charged(bytes, release);
        let record = account::enter_anyway(cpu, address, bytes, Location::caller());
        Self::new(
            cpu,
            address,
            bytes,
            Uses::default(),
            Owner::Ours(Mutex::new(Some(release))),
            record,
        )
    }

    /// Host memory of ours that `take` gives: its address, and what gives it back.
    pub(super) fn beside(
        bytes: usize,
        site: &'static Location<'static>,
        take: impl FnOnce() -> Result<(usize, Release)>,
    ) -> Result<Self> {
        let stream = Device::cpu().process_stream()?;
        fault::note(site, bytes);
        let address = |taken: &(usize, Release)| taken.0;
        let ((address, release), record) =
            account::allocate_at(bytes, &stream, site, take, address)?;
        attempt::taken(Device::cpu(), bytes);
        let release = move || {
            release();
            attempt::released(Device::cpu(), bytes);
        };
        let owner = Owner::Ours(Mutex::new(Some(Box::new(release))));
        Ok(Self::new(Device::cpu(), address, bytes, Uses::default(), owner, record))
    }
}

/// A release at which the memory ends to count against the limit of the host.
fn charged(bytes: usize, release: Release) -> Release {
    let charge = Charge(bytes);
    Box::new(move || {
        release();
        drop(charge);
    })
}

/// Bytes that count against the limit of the host while it lives, also if nothing comes of it.
struct Charge(usize);

impl Drop for Charge {
    fn drop(&mut self) {
        Device::cpu().0.pool.uncharge(self.0);
    }
}
