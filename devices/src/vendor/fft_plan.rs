//! One plan of cuFFT.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::cuStreamSynchronize;
use parking_lot::Mutex;

use super::fft_library::{self, Functions, Plan, Status, functions};
use super::transform::{Transform, TransformKind};
use crate::cuda::context::Context;
use crate::cuda::queue::Queue;
use crate::cuda::stream::CudaStream;
use crate::memory::{or_recover, queue_on};
use crate::stream::WeakStream;
use crate::{Access, Device, Error, Memory, Result, Stream, fault};

/// A plan of cuFFT for lines of a device, on any of its streams, on one of them at a time. It has no memory of its own to work in:
/// that comes with each call.
pub struct FftPlan {
    device: Device,
    context: Arc<Context>,
    functions: &'static Functions,
    transform: Transform,
    work_bytes: usize,
    /// A plan serves one thread at a time, which sets its stream and its work area first.
    raw: Mutex<Raw>,
}

struct Raw {
    plan: Plan,
    /// The streams that may be working by it.
    streams: Vec<WeakStream>,
}

impl FftPlan {
    /// A new one for the device of `stream`.
    pub(super) fn new(stream: &Stream, transform: &Transform) -> Result<Self> {
        let functions = functions()?;
        let (device, context) = (stream.device(), queue(stream)?.context.clone());
        or_recover(device, || {
            fault::check(fault::FaultKind::Plan, device, 0)?;
            let _current = context.enter()?;
            let mut plan = 0;
            // SAFETY: the context is current; `plan` receives the library's number of the plan.
            let made = unsafe { (functions.create)(&raw mut plan) };
            check(&context, "cufftCreate", made)?;
            // From here on the drop gives the plan back.
            let mut made = Self {
                device,
                context: context.clone(),
                functions,
                transform: *transform,
                work_bytes: 0,
                raw: Mutex::new(Raw { plan, streams: Vec::new() }),
            };
            made.work_bytes = made.describe(plan)?;
            Ok(made)
        })
    }

    /// Tells the library what the plan is of; how much memory it works in. The context is current.
    fn describe(&self, plan: Plan) -> Result<usize> {
        let Transform { kind, float64, points, lines, input, output, outer } = self.transform;
        // SAFETY: the plan is new, so that it can still be told not to take memory.
        let alone = unsafe { (self.functions.set_allocation)(plan, 0) };
        check(&self.context, "cufftSetAutoAllocation", alone)?;
        let half = points / 2 + 1;
        let [from, to]: [c_int; 2] = match kind {
            TransformKind::Complex => [points; 2],
            TransformKind::FromReal => [points, half],
            TransformKind::ToReal => [half, points],
        };
        let block = self.transform.block();
        // Of one axis the library reads the steps alone, but wants extents of arrays not to be null. Of several it reads how far
        // lines are apart from the extents.
        let several = block > 1;
        let along = |elements: c_int, line: c_int| if several { line } else { elements };
        let mut n = [outer[0], outer[1], points];
        let mut from = [outer[0], outer[1], along(from, input.line)];
        let mut to = [outer[0], outer[1], along(to, output.line)];
        let first = outer.iter().take_while(|extent| **extent == 1).count();
        let apart = |line: c_int| line.saturating_mul(block);
        let mut bytes = 0;
        // SAFETY: the plan is alive; each array has as many elements as there are axes, and is read during the call.
        let made = unsafe {
            (self.functions.make_many)(
                plan,
                (n.len() - first) as c_int,
                n[first..].as_mut_ptr(),
                from[first..].as_mut_ptr(),
                input.element,
                apart(input.line),
                to[first..].as_mut_ptr(),
                output.element,
                apart(output.line),
                fft_library::number(kind, float64),
                lines / block.max(1),
                &raw mut bytes,
            )
        };
        check(&self.context, "cufftMakePlanMany", made)?;
        Ok(bytes)
    }

    /// What it is of.
    #[must_use]
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The bytes that it works in.
    #[must_use]
    pub fn work_bytes(&self) -> usize {
        self.work_bytes
    }

