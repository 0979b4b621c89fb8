//! Handles of cuBLAS. Each keeps a workspace on its device, which a recovery may take back.

use std::ptr;
use std::sync::{Arc, Weak};

use cudarc::cublas::sys::{self, cublasStatus_t};
use parking_lot::Mutex;

use crate::cuda::context::Context;
use crate::cuda::queue::Queue;
use crate::cuda::stream::CudaStream;
use crate::memory::or_recover;
use crate::reclaim::{self, Holdings, Reclaim, Stage};
use crate::stream::WeakStream;
use crate::{Device, DeviceKind, Error, Result, Stream, fault};

/// A handle of cuBLAS for one stream, with which it is kept: made when it is needed, and again after a recovery has taken
/// it.
pub(super) struct Handle {
    device: Device,
    context: Arc<Context>,
    /// A handle serves one thread at a time.
    raw: Mutex<Option<Raw>>,
}

/// The library's own handle.
#[derive(Clone, Copy)]
struct Raw(sys::cublasHandle_t);

// SAFETY: the handle belongs to its context, not to a thread, and the lock around it admits one thread at a time.
unsafe impl Send for Raw {}

/// Every handle that lives, and the stream it is kept with.
static HANDLES: Mutex<Vec<(WeakStream, Weak<Handle>)>> = Mutex::new(Vec::new());

impl Handle {
    /// That of a stream. One is made at once if there is none, so that a library that does not work is found out here.
    pub(super) fn of(stream: &Stream) -> Result<Arc<Self>> {
        stream.companion(|| {
            let made = or_recover(stream.device(), || {
                fault::check(fault::FaultKind::Plan, stream.device(), 0)?;
                let (device, context) = (stream.device(), queue(stream)?.context.clone());
                let handle = Arc::new(Self { device, context, raw: Mutex::new(None) });
                handle.run(stream, "cublasCreate", |_| cublasStatus_t::CUBLAS_STATUS_SUCCESS)?;
                Ok(handle)
            })?;
            reclaim::register(&WORKSPACES);
            let mut handles = HANDLES.lock();
            handles.retain(|(_, handle)| handle.strong_count() > 0);
            handles.push((stream.downgrade(), Arc::downgrade(&made)));
            Ok(made)
        })
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    /// Calls a function of the library with the handle, which works on `stream`, the one it is kept with.
    pub(super) fn run(
        &self,
        stream: &Stream,
        call: &'static str,
        work: impl FnOnce(sys::cublasHandle_t) -> cublasStatus_t,
    ) -> Result<()> {
        let _current = self.context.enter()?;
        let mut raw = self.raw.lock();
        let handle = match *raw {
            Some(handle) => handle,
            None => *raw.insert(self.make(stream)?),
        };
        if queue(stream)?.thread().is_some() {
            // The default stream of a thread goes by another handle on every other thread.
            self.bind(handle, stream)?;
        }
        check(&self.context, call, work(handle.0))
    }

    /// In the current context.
    fn make(&self, stream: &Stream) -> Result<Raw> {
        let mut handle = ptr::null_mut();
        // SAFETY: the context is current; `handle` receives the library's state for it.
        let made = unsafe { sys::cublasCreate_v2(&raw mut handle) };
        check(&self.context, "cublasCreate", made)?;
        let handle = Raw(handle);
        if let Err(error) = self.bind(handle, stream) {
            self.context.defer(self.destroy(handle));
            return Err(error);
        }
        Ok(handle)
    }

    /// Has the handle work on `stream`.
    fn bind(&self, handle: Raw, stream: &Stream) -> Result<()> {
        // SAFETY: handle and stream are alive and of one context; the stream outlives the handle, which is kept with it
        // and given up before it.
        let set = unsafe { sys::cublasSetStream_v2(handle.0, queue(stream)?.raw().cast()) };
        check(&self.context, "cublasSetStream", set)
    }

    fn destroy(&self, handle: Raw) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: taken out of its only place, so nobody uses it again; the library waits for the work that uses its
        // workspace.
        check(&self.context, "cublasDestroy", unsafe { sys::cublasDestroy_v2(handle.0) })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(handle) = self.raw.get_mut().take() {
            self.context.defer(self.destroy(handle));
        }
    }
}

fn queue(stream: &Stream) -> Result<&Queue> {
    CudaStream::queue_behind(stream.driver()).ok_or_else(|| Error::Unsupported {
        device: stream.device().to_string(),
        what: "cuBLAS".into(),
    })
}

fn check(context: &Context, call: &'static str, code: cublasStatus_t) -> Result<()> {
    if code == cublasStatus_t::CUBLAS_STATUS_SUCCESS {
        return Ok(());
    }
    let (device, name) = (context.to_string(), format!("{code:?}"));
    Err(Error::Driver { device, call, name, code: code as i32 })
}

/// The workspaces of all handles that nobody uses at the moment.
#[derive(Debug)]
struct Workspaces;

static WORKSPACES: Workspaces = Workspaces;

impl Reclaim for Workspaces {
    fn name(&self) -> &'static str {
        "workspaces of cuBLAS"
    }

    fn stage(&self) -> Stage {
        Stage::Workspaces
    }

    /// The library does not tell.
    fn holdings(&self, _: Device) -> Option<Holdings> {
        None
    }

    /// `None` if there was a handle: how much it held the library does not tell either.
    fn release(&self, device: Device) -> Result<Option<usize>> {
        let mut freed = Some(0);
        if device.kind() != DeviceKind::Cuda {
            return Ok(freed);
        }
        // Nothing is let go under the lock. A stream is held until its handle is let go, in case both end here; one that has
        // ended takes its handle along.
        let known = HANDLES.lock().clone();
        let lives = |(stream, handle): &(WeakStream, Weak<Handle>)| {
            let stream = stream.upgrade()?;
            Some((handle.upgrade()?, stream))
        };
        let handles: Vec<(Arc<Handle>, Stream)> = known.iter().filter_map(lives).collect();
        for (handle, _) in handles.iter().filter(|(handle, _)| handle.device == device) {
            // A thread that multiplies holds the lock: its workspace is in use.
            let taken = handle.raw.try_lock().and_then(|mut raw| raw.take());
            if let Some(raw) = taken {
                handle.destroy(raw)?;
                freed = None;
            }
        }
        Ok(freed)
    }
}
