//! Kernels compiled at run time, from one source for every device that runs kernels.

mod cache;
mod kept;
mod kernel;
mod key_hash;
mod reclaim;
mod source;
mod specialisation;
mod warm_up;

pub use cache::Cache;
pub(crate) use kept::Kept;
pub use kernel::{Kernel, WeakKernel};
pub(crate) use reclaim::register;
pub use source::KernelSource;
pub use specialisation::Specialisation;
pub use warm_up::Buildable;
