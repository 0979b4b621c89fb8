//! The verbs on devices that run kernels: CUDA and `OpenCL` through one code path.
//!
//! For each verb, `<verb>.rs` looks at a checked call and decides on a *variant*: what is compiled into the kernel
//! (dtype, number of axes, expression, taps, width of access). Each verb has a type of variants of its own, a
//! `Specialisation`: by it the device keeps the kernel, and the kernel's source is a function of it alone. All else
//! (places, extents, strides, factors) are arguments.

mod asked;
mod band_row;
mod bands;
mod captured;
mod catalogue;
mod cells;
mod combine;
mod common_row;
mod constants;
mod convolve;
mod convolve_varying;
mod copy;
mod copy_mapped;
mod cublas;
mod dots;
mod element;
mod epilogue;
mod factors;
mod fft;
mod filter;
mod formula;
mod gather;
mod gemm;
mod gemm_operand;
mod line_arrays;
mod map;
mod map_flat;
mod map_held;
mod map_many;
mod noted;
mod project;
mod recent;
mod reduce;
mod reduce_groups;
mod scan;
mod shared;
mod split;
mod stencil;
mod stencil_apart;
mod stencil_column;
mod stencil_each;
mod stencil_ends;
mod stencil_filter;
mod stencil_flat;
mod stencil_line;
mod stencil_march;
mod stencil_norm;
mod stencil_sum;
mod stencil_term;
mod stencil_tile;
mod stencil_tile_width;
mod stencil_window;
mod table_key;
mod tables;
mod transforms;
mod user;
mod walk;
mod warm_up;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use arrayspan_bridge::devices::vendor::Blas;
use arrayspan_bridge::devices::{Argument, Buildable, Grid, Kernel, Specialisation, Stream};
use arrayspan_bridge::iteration::Arguments;
use arrayspan_bridge::{Array, DType};
use parking_lot::Mutex;

pub use catalogue::catalogue;
pub use transforms::Transforms;
pub use warm_up::warm_up;

use crate::factors::Factors;
use crate::graph::Graph;
use crate::verb::Call;
use crate::{Error, Executor, Result, Stencil};
use captured::Captured;
use noted::Living;
use recent::Recent;
use shared::Shared;
use table_key::Key;
use tables::Uploaded;

/// Runs verbs as kernels on one stream.
///
/// A kernel is compiled when its variant is first asked for, and kept for all executors of the device and, on disk, for
/// other processes; so are the tables of long stencils. An executor itself has its stream, room for parts of results, and
/// the vendor's handle.
#[derive(Debug)]
pub struct Gpu {
    stream: Stream,
    shared: Arc<Shared>,
    /// Whether groups of one kernel can read what others have written.
    device_fence: bool,
    /// Room for the parts of one result, made when first needed.
    scratch: Mutex<Option<Arc<Array>>>,
    /// The same, for devices where a second kernel joins the parts: what no pair of kernels under way uses.
    rooms: Mutex<Vec<Array>>,
    /// Room for lines between passes of Fourier transforms, and for what a library works in: what no kernels under way use.
    lines: Mutex<Vec<Array>>,
    /// What groups of running sums leave for each other.
    states: Mutex<Option<Arc<Array>>>,
    /// The vendor's matrix products, opened at first use; `None` where there are none.
    blas: OnceLock<Option<Blas>>,
    /// By what Fourier transforms are done.
    transforms: Transforms,
    launches: AtomicUsize,
    /// How the last calls were launched.
    recent: Arc<Recent>,
    /// What it would have launched, of one that launches nothing.
    planned: Option<Mutex<Vec<Box<dyn Buildable>>>>,
    /// What it has kept, of one that keeps its launches for a graph.
    captured: Option<Captured>,
}

impl Gpu {
    /// An executor whose work goes to `stream`.
    ///
    /// # Errors
    /// When the device runs no kernels.
    pub fn new(stream: Stream) -> Result<Self> {
        let device = stream.device();
        if device.kind().dialect().is_none() {
            let what = "an executor of kernels".into();
            let device = device.to_string();
            return Err(arrayspan_bridge::devices::Error::Unsupported { device, what }.into());
        }
        Ok(Self {
            stream,
            shared: Shared::of(device),
            device_fence: device.info().device_fence,
            scratch: Mutex::default(),
            rooms: Mutex::default(),
            lines: Mutex::default(),
            states: Mutex::default(),
            blas: OnceLock::new(),
            transforms: Transforms::default(),
            launches: AtomicUsize::new(0),
            recent: Arc::default(),
            planned: None,
            captured: None,
        })
    }

    /// The same with Fourier transforms by that.
    #[must_use]
    pub fn transforming(self, by: Transforms) -> Self {
        Self { transforms: by, ..self }
    }

    /// One that plans calls and launches nothing.
    fn planning(stream: Stream) -> Result<Self> {
        Ok(Self { planned: Some(Mutex::default()), ..Self::new(stream)? })
    }

    /// That of the process's own stream, which is `stream`.
    pub(crate) fn own(stream: &Stream) -> Result<Arc<Self>> {
        Shared::own(stream)
    }

