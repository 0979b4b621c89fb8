//! A kind of device that this crate does not know: memory of the host, behind queues that threads of their own serve.
//!
//! Work really runs later than it was queued, so that a missing order shows.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_devices::driver::{DeviceDriver, Driver, KernelDriver, StreamDriver};
use arrayspan_devices::{Device, DeviceInfo, DeviceKind, Error, Result};

use super::queue::{FULL, ShelfStream};

/// `kDLExtDev`.
pub(super) const KIND: DeviceKind = DeviceKind::new("shelf", 12);
pub(super) const DEVICES: usize = 2;
/// What each has.
pub(super) const BYTES: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct Shelves;

#[derive(Debug)]
struct Shelf {
    number: usize,
    info: DeviceInfo,
    taken: Arc<AtomicUsize>,
}

impl Driver for Shelves {
    fn kind(&self) -> DeviceKind {
        KIND
    }

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        let shelf = |number| {
            let info = DeviceInfo {
                name: format!("shelf number {number}"),
                platform: "tests".into(),
                memory_bytes: BYTES,
                capability: "none".into(),
                compute_units: 1,
                float64: true,
                device_fence: false,
                group_threads: 1,
                local_bytes: 0,
                most_local_bytes: 0,
                argument_bytes: 0,
                accelerator: false,
                uuid: None,
                pci: None,
            };
            Box::new(Shelf { number, info, taken: Arc::default() }) as Box<dyn DeviceDriver>
        };
        Ok((0..DEVICES).map(shelf).collect())
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 256).expect("a size of the tests")
}

impl DeviceDriver for Shelf {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_bytes(&self) -> Option<usize> {
        Some(BYTES - self.taken.load(SeqCst))
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(ShelfStream::new()))
    }

    unsafe fn foreign_stream(&self, _: usize) -> Result<Box<dyn StreamDriver>> {
        Err(self.without("a stream of another library"))
    }

    fn allocate(&self, bytes: usize, _: &dyn StreamDriver) -> Result<usize> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= BYTES);
        if self.taken.fetch_update(SeqCst, SeqCst, more).is_err() {
            return Err(Error::out_of_memory(Device::new(KIND, self.number)?, bytes, FULL));
        }
        // SAFETY: more than zero bytes, by the trait's contract.
        Ok(unsafe { alloc_zeroed(layout(bytes)) }.expose_provenance())
    }

    unsafe fn free(&self, address: usize, bytes: usize, stream: &dyn StreamDriver) -> Result<()> {
        let Some(stream) = stream.as_any().downcast_ref::<ShelfStream>() else {
            return Err(self.without("another driver's stream"));
        };
        let taken = self.taken.clone();
        stream.queue(move || {
            // SAFETY: by the caller's contract it was allocated above with this size, and work that uses it comes before
            // this point of the stream.
            unsafe { dealloc(address as *mut u8, layout(bytes)) };
            taken.fetch_sub(bytes, SeqCst);
        });
        Ok(())
    }

    fn means_no_memory(&self, _: &str, code: i32) -> bool {
        code == FULL
    }

    fn target(&self) -> String {
        "shelf".into()
    }

    fn compile(&self, _: &str, _: &str) -> Result<Vec<u8>> {
        Err(self.without("a kernel"))
    }

    fn load(&self, _: &[u8], _: &str) -> Result<Box<dyn KernelDriver>> {
        Err(self.without("a kernel"))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
