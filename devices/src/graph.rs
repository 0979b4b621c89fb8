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
    /// The arguments that are blocks.
    used: Vec<UsedBlock>,
}

/// A block among a node's arguments.
#[derive(Debug)]
struct UsedBlock {
    /// The number of the argument, and, once the node is in a graph, that of the block there.
    argument: usize,
    block: usize,
    /// Where it lay when the node was made.
    address: usize,
    bytes: usize,
    access: Access,
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
        let used = arguments.iter().enumerate().filter_map(|(argument, given)| {
            let (memory, access) = given.used()?;
            let (address, bytes) = (memory.address(), memory.bytes());
            Some(UsedBlock { argument, block: 0, address, bytes, access })
        });
        Ok(Some(Self {
            kernel: kernel.clone(),
            grid,
            arguments: listed.into_vec(),
            used: used.collect(),
        }))
    }

    fn raw(&self) -> RawNode<'_> {
        RawNode { kernel: self.kernel.driver(), grid: self.grid, arguments: &self.arguments }
    }
}

/// Kernels that one call enqueues, each after the one before, with the arguments that they had when the graph was made.
///
/// The driver looks at kernels and arguments once, so that a replay takes a few microseconds for all of them, where a launch
/// takes two for each. A graph holds its kernels and all memory that they use.
pub struct Graph {
    stream: Stream,
    driver: Box<dyn GraphDriver>,
    blocks: Vec<HeldBlock>,
    /// Whether the driver has refused to tell a kernel where a block lies.
    broken: bool,
    /// What the driver's nodes refer to; dropped after them.
    nodes: Vec<GraphNode>,
}

/// A block that its kernels use.
struct HeldBlock {
    /// `None` once it has been released.
    memory: Option<Arc<Memory>>,
    address: usize,
    bytes: usize,
    access: Access,
}

impl HeldBlock {
    fn used(&self) -> Option<Used<'_>> {
        Some((self.memory.as_deref()?, self.access))
    }
}

/// What the addresses of two blocks have in common that a kernel may take for each other: kernels are chosen by how far elements are from multiples of
/// numbers that divide this one.
const ALIGNMENT: usize = 256;

impl Graph {
    /// A graph of `nodes`, to be replayed on `stream`, with handles of the memory they use among `held`. `None` where
    /// the driver has no graphs, or a node uses memory that is none of `held`.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn new(
        stream: &Stream,
        mut nodes: Vec<GraphNode>,
        held: impl IntoIterator<Item = Arc<Memory>>,
    ) -> Result<Option<Self>> {
        let held: Vec<Arc<Memory>> = held.into_iter().collect();
        let mut blocks: Vec<HeldBlock> = Vec::new();
        for used in nodes.iter_mut().flat_map(|node| &mut node.used) {
            let UsedBlock { address, bytes, access, .. } = *used;
            let known = |block: &HeldBlock| block.address == address && block.bytes == bytes;
            if let Some(at) = blocks.iter().position(known) {
                used.block = at;
                if access == Access::Write {
                    blocks[at].access = access;
                }
                continue;
            }
            // A block of that address and size which is alive is the one that the node was given, or has its place.
            let is_it =
                |memory: &&Arc<Memory>| memory.address() == address && memory.bytes() == bytes;
            let Some(memory) = held.iter().find(is_it) else { return Ok(None) };
            used.block = blocks.len();
            blocks.push(HeldBlock { memory: Some(memory.clone()), address, bytes, access });
        }
        let raw: Vec<RawNode<'_>> = nodes.iter().map(GraphNode::raw).collect();
        // SAFETY: whoever made a node vouches for its arguments. The kernels and the memory are kept as long as the graph.
        let made = or_recover(stream.device(), || unsafe { stream.driver().graph(&raw) })?;
        let Some(driver) = made else { return Ok(None) };
        Ok(Some(Self { stream: stream.clone(), driver, blocks, broken: false, nodes }))
    }

    /// How many kernels it launches.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.nodes.len()
    }

    /// The stream that it is replayed on.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Whether it has all memory that its kernels use: none that it has [released](Self::release) lacks another in its place.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.broken && self.blocks.iter().all(|block| block.memory.is_some())
    }

    /// Whether its kernels use a block.
    #[must_use]
    pub fn uses(&self, memory: &Memory) -> bool {
        let mut held = self.blocks.iter().filter_map(|block| block.memory.as_deref());
        held.any(|held| std::ptr::eq(held, memory))
    }

    /// Gives up its handle of a block, which may be freed then: there is no replay until another one is [taken](Self::take) for it.
    /// Whether it had one.
    pub fn release(&mut self, memory: &Memory) -> bool {
        let is_it = |block: &&mut HeldBlock| {
            block.memory.as_ref().is_some_and(|held| std::ptr::eq(&raw const **held, memory))
        };
        let found = self.blocks.iter_mut().find(is_it);
        found.is_some_and(|block| block.memory.take().is_some())
    }

    /// Takes a block for one that it has released, which was at `address`: one of the same size on the same device, whose address is as far
    /// from a multiple of 256. Kernels are told where it lies. Whether it has taken it.
    ///
    /// # Errors
    /// The driver's refusal: the graph is not whole then, and never will be.
    pub fn take(&mut self, address: usize, memory: Arc<Memory>) -> Result<bool> {
        let own = memory.device() == self.stream.device();
        let fits = |block: &HeldBlock| {
            own && block.memory.is_none()
                && block.address == address
                && block.bytes == memory.bytes()
                && block.address % ALIGNMENT == memory.address() % ALIGNMENT
        };
        let Some(at) = self.blocks.iter().position(fits) else { return Ok(false) };
        if memory.address() != address {
            self.blocks[at].address = memory.address();
            for (number, node) in self.nodes.iter_mut().enumerate() {
                let mut changed = false;
                for used in node.used.iter().filter(|used| used.block == at) {
                    node.arguments[used.argument] = RawArgument::Address(memory.address());
                    changed = true;
                }
                if changed {
                    // SAFETY: the arguments are those that the node was made with, but for a block of the same size, which is held from now on.
                    let renewed = unsafe { self.driver.renew(number, &node.raw()) };
                    self.broken |= renewed.is_err();
                    renewed?;
                }
            }
        }
        self.blocks[at].memory = Some(memory);
        Ok(true)
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
            let used = self.blocks.iter().filter_map(HeldBlock::used);
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
        write!(f, "Graph({} kernels on {:?})", self.launches(), self.stream)
    }
}