    /// Kernels launched so far. What a vendor's library is asked counts as one.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.launches.load(Relaxed)
    }

    /// Forgets its room for parts of results; the bytes of what nobody else holds.
    fn forget_room(&self) -> usize {
        // Not dropped under the locks: releasing memory may wait.
        let shared = [self.scratch.lock().take(), self.states.lock().take()];
        let mut rooms = std::mem::take(&mut *self.rooms.lock());
        rooms.extend(std::mem::take(&mut *self.lines.lock()));
        let shared = shared.map(|room| room.and_then(Arc::into_inner));
        let arrays = shared.iter().flatten().chain(&rooms);
        arrays.map(|array| array.layout().len() * array.dtype().bytes()).sum()
    }

    /// Processors of the device that work independently.
    fn units(&self) -> usize {
        self.stream.device().info().compute_units.max(1)
    }

    /// Fails if the device has no 64-bit floating point and `dtype` needs it.
    fn expect_float64(&self, verb: &'static str, dtype: DType) -> Result<()> {
        let device = self.stream.device();
        if dtype.real() == DType::Float64 && !device.info().float64 {
            return Err(Error::NoFloat64 { verb, dtype, device });
        }
        Ok(())
    }

    /// As [`expect_float64`](Self::expect_float64), for the factors of an update.
    fn expect_factors(&self, verb: &'static str, factors: &Factors<'_>) -> Result<()> {
        factors.loaded().try_for_each(|operand| self.expect_float64(verb, operand.dtype()))
    }

    /// Enqueues the kernel of `variant`, compiled if it is new; does not wait.
    ///
    /// # Safety
    /// The arguments are those `variant` declares, in its order, and all places they lead to lie within the
    /// memory given.
    unsafe fn launch(
        &self,
        variant: &impl Specialisation,
        grid: Grid,
        arguments: &Arguments<'_>,
    ) -> Result<()> {
        let Some(kernel) = self.built(variant)? else { return Ok(()) };
        // SAFETY: passed on to the caller.
        unsafe { self.enqueue(&kernel, grid, arguments) }
    }

    /// The kernel of `variant`, compiled if it is new; none of an executor that only plans.
    fn built(&self, variant: &impl Specialisation) -> Result<Option<Kernel>> {
        if let Some(planned) = &self.planned {
            planned.lock().push(Box::new(variant.clone()));
            return Ok(None);
        }
        Ok(Some(self.stream.device().kernel(variant)?))
    }

    /// Enqueues a kernel; does not wait.
    ///
    /// # Safety
    /// As [`launch`](Self::launch), of the variant whose kernel it is.
    unsafe fn enqueue(&self, kernel: &Kernel, grid: Grid, arguments: &Arguments<'_>) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { self.queue(kernel, grid, arguments.list()) }
    }

    /// As [`enqueue`](Self::enqueue), with arguments that are listed.
    ///
    /// # Safety
    /// As there.
    unsafe fn queue(&self, kernel: &Kernel, grid: Grid, arguments: &[Argument<'_>]) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe {
            match &self.captured {
                Some(captured) => captured.launch(&self.stream, kernel, grid, arguments)?,
                None => self.stream.launch(kernel, grid, arguments)?,
            }
        }
        self.launches.fetch_add(1, Relaxed);
        noted::launched(kernel, grid, arguments);
        Ok(())
    }

    /// Tables in the device's memory.
    fn tables(&self, key: Key) -> Result<Uploaded> {
        let tables = self.shared.tables(key, &self.stream)?;
        noted::tables(&tables);
        if let Some(captured) = &self.captured {
            captured.hold(&Living::Tables(tables.clone()));
        }
        Ok(tables)
    }

    /// The tables of a stencil: weights as `complex` numbers or not, places of 64 bits if `wide`.
    fn stencil_tables(
        &self,
        stencil: &Stencil,
        dtype: DType,
        complex: bool,
        wide: bool,
    ) -> Result<Uploaded> {
        self.tables(Key::Stencil(stencil.clone(), dtype, complex, wide))
    }
}

impl Executor for Gpu {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn records(&self) -> bool {
        self.captured.is_some()
    }

    fn has_graphs(&self) -> bool {
        let launches = self.planned.is_none() && self.captured.is_none();
        launches && self.stream.has_graphs()
    }

    fn keeping(&self) -> Result<Option<Box<dyn Executor>>> {
        Ok(if self.has_graphs() { Some(Box::new(self.for_graph()?)) } else { None })
    }

    fn kept(self: Box<Self>) -> Result<Option<Graph>> {
        self.into_graph()
    }

    fn execute(&self, call: &mut Call<'_>) -> Result<()> {
        if let Some(captured) = &self.captured {
            captured.note(call);
            if matches!(call, Call::Transfer(_)) {
                captured.refuse();
                return Ok(());
            }
        }
        self.again_or(call, |call| self.plan(call))
    }
}

impl Gpu {
    /// Plans a call, and enqueues what it takes.
    fn plan(&self, call: &mut Call<'_>) -> Result<()> {
        match call {
            Call::Map(call) => map::run(self, call),
            Call::MapMany(call) => map_many::run(self, call),
            Call::Copy(call) => copy::run(self, call),
            Call::CopyMapped(call) => copy_mapped::run(self, call),
            Call::Stencil(call) => stencil::run(self, call),
            Call::StencilSum(call) => stencil_sum::run(self, call),
            Call::StencilEach(call) => stencil_each::run(self, call),
            Call::Reduce(call) => reduce::run(self, call),
            Call::Gather(call) => gather::run(self, call),
            Call::Scan(call) => scan::run(self, call),
            Call::Project(call) => project::run(self, call),
            Call::Fft(call) => fft::run(self, call),
            Call::FftAxes(call) => fft::along_axes(self, call),
            Call::Filter(call) => filter::run(self, call),
            Call::Convolve(call) => convolve::run(self, call),
            Call::ConvolveVarying(call) => convolve_varying::run(self, call),
            Call::Gemm(call) => gemm::run(self, call),
            Call::Launch(call) => user::run(self, call),
            // Its kernels, if it takes any, may be those of another device.
            Call::Transfer(_) if self.planned.is_some() => Ok(()),
            Call::Transfer(call) => call.run(&self.stream),
        }
    }
}
