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
use crate::driver::{GraphDriver, PerArgument, RawNode};

/// A graph that can be launched: a chain of kernels.
#[derive(Debug)]
pub(super) struct CudaGraph {
    context: Arc<Context>,
    executable: sys::CUgraphExec,
}

// SAFETY: graphs belong to their context, not to a thread. Launches of one executable graph are made under the locks of the
// memory that it uses, or change nothing but the order of the driver's own queue, which is thread-safe.
unsafe impl Send for CudaGraph {}
// SAFETY: as above.
unsafe impl Sync for CudaGraph {}

/// A graph while it is made.
struct Draft<'a> {
    context: &'a Context,
    graph: sys::CUgraph,
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // SAFETY: the only owner gives the graph up; what was made of it is its own. The context is current.
        let destroyed = unsafe { sys::cuGraphDestroy(self.graph) };
        self.context.defer(self.context.check("cuGraphDestroy", destroyed));
    }
}

/// The call that adds edges of several kinds, which older drivers do not know.
const EDGES: &str = "cuGraphAddDependencies_v2";

impl Draft<'_> {
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
        let draft = Draft { context, graph };
        let edges = library::has(EDGES);
        let mut last: Option<sys::CUgraphNode> = None;
        for RawNode { kernel, grid, arguments } in nodes {
            let kernel = kernel.as_any().downcast_ref::<CudaKernel>();
            let kernel = kernel.ok_or_else(|| context.foreign("a kernel"))?;
            let [gx, gy, gz, tx, ty, tz] = sizes(context, *grid)?;
            let mut values: PerArgument<*mut c_void> = pointers(arguments);
            let node = sys::CUDA_KERNEL_NODE_PARAMS {
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
            };
            let mut added = ptr::null_mut();
            // What waits for the kernel before it has an edge of another kind.
            let early = edges && kernel.is_early();
            let whole = last.as_ref().filter(|_| !early);
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
            if let Some(last) = last.as_ref().filter(|_| early) {
                draft.launch_ahead(last, &added)?;
            }
            last = Some(added);
        }
        let mut executable = ptr::null_mut();
        // SAFETY: the graph is alive; `executable` receives what keeps nothing of it.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, draft.graph, 0) };
        context.check("cuGraphInstantiateWithFlags", made)?;
        Ok(Self { context: context.clone(), executable })
    }

    /// Queues the kernels.
    ///
    /// # Safety
    /// The stream is alive and of the graph's context; what kernels read and write lies within their memory.
    pub(super) unsafe fn launch(&self, stream: sys::CUstream) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: graph and stream are alive and of the current context; the caller vouches for the rest.
        let queued = unsafe { sys::cuGraphLaunch(self.executable, stream) };
        self.context.check("cuGraphLaunch", queued)
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        let destroyed = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the graph up. Launches already queued still run: the driver destroys it when
            // they are done.
            let destroyed = unsafe { sys::cuGraphExecDestroy(self.executable) };
            self.context.check("cuGraphExecDestroy", destroyed)
        });
        self.context.defer(destroyed);
    }
}

impl GraphDriver for CudaGraph {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
