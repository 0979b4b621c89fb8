//! Kernels and their launch.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::Arc;

use cl3::error_codes::{CL_SUCCESS, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED};
use cl3::kernel::{create_kernel, set_kernel_arg};
use cl3::load_library;
use cl3::types::{cl_command_queue, cl_kernel};
use parking_lot::Mutex;

use super::context::Context;
use super::handle::{Handle, Object};
use super::serial::serial;
use crate::driver::{Grid, KernelDriver, RawArgument};
use crate::{Error, Result};

/// A kernel of a built program.
#[derive(Debug)]
pub(super) struct OpenClKernel {
    context: Arc<Context>,
    /// Arguments are state of the kernel object, so setting them and launching is one step.
    kernel: Mutex<Handle>,
    /// Released after the kernel, which by the standard holds a reference of its own.
    _program: Handle,
}

impl OpenClKernel {
    pub(super) fn new(context: &Arc<Context>, program: Handle, entry: &str) -> Result<Self> {
        let entry = CString::new(entry).map_err(|_| Error::Unsupported {
            device: context.to_string(),
            what: format!("an entry point called {entry:?}"),
        })?;
        let calls = serial();
        let raw = create_kernel(program.raw(), &entry)
            .map_err(|code| context.failure("clCreateKernel", code))?;
        drop(calls);
        // SAFETY: just created, with one reference that is ours.
        let kernel = Mutex::new(unsafe { context.own(raw, Object::Kernel) });
        Ok(Self { context: context.clone(), kernel, _program: program })
    }

    /// Queues the kernel, without an event: NVIDIA's library takes 7 microseconds for that of a kernel in a queue that keeps
    /// times, of 11 for the launch.
    ///
    /// # Safety
    /// The queue is alive and of the kernel's context; the arguments match the kernel's parameters, and
    /// what it reads and writes lies within them.
    pub(super) unsafe fn launch(
        &self,
        queue: cl_command_queue,
        grid: Grid,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let mut global = [0; 3];
        for ((size, groups), threads) in global.iter_mut().zip(grid.groups).zip(grid.threads) {
            *size = groups.checked_mul(threads).ok_or_else(|| too_large(&self.context, grid))?;
        }
        let kernel = self.kernel.lock();
        let _serial = serial();
        for (index, argument) in arguments.iter().enumerate() {
            let (bytes, value) = bytes_of(argument);
            // SAFETY: `value` points to `bytes` bytes inside `argument`, copied by the call; the lock
            // keeps other threads from the kernel's arguments.
            unsafe { set_kernel_arg(kernel.raw(), index as u32, bytes, value) }
                .map_err(|code| self.context.failure("clSetKernelArg", code))?;
        }
        // SAFETY: queue and kernel are alive, and the caller vouches for the arguments.
        unsafe { enqueue(queue, kernel.raw(), &global, &grid.threads) }
            .map_err(|code| self.context.failure("clEnqueueNDRangeKernel", code))
    }
}

/// `clEnqueueNDRangeKernel` after all that the queue has, without an event, which the wrapper of that name always asks for.
///
/// # Safety
/// Queue and kernel are alive, and what the kernel reads and writes lies within its arguments.
unsafe fn enqueue(
    queue: cl_command_queue,
    kernel: cl_kernel,
    global: &[usize; 3],
    group: &[usize; 3],
) -> Result<(), i32> {
    let library = load_library().as_ref().map_err(|_| DLOPEN_RUNTIME_LOAD_FAILED)?;
    // Both sizes have three entries, read during the call only; there is no list of events, and no place for one.
    let code = library.clEnqueueNDRangeKernel(
        queue,
        kernel,
        3,
        ptr::null(),
        global.as_ptr(),
        group.as_ptr(),
        0,
        ptr::null(),
        ptr::null_mut(),
    );
    match code {
        Some(CL_SUCCESS) => Ok(()),
        Some(code) => Err(code),
        None => Err(DLOPEN_FUNCTION_NOT_AVAILABLE),
    }
}

/// The error for a grid that does not fit the address space.
fn too_large(context: &Context, grid: Grid) -> Error {
    Error::Unsupported { device: context.to_string(), what: format!("a grid of {grid:?}") }
}

/// Size and place of an argument's value. An address is a `cl_mem`, which is passed by its own address.
fn bytes_of(argument: &RawArgument) -> (usize, *const c_void) {
    fn of<T>(value: &T) -> (usize, *const c_void) {
        (size_of::<T>(), ptr::from_ref(value).cast())
    }
    match argument {
        RawArgument::Address(value) => of(value),
        RawArgument::I32(value) => of(value),
        RawArgument::I64(value) => of(value),
        RawArgument::F32(value) => of(value),
        RawArgument::F64(value) => of(value),
        RawArgument::Struct(bytes) => (bytes.len(), bytes.as_ptr().cast()),
    }
}

impl KernelDriver for OpenClKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
