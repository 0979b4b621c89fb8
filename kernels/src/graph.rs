//! Calls of one executor that are launched together.

use arrayspan_bridge::{Array, View, devices};

use crate::Result;
use crate::needed::Needed;
use crate::plan::{Arrays, shown};

/// Calls that one launch enqueues, on the arrays that they were made with: what a [`Plan`](crate::Plan) is on devices that have
/// graphs of kernels (CUDA), for those who keep the arrays themselves. [`graph`](trait.Executor.html#method.graph) makes one.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Error, VectorMut, on};
/// # fn main() -> Result<(), Error> {
/// let mut x = Array::full([3], 1.0, Device::best())?;
/// let executor = on(Device::best())?;
/// let graph = executor.graph(|on| x.update_on(on, |x| 2.0 * x))?;
/// for _ in 0..3 {
///     match &graph {
///         Some(graph) => graph.replay(&mut x, &[])?,
///         None => x.update_on(&*executor, |x| 2.0 * x)?, // a device without graphs
///     }
/// }
/// assert_eq!(x.to_vec::<f64>()?, [8.0; 3]);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Graph {
    kernels: devices::Graph,
    needed: Vec<Needed>,
}

impl Graph {
    pub(crate) fn new(kernels: devices::Graph, needed: Vec<Needed>) -> Self {
        Self { kernels, needed }
    }

    /// Runs the calls again, in their order. Enqueued in one launch; does not wait.
    ///
    /// # Errors
    /// [`Error::NotKept`](crate::Error::NotKept) when an array that the calls write, or read although others could write it, is none
    /// of `arrays`, nor, if it is only read, one of `views`; nothing has run then. The device's failure.
    pub fn replay(&self, arrays: &mut (impl Arrays + ?Sized), views: &[View<'_>]) -> Result<()> {
        self.replay_on(&shown(arrays), views)
    }

    /// As [`replay`](Self::replay), with the arrays that were shown.
    pub(crate) fn replay_on(&self, arrays: &[&mut Array], views: &[View<'_>]) -> Result<()> {
        if let Some(at) = Needed::missing_of(&self.needed, arrays, views) {
            return Err(self.needed[at].missing());
        }
        // SAFETY: the graph holds all memory that its kernels use. What they write, or what others could write, is
        // borrowed exclusively to the end of this call, or to be read by all; all else is shared, or the graph's own.
        unsafe { self.kernels.replay() }.map_err(Into::into)
    }

    /// How many kernels it launches.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.kernels.launches()
    }
}
