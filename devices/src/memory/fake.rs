//! A device of plain memory whose transfers can be made to fail, and whose locks can be counted.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use parking_lot::Mutex;

use super::stand_in::{enter, refusal};
use crate::driver::{
    BlockAddress, DeviceDriver, EventDriver, Grid, KernelDriver, Locked, RawArgument, Sizes,
    StreamDriver,
};
use crate::{Device, DeviceInfo, DeviceKind, Error, Result};

/// How tests control the device, and what they can read of it.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// So many more transfers succeed, then one fails; below zero all succeed.
    pub(crate) transfers: AtomicIsize,
    /// Whether memory cannot be locked.
    pub(crate) refuses: AtomicBool,
    /// Bytes that can be locked at once; zero for any number.
    pub(crate) limit: AtomicUsize,
    pub(crate) locked: AtomicUsize,
    /// Bytes of its own memory that it has; zero for any number.
    pub(crate) room: AtomicUsize,
    taken: AtomicUsize,
    /// What parts of its blocks have to begin at a multiple of; zero for what is usual.
    granule: usize,
    pub(crate) registered: Mutex<BTreeSet<usize>>,
    /// What was asked of it that has to do with locked memory, in order.
    pub(crate) asked: Mutex<Vec<&'static str>>,
    /// Done once, in the middle of the next transfer.
    pub(crate) meanwhile: Meanwhile,
}

#[derive(Default)]
pub(crate) struct Meanwhile(pub(crate) Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meanwhile")
    }
}

impl Plan {
    fn note(&self, what: &'static str) {
        self.asked.lock().push(what);
    }
}

#[derive(Debug)]
struct Fake {
    info: DeviceInfo,
    plan: Arc<Plan>,
}

#[derive(Debug)]
struct FakeStream {
    raw: usize,
    plan: Arc<Plan>,
}

#[derive(Debug)]
struct FakeEvent(Arc<Plan>);

/// A device of that kind. It exists as long as the process, as all do.
pub(crate) fn device(kind: DeviceKind) -> (Device, Arc<Plan>) {
    device_with(kind, 0)
}

/// As [`device`]; refuses parts that do not begin at a multiple of `granule`, as OpenCL refuses such buffers.
pub(crate) fn device_with(kind: DeviceKind, granule: usize) -> (Device, Arc<Plan>) {
    let plan = Arc::new(Plan { transfers: AtomicIsize::new(-1), granule, ..Plan::default() });
    let fake = Fake { info: Device::cpu().info().clone(), plan: plan.clone() };
    (enter(kind, fake), plan)
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 64).expect("a size of the tests")
}

