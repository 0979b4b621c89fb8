//! Devices of this machine: find them, queue work on them, hold memory on them, compile kernels for them.
//!
//! CPU, CUDA and `OpenCL` are served behind one set of types. GPU libraries are opened at run time; one that
//! is absent makes its devices [`Error::Unavailable`] and nothing else. All work is ordered by [`Stream`]s;
//! [`Memory`] knows which streams use it, so that order between streams, and between last use and release, is
//! kept without the host waiting.
//!
//! ```
//! use arrayspan_devices::{Device, Memory};
//!
//! for device in Device::all() {
//!     println!("{device}: {}", device.info().name); // cpu, cuda:0, opencl:0, …
//! }
//! let device = Device::best(); // or "cuda:0".parse()?, Device::cuda(0)?
//! let stream = device.stream()?; // its default stream; `new_stream` makes others
//! let block = Memory::allocate(1 << 20, &stream)?; // from the device's pool
//! assert!(device.statistics().live_bytes >= 1 << 20);
//! drop(block); // goes back after all work that uses it; nobody waits
//! # Ok::<(), arrayspan_devices::Error>(())
//! ```
//!
//! # Settings
//!
//! Variables of the environment, read once by a process:
//!
//! | | |
//! |---|---|
//! | `ARRAYSPAN_DISABLE=cuda,opencl,nvml,torch` | these [`Backend`]s are left alone, as if they were not installed |
//! | `ARRAYSPAN_MEMORY_LIMIT=cuda:0=2GiB,cpu=25%` | [`Limit`]s from the start |
//! | `ARRAYSPAN_CACHE_DIR` | the folder of compiled kernels; by default `~/.cache/arrayspan` |
//! | `ARRAYSPAN_STAGING_THREADS` | threads that copy pageable memory ([`staging`]) |
//! | `ARRAYSPAN_LEAKS=1`, `ARRAYSPAN_NVTX=1` | blocks that are live at the end; scopes in NVIDIA's profilers ([`account`]) |
//! | `ARRAYSPAN_CUFFT=0` | Fourier transforms on CUDA take kernels of our own only |
//! | `ARRAYSPAN_OPENCL_FLOAT64=0` | `OpenCL` devices are as those without 64-bit floating point: to try programs for them |
//! | `ARRAYSPAN_OPENCL_GROUP_THREADS=256`, `ARRAYSPAN_OPENCL_LOCAL_BYTES=32768` | and as those with no larger groups, or with no more memory for each |
//! | `ARRAYSPAN_MEMORY_POISON=1` | freed blocks are filled with NaN bytes: to find reads of what nobody wrote |
//! | `ARRAYSPAN_FAULTS`, `ARRAYSPAN_COVERAGE=1` | failures on purpose; allocations outside of any retry scope ([`fault`]) |
//!
//! # Features
//!
//! `cuda` and `opencl`, on by default, are these back ends. Without one its crates are not depended on, and its
//! devices are unavailable as on a machine without its driver.
#![cfg_attr(
    not(all(feature = "cuda", feature = "opencl")),
    allow(dead_code, reason = "what only back ends use that were left out")
)]

mod as_stream;
mod backend;
pub mod caches;
mod callback;
mod caught;
mod companions;
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "left_out/cuda.rs"]
pub mod cuda;
mod default_stream;
mod device;
pub mod driver;
mod entry;
mod error;
mod event;
pub mod fault;
mod graph;
mod health;
mod identity;
mod info;
mod jit;
mod kind;
mod launch;
pub mod libraries;
mod memory;
pub mod monitor;
#[cfg(feature = "opencl")]
pub mod opencl;
#[cfg(not(feature = "opencl"))]
#[path = "left_out/opencl.rs"]
pub mod opencl;
mod opened;
pub mod peer;
mod priority;
mod probe;
mod queries;
pub mod reclaim;
mod registry;
mod stream;
mod sync;
pub mod vectors;
pub mod vendor;

pub use as_stream::AsStream;
pub use backend::Backend;
pub use default_stream::DefaultStream;
pub use device::Device;
pub use driver::{Grid, Reach};
pub use error::{Error, Result};
pub use event::Event;
pub use graph::{Graph, GraphNode};
pub use identity::{DeviceIdentity, PciAddress};
pub use info::DeviceInfo;
pub use jit::{Buildable, Cache, Kernel, KernelSource, Specialisation, WeakKernel};
pub use kind::DeviceKind;
pub use launch::Argument;
pub use memory::account::{Entered, Figures, Scope, ScopeHandle, Snapshot};
pub use memory::{
    Access, Limit, Memory, PinnedStatistics, Refusal, Refused, Registered, Release, Statistics,
    account, drain, drain_for, retry, staging,
};
pub use priority::Priority;
pub use queries::MemoryUse;
pub use registry::register_driver;
pub use stream::Stream;
