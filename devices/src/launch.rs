//! Kernels in a queue.

use std::sync::Arc;

use crate::driver::{Grid, MAX_ARGUMENTS, PerArgument, RawArgument};
use crate::memory::{or_recover, queue_on};
use crate::{Access, Error, Kernel, Memory, Result, Stream, fault};

/// A kernel argument. Memory says how it is used, so that the launch can order itself after
/// whatever else uses it.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// Memory the kernel reads.
    Read(&'a Memory),
    /// Memory the kernel writes, or reads and writes.
    Write(&'a Memory),
    /// A 32-bit signed integer.
    I32(i32),
    /// A 64-bit signed integer.
    I64(i64),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// A `struct` by value: its bytes, as many as the kernel's type has. All arguments of a launch together have at most
    /// [`DeviceInfo::argument_bytes`](crate::DeviceInfo::argument_bytes).
    Struct(&'a Arc<[u8]>),
}

/// A block, and what work does with it.
pub(crate) type Used<'a> = (&'a Memory, Access);

impl<'a> Argument<'a> {
    /// The block it is, and what the kernel does with it.
    pub(crate) fn used(&self) -> Option<Used<'a>> {
        match *self {
            Self::Read(memory) => Some((memory, Access::Read)),
            Self::Write(memory) => Some((memory, Access::Write)),
            _ => None,
        }
    }
}

impl Stream {
    /// Enqueues a kernel after all earlier work on the memory it uses; does not wait. An empty grid
    /// runs nothing.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for memory or a kernel of another device; the driver's refusal.
    ///
    /// # Safety
    /// The arguments match the kernel's parameters in number, type and order, and all it reads and
    /// writes lies inside the memory given. Until this call returns no other thread queues work on
    /// bytes the kernel writes, or writes bytes it reads.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        let raw = raw(self, kernel, arguments)?;
        if grid.groups.contains(&0) || grid.threads.contains(&0) {
            return Ok(());
        }
        // No block is locked while memory is looked for.
        or_recover(self.device(), || {
            fault::check(fault::FaultKind::Launch, self.device(), 0)?;
            queue_on(self, arguments.iter().filter_map(Argument::used), || {
                // SAFETY: the caller vouches for the arguments. Every block is ordered after its earlier users and
                // remembers this stream, and stays locked until the launch is queued, so it is freed, on drop, after
                // it. One that was refused has queued nothing, so running it again is running it once.
                unsafe { self.driver().launch(kernel.driver(), grid, &raw) }
            })
        })
    }
}

/// The arguments of a launch on `stream` as the driver sees them.
///
/// # Errors
/// [`Error::WrongDevice`] for memory or a kernel of another device; [`Error::Unsupported`] for more arguments than a launch takes,
/// or structs of more bytes than the device does, or of none.
pub(crate) fn raw(
    stream: &Stream,
    kernel: &Kernel,
    arguments: &[Argument<'_>],
) -> Result<PerArgument<RawArgument>> {
    stream.expect("launch", kernel.device())?;
    if arguments.len() > MAX_ARGUMENTS {
        return Err(Error::Unsupported {
            device: stream.device().to_string(),
            what: format!(
                "a kernel with {} arguments, where {MAX_ARGUMENTS} are the most,",
                arguments.len()
            ),
        });
    }
    let most = stream.device().info().argument_bytes;
    let mut left = most;
    let mut raw = PerArgument::new();
    for argument in arguments {
        raw.push(match *argument {
            Argument::Read(memory) | Argument::Write(memory) => {
                stream.expect("launch", memory.device())?;
                RawArgument::Address(memory.address())
            }
            Argument::I32(value) => RawArgument::I32(value),
            Argument::I64(value) => RawArgument::I64(value),
            Argument::F32(value) => RawArgument::F32(value),
            Argument::F64(value) => RawArgument::F64(value),
            Argument::Struct(bytes) => {
                left = left.checked_sub(bytes.len()).filter(|_| !bytes.is_empty()).ok_or_else(
                    || Error::Unsupported {
                        device: stream.device().to_string(),
                        what: format!(
                            "a struct of {} bytes among a kernel's arguments, of which {most} are the most,",
                            bytes.len()
                        ),
                    },
                )?;
                RawArgument::Struct(bytes.clone())
            }
        });
    }
    Ok(raw)
}
