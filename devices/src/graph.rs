//! Kernels that are enqueued together, by one call.

use std::fmt;
use std::sync::Arc;

use crate::driver::{GraphDriver, Grid, RawArgument, RawNode};
use crate::launch::{Used, raw};
use crate::memory::{or_recover, queue_on};
use crate::{Access, Argument, Error, Kernel, Memory, Result, Stream, fault};

/// A kernel with its arguments, to be launched by a [`Graph`].
#[derive(Debug)]
pub struct GraphNode {
    kernel: Kernel,
    grid: Grid,
    arguments: Vec<RawArgument>,
    /// Address and bytes of the blocks, and what the kernel does with them.
    used: Vec<(usize, usize, Access)>,
}

impl GraphNode {
    /// What [`Stream::launch`] would enqueue; `None` for an empty grid, which runs nothing.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// The arguments match the kernel's parameters in number, type and order, and all it reads and writes lies inside the
    /// memory given.
    pub unsafe fn new(
        stream: &Stream,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Self>> {
        let listed = raw(stream, kernel, arguments)?;
        if grid.groups.contains(&0) || grid.threads.contains(&0) {
            return Ok(None);
        }
        let used = arguments.iter().filter_map(Argument::used);
        let used = used.map(|(memory, access)| (memory.address(), memory.bytes(), access));
        Ok(Some(Self {
            kernel: kernel.clone(),
            grid,
            arguments: listed.into_vec(),
            used: used.collect(),
        }))
    }
}

/// Kernels that one call enqueues, each after the one before, with the arguments that they had when the graph was made.
///
/// The driver looks at kernels and arguments once, so that a replay takes a few microseconds for all of them, where a launch
/// takes two for each. A graph holds its kernels and all memory that they use.
pub struct Graph {
    stream: Stream,
    driver: Box<dyn GraphDriver>,
    launches: usize,
    held: Vec<(Arc<Memory>, Access)>,
    /// Of blocks that it has released: address and bytes, and what its kernels do with them.
    released: Vec<(usize, usize, Access)>,
    /// What the driver's nodes refer to; dropped after them.
    _kernels: Vec<Kernel>,
}

impl Graph {
    /// A graph of `nodes`, to be replayed on `stream`, with handles of the memory they use among `held`. `None` where
    /// the driver has no graphs, or a node uses memory that is none of `held`.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn new(
        stream: &Stream,
        nodes: &[GraphNode],
        held: impl IntoIterator<Item = Arc<Memory>>,
    ) -> Result<Option<Self>> {
        let mut all: Vec<(Arc<Memory>, Option<Access>)> = Vec::new();
        for memory in held {
            if all.iter().all(|(known, _)| !Arc::ptr_eq(known, &memory)) {
                all.push((memory, None));
            }
        }
        for &(address, bytes, access) in nodes.iter().flat_map(|node| &node.used) {
            // A block of that address and size which is alive is the one that the node was given, or has its place.
            let is_it = |memory: &Memory| memory.address() == address && memory.bytes() == bytes;
            let Some((_, used)) = all.iter_mut().find(|(memory, _)| is_it(memory)) else {
                return Ok(None);
            };
            *used = if *used == Some(Access::Write) { *used } else { Some(access) };
        }
        let raw: Vec<RawNode<'_>> = nodes
            .iter()
            .map(|GraphNode { kernel, grid, arguments, .. }| RawNode {
                kernel: kernel.driver(),
                grid: *grid,
                arguments,
            })
            .collect();
        // SAFETY: whoever made a node vouches for its arguments. The kernels and the memory are kept as long as the graph.
        let made = or_recover(stream.device(), || unsafe { stream.driver().graph(&raw) })?;
        let Some(driver) = made else { return Ok(None) };
        let held = all.into_iter().filter_map(|(memory, used)| Some((memory, used?)));
        Ok(Some(Self {
            stream: stream.clone(),
            driver,
            launches: nodes.len(),
            held: held.collect(),
            released: Vec::new(),
            _kernels: nodes.iter().map(|node| node.kernel.clone()).collect(),
        }))
    }

    /// How many kernels it launches.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.launches
    }

    /// The stream that it is replayed on.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Whether it has all memory that its kernels use: none that it has [released](Self::release) lacks another in its place.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.released.is_empty()
    }

    /// Gives up its handle of a block, which may be freed then: there is no replay until one in its place is [taken](Self::take).
    /// Whether it had one.
    pub fn release(&mut self, memory: &Memory) -> bool {
        let is_it = |(held, _): &(Arc<Memory>, Access)| std::ptr::eq(&raw const **held, memory);
        let Some(at) = self.held.iter().position(is_it) else { return false };
        let (_, access) = self.held.swap_remove(at);
        self.released.push((memory.address(), memory.bytes(), access));
        true
    }

    /// Takes a block in the place of one that it has released, if it has the same address and size.
    pub fn take(&mut self, memory: Arc<Memory>) -> bool {
        let own = memory.device() == self.stream.device();
        let is_it = |(address, bytes, _): &(usize, usize, Access)| {
            own && *address == memory.address() && *bytes == memory.bytes()
        };
        let Some(at) = self.released.iter().position(is_it) else { return false };
        let (_, _, access) = self.released.swap_remove(at);
        self.held.push((memory, access));
        true
    }

    /// Enqueues its kernels on its stream, after all earlier work on the memory they use; does not wait.
    ///
    /// # Errors
    /// The driver's refusal; [`Error::Unsupported`] while it lacks memory that it has released.
    ///
    /// # Safety
    /// Until this call returns no other thread queues work on bytes the kernels write, or writes bytes they read.
    pub unsafe fn replay(&self) -> Result<()> {
        if !self.is_whole() {
            let what = "a replay without memory that the graph has released".into();
            return Err(Error::Unsupported { device: self.stream.device().to_string(), what });
        }
        or_recover(self.stream.device(), || {
            fault::check(fault::FaultKind::Launch, self.stream.device(), 0)?;
            let used = self.held.iter().map(|(memory, access)| -> Used<'_> { (memory, *access) });
            queue_on(&self.stream, used, || {
                // SAFETY: all memory is held, ordered after its earlier users, and remembers the stream; it stays locked
                // until the graph is queued. Kernels of one replay run one after the other, and so do replays.
                unsafe { self.stream.driver().launch_graph(&*self.driver) }
            })
        })
    }
}

impl Stream {
    /// Whether the device takes graphs of kernels: CUDA.
    #[must_use]
    pub fn has_graphs(&self) -> bool {
        self.driver().has_graphs()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} kernels on {:?})", self.launches, self.stream)
    }
}
