//! What a kernel is made for.

use std::fmt::Debug;
use std::hash::Hash;

use super::source::KernelSource;

/// What a kernel is made for: everything that is compiled into it, as a small value. Equal values of a type mean the same
/// kernel, and by the value a device finds it again without its text being written.
///
/// A [`KernelSource`] is one itself, for kernels of which there is one.
pub trait Specialisation: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// The kernel's text, a function of the value alone. Slow, and therefore asked for only when the kernel is built.
    fn source(&self) -> KernelSource;
}

impl Specialisation for KernelSource {
    fn source(&self) -> KernelSource {
        self.clone()
    }
}