impl DeviceDriver for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_bytes(&self) -> Option<usize> {
        None
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        Ok(Box::new(FakeStream { raw: NEXT.fetch_add(1, SeqCst), plan: self.plan.clone() }))
    }

    fn lock_pages(&self, bytes: usize) -> Result<Locked> {
        let limit = self.plan.limit.load(SeqCst);
        let full = limit > 0 && self.plan.locked.load(SeqCst) + bytes > limit;
        if full || self.plan.refuses.load(SeqCst) {
            return Err(Error::out_of_memory(Device::cpu(), bytes, 2));
        }
        self.plan.locked.fetch_add(bytes, SeqCst);
        // SAFETY: more than zero bytes, by the trait's contract.
        let address = unsafe { alloc_zeroed(layout(bytes)) }.expose_provenance();
        Ok(Locked { address, bytes, handle: 0 })
    }

    unsafe fn unlock_pages(&self, locked: Locked) -> Result<()> {
        self.plan.locked.fetch_sub(locked.bytes, SeqCst);
        // SAFETY: the caller's: allocated above with this size, and used no more.
        unsafe { dealloc(locked.address as *mut u8, layout(locked.bytes)) };
        Ok(())
    }

    unsafe fn register(&self, address: usize, bytes: usize) -> Result<()> {
        if self.plan.refuses.load(SeqCst) {
            let (device, why) = (Device::cpu(), "on purpose");
            return Err(Error::PageLock { device, address, bytes, why, code: 2 });
        }
        assert!(self.plan.registered.lock().insert(address), "registered twice");
        self.plan.note("lock");
        Ok(())
    }

    unsafe fn unregister(&self, address: usize) -> Result<()> {
        assert!(self.plan.registered.lock().remove(&address), "not registered");
        self.plan.note("unlock");
        Ok(())
    }

    fn shares_locked_pages(&self) -> bool {
        true
    }

    unsafe fn foreign_stream(&self, _: usize) -> Result<Box<dyn StreamDriver>> {
        refusal("foreign stream")
    }

    fn sizes(&self) -> Sizes {
        let usual = Sizes::default();
        Sizes { granule: self.plan.granule.max(usual.granule), ..usual }
    }

    fn part(&self, address: usize, offset: usize, _: usize) -> Result<usize> {
        if !offset.is_multiple_of(self.plan.granule.max(1)) {
            return refusal("part");
        }
        Ok(address + offset)
    }

    fn allocate(&self, bytes: usize, _: &dyn StreamDriver) -> Result<usize> {
        let room = self.plan.room.load(SeqCst);
        if room > 0 && self.plan.taken.load(SeqCst) + bytes > room {
            return Err(Error::out_of_memory(Device::cpu(), bytes, 2));
        }
        self.plan.taken.fetch_add(bytes, SeqCst);
        // SAFETY: more than zero bytes, by the trait's contract.
        Ok(unsafe { alloc_zeroed(layout(bytes)) }.expose_provenance())
    }

    unsafe fn free(&self, address: usize, bytes: usize, _: &dyn StreamDriver) -> Result<()> {
        self.plan.taken.fetch_sub(bytes, SeqCst);
        // SAFETY: the caller's: allocated above with this size, and used no more.
        unsafe { dealloc(address as *mut u8, layout(bytes)) };
        Ok(())
    }

    fn target(&self) -> String {
        "fake".into()
    }

    fn compile(&self, _: &str, _: &str) -> Result<Vec<u8>> {
        refusal("compile")
    }

    fn load(&self, _: &[u8], _: &str) -> Result<Box<dyn KernelDriver>> {
        refusal("load")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl FakeStream {
    unsafe fn transfer(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<()> {
        if self.plan.transfers.fetch_sub(1, SeqCst) == 0 {
            return refusal("transfer");
        }
        let meanwhile = self.plan.meanwhile.0.lock().take();
        if let Some(act) = meanwhile {
            act();
        }
        // SAFETY: the caller's.
        unsafe { std::ptr::copy(from, to, bytes) };
        self.plan.note("transfer");
        Ok(())
    }
}

impl StreamDriver for FakeStream {
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        self.plan.note("mark");
        Ok(Box::new(FakeEvent(self.plan.clone())))
    }

    fn wait(&self, _: &dyn EventDriver) -> Result<()> {
        Ok(())
    }

    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.transfer(from, (to.address + to.offset) as *mut u8, bytes) }
    }

    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.transfer((from.address + from.offset) as *const u8, to, bytes) }
    }

    unsafe fn copy(
        &self,
        _: BlockAddress,
        _: &dyn DeviceDriver,
        _: BlockAddress,
        _: &dyn DeviceDriver,
        _: usize,
    ) -> Result<bool> {
        Ok(false)
    }

    unsafe fn launch(&self, _: &dyn KernelDriver, _: Grid, _: &[RawArgument]) -> Result<()> {
        refusal("launch")
    }

    fn raw(&self) -> usize {
        self.raw
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl EventDriver for FakeEvent {
    fn synchronize(&self) -> Result<()> {
        self.0.note("wait for a mark");
        Ok(())
    }

    fn is_complete(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_since(&self, _: &dyn EventDriver) -> Result<Duration> {
        refusal("elapsed")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
