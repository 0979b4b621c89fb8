//! Kernels and their launch.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::context::Context;
use super::library;
use super::queue::Queue;
use crate::Result;
use crate::driver::{Grid, KernelDriver, KernelNeeds, MAX_ARGUMENTS, PerArgument, RawArgument};

/// A function and the module it was loaded with.
#[derive(Debug)]
pub(super) struct CudaKernel {
    context: Arc<Context>,
    module: sys::CUmodule,
    function: sys::CUfunction,
    /// Of shared memory that launches ask for.
    local_bytes: u32,
    /// Whether it waits for the kernels before it, which need not have ended when it is launched.
    early: bool,
}

// SAFETY: modules and functions belong to their context, not to a thread, and the driver API is
// thread-safe; arguments are not part of the function.
unsafe impl Send for CudaKernel {}
// SAFETY: as above.
unsafe impl Sync for CudaKernel {}

impl CudaKernel {
    pub(super) fn new(
        context: &Arc<Context>,
        binary: &[u8],
        entry: &str,
        needs: KernelNeeds,
    ) -> Result<Self> {
        let local_bytes = needs.local_bytes;
        let entry = CString::new(entry)
            .map_err(|_| context.unsupported(format!("an entry point called {entry:?}")))?;
        let _current = context.enter()?;
        let mut module = ptr::null_mut();
        // SAFETY: the context is current; the binary says its own length and is copied by the call. The
        // cache has checked that it is what the compiler once wrote.
        let loaded = unsafe { sys::cuModuleLoadData(&raw mut module, binary.as_ptr().cast()) };
        context.check("cuModuleLoadData", loaded)?;
        let early = needs.awaits_earlier_kernels && library::has("cuLaunchKernelEx");
        let (function, own) = (ptr::null_mut(), context.clone());
        // From here on the drop unloads the module, also if the function is not found.
        let mut kernel = Self { context: own, module, function, local_bytes: 0, early };
        // SAFETY: the module is loaded; `function` receives what lives as long as the module.
        let found =
            unsafe { sys::cuModuleGetFunction(&raw mut kernel.function, module, entry.as_ptr()) };
        context.check("cuModuleGetFunction", found)?;
        if local_bytes > 0 {
            let bytes = i32::try_from(local_bytes).map_err(|_| {
                context.unsupported(format!("a group with {local_bytes} bytes of shared memory"))
            })?;
            let what = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the context is current and the function alive; only a number is stored with it.
            let allowed = unsafe { sys::cuFuncSetAttribute(kernel.function, what, bytes) };
            context.check("cuFuncSetAttribute", allowed)?;
            kernel.local_bytes = bytes.cast_unsigned();
        }
        Ok(kernel)
    }

    /// The driver's handle, valid as long as this is.
    pub(super) fn function(&self) -> sys::CUfunction {
        self.function
    }

    /// Of shared memory that launches ask for.
    pub(super) fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Whether it waits for the kernels before it, which need not have ended when it is launched.
    pub(super) fn is_early(&self) -> bool {
        self.early
    }

    /// Queues the kernel.
    ///
    /// # Safety
    /// The queue is of the kernel's context; the arguments match the kernel's parameters, and
    /// what it reads and writes lies within them.
    pub(super) unsafe fn launch(
        &self,
        queue: &Queue,
        grid: Grid,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let [gx, gy, gz, tx, ty, tz] = sizes(&self.context, grid)?;
        if arguments.len() > MAX_ARGUMENTS {
            let what = format!(
                "a kernel with {} arguments, where {MAX_ARGUMENTS} are the most,",
                arguments.len()
            );
            return Err(self.context.unsupported(what));
        }
        let (mut pointers, stream) = (pointers(arguments), queue.raw());
        let _current = self.context.enter()?;
        if self.early && queue.is_ours() {
            // SAFETY: passed on to the caller.
            return unsafe { self.launch_early(stream, [gx, gy, gz, tx, ty, tz], &mut pointers) };
        }
        // SAFETY: function and queue are alive and of the current context; each pointer leads to the
        // value inside `arguments`, read during the call only; the caller vouches for the rest.
        let queued = unsafe {
            sys::cuLaunchKernel(
                self.function,
                gx,
                gy,
                gz,
                tx,
                ty,
                tz,
                self.local_bytes,
                stream,
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.context.check("cuLaunchKernel", queued)
    }

    /// Queues a kernel that waits for those before it: its launch is ahead of their end.
    ///
    /// # Safety
    /// As [`launch`](Self::launch), with pointers to the arguments; the context is current.
    unsafe fn launch_early(
        &self,
        stream: sys::CUstream,
        [gx, gy, gz, tx, ty, tz]: [u32; 6],
        pointers: &mut PerArgument<*mut c_void>,
    ) -> Result<()> {
        let mut ahead = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: gx,
            gridDimY: gy,
            gridDimZ: gz,
            blockDimX: tx,
            blockDimY: ty,
            blockDimZ: tz,
            sharedMemBytes: self.local_bytes,
            hStream: stream,
            attrs: &raw mut ahead,
            numAttrs: 1,
        };
        // SAFETY: as for `launch`; the kernel's text waits for all kernels before it, and sees what they have written, before it
        // reads or writes anything. The configuration and its one attribute are read during the call only.
        let queued = unsafe {
            sys::cuLaunchKernelEx(
                &raw const config,
                self.function,
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.context.check("cuLaunchKernelEx", queued)
    }
}

/// Groups along x, y, z, then threads, as the driver takes them.
pub(super) fn sizes(context: &Context, grid: Grid) -> Result<[u32; 6]> {
    let mut sizes = [0; 6];
    for (size, wanted) in sizes.iter_mut().zip(grid.groups.iter().chain(&grid.threads)) {
        *size = u32::try_from(*wanted)
            .map_err(|_| context.unsupported(format!("a grid of {grid:?}")))?;
    }
    Ok(sizes)
}

/// Where the values of arguments lie, as long as these do.
pub(super) fn pointers(arguments: &[RawArgument]) -> PerArgument<*mut c_void> {
    arguments.iter().map(value).collect()
}

/// Where an argument's value lies. The driver takes pointers to what it does not change.
fn value(argument: &RawArgument) -> *mut c_void {
    fn of<T>(value: &T) -> *mut c_void {
        ptr::from_ref(value).cast_mut().cast()
    }
    match argument {
        // A device pointer has 64 bits, as has a `usize` wherever there is CUDA.
        RawArgument::Address(value) => of(value),
        RawArgument::I32(value) => of(value),
        RawArgument::I64(value) => of(value),
        RawArgument::F32(value) => of(value),
        RawArgument::F64(value) => of(value),
        RawArgument::Struct(bytes) => bytes.as_ptr().cast_mut().cast(),
    }
}

impl Drop for CudaKernel {
    fn drop(&mut self) {
        let unloaded = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the module up. Launches already queued keep their code: the
            // driver unloads when they are done.
            self.context.check("cuModuleUnload", unsafe { sys::cuModuleUnload(self.module) })
        });
        self.context.defer(unloaded);
    }
}

impl KernelDriver for CudaKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