    /// Enqueues the transform of lines after all earlier work on the memory it uses; does not wait. Each side is a block and where its
    /// first line begins there, in bytes; with `positive` the exponent of a complex transform is. `work` has at least
    /// [`work_bytes`](Self::work_bytes) bytes, whose content is lost, as is that of lines that become real ones.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for a stream or memory of another device; the library's refusal.
    ///
    /// # Safety
    /// All lines lie inside their memory, which holds numbers of that precision and begins at a multiple of
    /// [`Transform::alignment`]; those of the output do not overlap each other or the input.
    pub unsafe fn run(
        &self,
        stream: &Stream,
        input: (&Memory, usize),
        output: (&Memory, usize),
        work: &Memory,
        positive: bool,
    ) -> Result<()> {
        for memory in [input.0, output.0, work] {
            stream.expect("fft", memory.device())?;
        }
        stream.expect("fft", self.device)?;
        let queue = queue(stream)?;
        let place = |(memory, start): (&Memory, usize)| {
            ptr::with_exposed_provenance_mut::<c_void>(memory.address() + start)
        };
        let places = [place(input), place(output)];
        let Transform { kind, float64, .. } = self.transform;
        let read = if kind == TransformKind::ToReal { Access::Write } else { Access::Read };
        let used = [(input.0, read), (output.0, Access::Write), (work, Access::Write)];
        // A transform that is refused for lack of memory has queued nothing.
        or_recover(self.device, || {
            fault::check(fault::FaultKind::Launch, self.device, 0)?;
            queue_on(stream, used.into_iter(), || {
                let _current = self.context.enter()?;
                let mut raw = self.raw.lock();
                let plan = raw.plan;
                // SAFETY: plan and stream are alive and of one context. Work of this plan that is under way has been given its
                // stream and its work area when it was queued.
                let set = unsafe { (self.functions.set_stream)(plan, queue.raw().cast()) };
                check(&self.context, "cufftSetStream", set)?;
                // SAFETY: as above; nobody else has this memory on the stream until the transform is queued.
                let set = unsafe { (self.functions.set_area)(plan, place((work, 0))) };
                check(&self.context, "cufftSetWorkArea", set)?;
                raw.remember(stream);
                // SAFETY: the stream comes after all that uses the memory, for which the caller vouches.
                let done =
                    unsafe { self.functions.execute(plan, (kind, float64), places, positive) };
                check(&self.context, "cufftExec", done)
            })
        })
    }
}

impl Raw {
    /// Notes that `stream` works by the plan.
    fn remember(&mut self, stream: &Stream) {
        if !self.streams.iter().any(|known| known.is(stream)) {
            self.streams.retain(WeakStream::lives);
            self.streams.push(stream.downgrade());
        }
    }
}

impl Drop for FftPlan {
    /// Waits for the work of the plan, whose tables go with it.
    fn drop(&mut self) {
        let Raw { plan, streams } = self.raw.get_mut();
        let destroyed = self.context.enter().and_then(|_current| {
            for stream in streams.iter().filter_map(WeakStream::upgrade) {
                if let Ok(queue) = queue(&stream) {
                    // SAFETY: the stream is held alive here. A failure of its work is told to who waits for that.
                    let _ = unsafe { cuStreamSynchronize(queue.raw()) };
                }
            }
            // SAFETY: nobody else has the plan any more, and the context is current.
            check(&self.context, "cufftDestroy", unsafe { (self.functions.destroy)(*plan) })
        });
        self.context.defer(destroyed);
    }
}

impl fmt::Debug for FftPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FftPlan({}, {:?})", self.context, self.transform)
    }
}

fn queue(stream: &Stream) -> Result<&Queue> {
    CudaStream::queue_behind(stream.driver()).ok_or_else(|| Error::Unsupported {
        device: stream.device().to_string(),
        what: "cuFFT".into(),
    })
}

fn check(context: &Context, call: &'static str, code: Status) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    Err(Error::Driver { device: context.to_string(), call, name: fft_library::name(code), code })
}
