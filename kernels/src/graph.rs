//! Calls of one executor that are launched together.

use std::fmt;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::{Array, Operand, View, devices};
use parking_lot::Mutex;

use crate::Result;
use crate::needed::{Block, Needed};
use crate::plan::{Arrays, shown};

/// Calls that were made once and run again as one, on the arrays that they were made with: what a [`Plan`](crate::Plan) is for
/// those who keep the arrays themselves, on CUDA, which launches them at once, and on the host, where they are neither made nor
/// checked again. [`graph`](trait.Executor.html#method.graph) makes one.
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
    kept: Kept,
    needed: Vec<Needed>,
    /// What is needed of arrays that it has released, and the address of their memory.
    released: Vec<(usize, Needed)>,
}

#[derive(Debug)]
enum Kept {
    Kernels(devices::Graph),
    /// So many, which run one after the other.
    Calls(usize, Mutex<Box<dyn Replay>>),
}

/// Calls of the host that are kept to be run over and over.
pub(crate) trait Replay: fmt::Debug + Send {
    /// How many.
    fn count(&self) -> usize;

    /// Runs them, in their order.
    fn run(&mut self) -> Result<()>;
}

impl Graph {
    pub(crate) fn new(kernels: devices::Graph, needed: Vec<Needed>) -> Self {
        Self { kept: Kept::Kernels(kernels), needed, released: Vec::new() }
    }

    /// Of calls that are only executed once all that is needed was found.
    pub(crate) fn of_calls(calls: Box<dyn Replay>, needed: Vec<Needed>) -> Self {
        let kept = Kept::Calls(calls.count(), Mutex::new(calls));
        Self { kept, needed, released: Vec::new() }
    }

    /// Runs the calls again, in their order. On CUDA enqueued in one launch; does not wait.
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
        match &self.kept {
            // SAFETY: the graph holds all memory that its kernels use. What they write, or what others could write, is
            // borrowed exclusively to the end of this call, or to be read by all; all else is shared, or the graph's own.
            Kept::Kernels(kernels) => unsafe { kernels.replay() }.map_err(Into::into),
            // Two callers at once have both lent nothing that is written: what the calls make nobody can see, and to wait
            // could be for oneself, where threads that wait take up other work.
            Kept::Calls(_, calls) => calls.try_lock().map_or(Ok(()), |mut calls| calls.run()),
        }
    }

    /// Whether it is one of kernels, on that stream.
    #[must_use]
    pub fn is_on(&self, stream: &Stream) -> bool {
        matches!(&self.kept, Kept::Kernels(kernels) if kernels.stream() == stream)
    }

    /// Whether its kernels use the memory of an array; `true` of calls on the host, which do not tell.
    #[must_use]
    pub fn uses(&self, view: &View<'_>) -> bool {
        match &self.kept {
            Kept::Kernels(kernels) => kernels.uses(view.memory()),
            Kept::Calls(..) => true,
        }
    }

    /// Gives up what it holds of an array, whose memory may be freed then: there is no replay until another array
    /// [takes its place](Self::take). Where it holds nothing of it there is nothing to be done. `false` where it cannot do without
    /// (calls on the host).
    pub fn release(&mut self, view: &View<'_>) -> bool {
        let Kept::Kernels(kernels) = &mut self.kept else { return false };
        if kernels.release(view.memory()) {
            let (block, address) = (Block::of(view.memory()), view.memory().address());
            let released = self.needed.extract_if(.., |need| need.block == block);
            self.released.extend(released.map(|need| (address, need)));
        }
        true
    }

    /// Has an array in the place of one that it has released, whose memory was at `address`: one that lies in memory of the same size as that one lay
    /// there, and as far from a multiple of 256 bytes. Others it does not take.
    ///
    /// # Errors
    /// The device's failure: there is no replay any more then.
    pub fn take(&mut self, address: usize, view: &View<'_>) -> Result<()> {
        let Kept::Kernels(kernels) = &mut self.kept else { return Ok(()) };
        if kernels.take(address, Operand::from(view.clone()).handle())? {
            let block = Block::of(view.memory());
            let taken = self.released.extract_if(.., |(place, _)| *place == address);
            self.needed.extend(taken.map(|(_, need)| need.of(block)));
        }
        Ok(())
    }

    /// Whether it has all that it needs: no array that it has released lacks one in its place.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        match &self.kept {
            Kept::Kernels(kernels) => kernels.is_whole(),
            Kept::Calls(..) => true,
        }
    }

    /// How many kernels it launches; on the host, how many calls it runs.
    #[must_use]
    pub fn launches(&self) -> usize {
        match &self.kept {
            Kept::Kernels(kernels) => kernels.launches(),
            Kept::Calls(count, _) => *count,
        }
    }
}
