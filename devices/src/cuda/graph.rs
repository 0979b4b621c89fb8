//! Graphs of kernels.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::context::Context;
use super::kernel::{CudaKernel, pointers, sizes};
use super::library;
use crate::Result;
use crate::driver::{GraphDriver, Grid, PerArgument, RawNode};

/// A graph that can be launched: a chain of kernels.
#[derive(Debug)]
pub(super) struct CudaGraph {
    executable: Executable,
    /// What the nodes are of; dropped after what was made of it.
    _draft: Draft,
    nodes: Vec<sys::CUgraphNode>,
}

/// What is launched.
#[derive(Debug)]
struct Executable {
    context: Arc<Context>,
    raw: sys::CUgraphExec,
}

// SAFETY: graphs belong to their context, not to a thread. Launches of one executable graph are made under the locks of the
// memory that it uses, or change nothing but the order of the driver's own queue, which is thread-safe.
unsafe impl Send for CudaGraph {}
// SAFETY: as above.
unsafe impl Sync for CudaGraph {}

/// A graph that executable ones are made of.
#[derive(Debug)]
struct Draft {
    context: Arc<Context>,
    graph: sys::CUgraph,
}

impl Drop for Draft {
    fn drop(&mut self) {
        let destroyed = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the graph up; what was made of it is its own.
            let destroyed = unsafe { sys::cuGraphDestroy(self.graph) };
            self.context.check("cuGraphDestroy", destroyed)
        });
        self.context.defer(destroyed);
    }
}

/// The call that adds edges of several kinds, which older drivers do not know.
const EDGES: &str = "cuGraphAddDependencies_v2";

impl Draft {
    /// An edge to a kernel that waits for the one before: it is launched when the groups of that one end, not when all that they
    /// have written has arrived.
    fn launch_ahead(&self, from: &sys::CUgraphNode, to: &sys::CUgraphNode) -> Result<()> {
        let kind = sys::CUgraphDependencyType::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
        let edge = sys::CUgraphEdgeData {
            from_port: sys::CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC as u8,
            to_port: 0,
            type_: kind as u8,
            reserved: [0; 5],
        };
        // SAFETY: graph and nodes are alive, of the current context and of each other; the edge is read during the call only.
        let added =
            unsafe { sys::cuGraphAddDependencies_v2(self.graph, from, to, &raw const edge, 1) };
        self.context.check("cuGraphAddDependencies", added)
    }
}

impl CudaGraph {
    /// Kernels one after the other.
    ///
    /// # Safety
    /// Their arguments match their parameters. Kernels, and memory that they are given, outlive this.
    pub(super) unsafe fn new(context: &Arc<Context>, nodes: &[RawNode<'_>]) -> Result<Self> {
        let _current = context.enter()?;
        let mut graph = ptr::null_mut();
        // SAFETY: the context is current; `graph` receives the graph.
        context.check("cuGraphCreate", unsafe { sys::cuGraphCreate(&raw mut graph, 0) })?;
        let draft = Draft { context: context.clone(), graph };
        let edges = library::has(EDGES);
        let mut added_nodes: Vec<sys::CUgraphNode> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let kernel = own(context, node)?;
            let mut values: PerArgument<*mut c_void> = pointers(node.arguments);
            let node = parameters(context, kernel, node.grid, &mut values)?;
            let mut added = ptr::null_mut();
            // What waits for the kernel before it has an edge of another kind.
            let early = edges && kernel.is_early();
            let last = added_nodes.last();
            let whole = last.filter(|_| !early);
            let (before, count) = whole.map_or((ptr::null(), 0), |last| (ptr::from_ref(last), 1));
            // SAFETY: graph, kernel and the node before are alive and of the current context; each pointer leads to a value
            // inside `arguments`, which the call copies; the caller vouches for the rest.
            let ended = unsafe {
                sys::cuGraphAddKernelNode_v2(
                    &raw mut added,
                    draft.graph,
                    before,
                    count,
                    &raw const node,
                )
            };
            context.check("cuGraphAddKernelNode", ended)?;
            if let Some(last) = last.filter(|_| early) {
                draft.launch_ahead(last, &added)?;
            }
            added_nodes.push(added);
        }
        let mut raw = ptr::null_mut();
        // SAFETY: the graph is alive; `raw` receives what keeps nothing of it.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut raw, draft.graph, 0) };
        context.check("cuGraphInstantiateWithFlags", made)?;
        let executable = Executable { context: context.clone(), raw };
        Ok(Self { executable, _draft: draft, nodes: added_nodes })
    }

    /// Queues the kernels.
    ///
    /// # Safety
    /// The stream is alive and of the graph's context; what kernels read and write lies within their memory.
    pub(super) unsafe fn launch(&self, stream: sys::CUstream) -> Result<()> {
        let Executable { context, raw } = &self.executable;
        let _current = context.enter()?;
        // SAFETY: graph and stream are alive and of the current context; the caller vouches for the rest.
        let queued = unsafe { sys::cuGraphLaunch(*raw, stream) };
        context.check("cuGraphLaunch", queued)
    }
}

/// A kernel of this driver.
fn own<'a>(context: &Context, node: &RawNode<'a>) -> Result<&'a CudaKernel> {
    let kernel = node.kernel.as_any().downcast_ref::<CudaKernel>();
    kernel.ok_or_else(|| context.foreign("a kernel"))
}

/// What the driver is told of a kernel, with pointers to the values of its arguments.
fn parameters(
    context: &Context,
    kernel: &CudaKernel,
    grid: Grid,
    values: &mut PerArgument<*mut c_void>,
) -> Result<sys::CUDA_KERNEL_NODE_PARAMS> {
    let [gx, gy, gz, tx, ty, tz] = sizes(context, grid)?;
    Ok(sys::CUDA_KERNEL_NODE_PARAMS {
        func: kernel.function(),
        gridDimX: gx,
        gridDimY: gy,
        gridDimZ: gz,
        blockDimX: tx,
        blockDimY: ty,
        blockDimZ: tz,
        sharedMemBytes: kernel.local_bytes(),
        kernelParams: values.as_mut_ptr(),
        extra: ptr::null_mut(),
        kern: ptr::null_mut(),
        // The current one.
        ctx: ptr::null_mut(),
    })
}

impl Drop for Executable {
    fn drop(&mut self) {
        let destroyed = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the graph up. Launches already queued still run: the driver destroys it when
            // they are done.
            let destroyed = unsafe { sys::cuGraphExecDestroy(self.raw) };
            self.context.check("cuGraphExecDestroy", destroyed)
        });
        self.context.defer(destroyed);
    }
}

impl GraphDriver for CudaGraph {
    unsafe fn renew(&mut self, number: usize, node: &RawNode<'_>) -> Result<()> {
        let Executable { context, raw } = &self.executable;
        let _current = context.enter()?;
        let kernel = own(context, node)?;
        let mut values: PerArgument<*mut c_void> = pointers(node.arguments);
        let parameters = parameters(context, kernel, node.grid, &mut values)?;
        // SAFETY: the executable graph was made of the one that the node is of, which is alive; each pointer leads to a value inside the
        // arguments, which the call copies. Launches that are queued already keep what they had; the caller vouches for the rest.
        let set = unsafe {
            sys::cuGraphExecKernelNodeSetParams_v2(*raw, self.nodes[number], &raw const parameters)
        };
        context.check("cuGraphExecKernelNodeSetParams", set)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
