//! The driver's own queues: who made one, which handle means it, and copies between it and the host.

use std::ptr;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use cudarc::driver::sys;

use super::context::Context;
use crate::driver::BlockAddress;
use crate::{Priority, Result};

/// The legacy default stream of the current context, by two names.
const LEGACY: [usize; 2] = [0, 1];
/// The default stream of whatever thread uses the handle.
const PER_THREAD: usize = 2;

/// One of our own queues does not wait for the legacy default stream, nor makes it wait.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) context: Arc<Context>,
    handle: sys::CUstream,
    owner: Owner,
}

#[derive(Debug, PartialEq)]
enum Owner {
    Us,
    /// Another library destroys it.
    Other,
    /// The driver, for this thread.
    Thread(ThreadId),
}

// SAFETY: streams belong to their context, not to a thread, and the driver API is thread-safe.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let _current = context.enter()?;
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut handle = ptr::null_mut();
        // SAFETY: the context is current; `handle` receives the stream.
        context.check("cuStreamCreate", unsafe { sys::cuStreamCreate(&raw mut handle, flags) })?;
        Ok(Self { context: context.clone(), handle, owner: Owner::Us })
    }

    /// Zero is the default; smaller numbers are more urgent. Devices without
    /// priorities take none but zero.
    pub(super) fn with_priority(context: &Arc<Context>, priority: Priority) -> Result<Self> {
        let _current = context.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the context is current; both numbers are written during the call only.
        let asked = unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) };
        context.check("cuCtxGetStreamPriorityRange", asked)?;
        let number = match priority {
            Priority::High => greatest,
            Priority::Normal => 0,
            Priority::Low => least,
        };
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut handle = ptr::null_mut();
        // SAFETY: the context is current; `handle` receives the stream.
        let made = unsafe { sys::cuStreamCreateWithPriority(&raw mut handle, flags, number) };
        context.check("cuStreamCreateWithPriority", made)?;
        Ok(Self { context: context.clone(), handle, owner: Owner::Us })
    }

    /// A stream that another library has made.
    ///
    /// # Safety
    /// `raw` is a live stream or one of the driver's special handles, and stays so while this lives.
    pub(super) unsafe fn foreign(context: &Arc<Context>, raw: usize) -> Result<Self> {
        let made = |raw: usize, owner| {
            let handle = ptr::with_exposed_provenance_mut(raw);
            Ok(Self { context: context.clone(), handle, owner })
        };
        if LEGACY.contains(&raw) {
            return made(0, Owner::Other);
        }
        if raw == PER_THREAD {
            return made(raw, Owner::Thread(thread::current().id()));
        }
        let (stream, mut found) = (ptr::with_exposed_provenance_mut(raw), ptr::null_mut());
        // SAFETY: the caller's; `found` is written during the call only.
        let asked = unsafe { sys::cuStreamGetCtx(stream, &raw mut found) };
        context.check("cuStreamGetCtx", asked)?;
        if found != context.raw() {
            return Err(context.unsupported("a stream of another context".into()));
        }
        made(raw, Owner::Other)
    }

    /// The handle that means this queue on the thread that calls, in the context it belongs to.
    ///
    /// Another thread cannot name a thread's default stream. It takes the legacy one, which comes after
    /// all work on streams that are not ours, and before all later work on them (CUDA driver API, "stream
    /// synchronization behavior"): more order than asked for, never less.
    pub(crate) fn raw(&self) -> sys::CUstream {
        match self.owner {
            Owner::Thread(thread) if thread != thread::current().id() => ptr::null_mut(),
            _ => self.handle,
        }
    }

    /// Whether we have made it, so that kernels in it are ours, or of libraries that we call, which wait for those ahead of them. In another
    /// library's there may be kernels that end before those ahead of them, for which they do not wait: what is launched whole
    /// comes after all of these.
    pub(super) fn is_ours(&self) -> bool {
        self.owner == Owner::Us
    }

    /// The handle by which it is told from others.
    pub(super) fn handle(&self) -> sys::CUstream {
        self.handle
    }

    /// The thread whose default stream it is.
    pub(crate) fn thread(&self) -> Option<ThreadId> {
        match self.owner {
            Owner::Thread(thread) => Some(thread),
            Owner::Us | Owner::Other => None,
        }
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: the stream is alive.
        self.context.check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.raw()) })
    }

    /// Queues a copy from the host.
    ///
    /// # Safety
    /// Both ranges are valid, and the host's unchanged, until the copy is done.
    pub(super) unsafe fn upload(
        &self,
        from: *const u8,
        to: BlockAddress,
        bytes: usize,
    ) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: passed on to the caller.
        let queued =
            unsafe { sys::cuMemcpyHtoDAsync_v2(pointer(to), from.cast(), bytes, self.raw()) };
        self.context.check("cuMemcpyHtoDAsync", queued)
    }

    /// Queues a copy to the host.
    ///
    /// # Safety
    /// Both ranges are valid, and the host's untouched, until the copy is done.
    pub(super) unsafe fn download(
        &self,
        from: BlockAddress,
        to: *mut u8,
        bytes: usize,
    ) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: passed on to the caller.
        let queued =
            unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), pointer(from), bytes, self.raw()) };
        self.context.check("cuMemcpyDtoHAsync", queued)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.owner != Owner::Us {
            return;
        }
        let destroyed = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the stream up; what is queued still runs.
            self.context.check("cuStreamDestroy", unsafe { sys::cuStreamDestroy_v2(self.handle) })
        });
        self.context.defer(destroyed);
    }
}

pub(super) fn pointer(place: BlockAddress) -> sys::CUdeviceptr {
    (place.address + place.offset) as sys::CUdeviceptr
}
