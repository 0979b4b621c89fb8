//! The verbs on devices that run kernels: CUDA and `OpenCL` through one code path.
//!
//! For each verb, `<verb>.rs` looks at a checked call and decides on a *variant*: what is baked into the kernel
//! (dtype, number of axes, expression, taps, width of access). The variant is the key of the executor's cache, and
//! the kernel's source is a function of it alone; all else (places, extents, strides, factors) are arguments.

mod bands;
mod catalogue;
mod combine;
mod copy;
mod cublas;
mod element;
mod formula;
mod gemm;
mod map;
mod reduce;
mod stencil;
mod tables;
mod variant;
mod walk;

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use arrayspan_bridge::devices::cuda::Blas;
use arrayspan_bridge::devices::{Grid, Kernel, Stream};
use arrayspan_bridge::index::Arguments;
use arrayspan_bridge::{Array, DType};
use parking_lot::{Mutex, RwLock};

pub use catalogue::catalogue;

use crate::verb::Call;
use crate::{Error, Executor, Result, Stencil};
use tables::{Tables, Uploaded};
use variant::Variant;

/// Runs verbs as kernels on one stream.
///
/// A kernel is compiled when its variant is first asked for and kept by the executor; the device keeps
/// it for other executors and, on disk, for other processes.
#[derive(Debug)]
pub struct Gpu {
    stream: Stream,
    kernels: RwLock<HashMap<Variant, Kernel>>,
    tables: Mutex<HashMap<TableKey, Uploaded>>,
    /// Whether groups of one kernel can read what others have written.
    device_fence: bool,
    /// Room for the parts of one result, made when first needed.
    scratch: OnceLock<Array>,
    /// The same, for devices where a second kernel joins the parts: what no pair of kernels under way uses.
    rooms: Mutex<Vec<Array>>,
    /// The vendor's matrix products, opened at first use; `None` where there are none.
    blas: OnceLock<Option<Blas>>,
    launches: AtomicUsize,
}

/// Kernels and tables an executor keeps: more than a program has at work at once. The bounds are for programs
/// that ask for ever new ones.
const MOST_KERNELS: usize = 4096;
const MOST_TABLES: usize = 64;

/// A stencil's tables for a dtype, with places of 64 bits or not.
type TableKey = (Stencil, DType, bool);

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
            kernels: RwLock::default(),
            tables: Mutex::default(),
            device_fence: device.info().device_fence,
            scratch: OnceLock::new(),
            rooms: Mutex::default(),
            blas: OnceLock::new(),
            launches: AtomicUsize::new(0),
        })
    }

    /// Kernels launched so far.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.launches.load(Relaxed)
    }

    /// Different kernels it has so far.
    #[must_use]
    pub fn kernels(&self) -> usize {
        self.kernels.read().len()
    }

    /// Processors of the device that work independently.
    fn units(&self) -> usize {
        self.stream.device().info().compute_units.max(1)
    }

    /// Fails if the device has no 64-bit floating point and `dtype` needs it.
    fn expect_float64(&self, verb: &'static str, dtype: DType) -> Result<()> {
        if dtype.real() == DType::Float64 && !self.stream.device().info().float64 {
            return Err(Error::NotComputable { verb, dtype });
        }
        Ok(())
    }

    /// Enqueues the kernel of `variant`, compiled if it is new; does not wait.
    ///
    /// # Safety
    /// The arguments are those `variant` declares, in its order, and all places they lead to lie within the
    /// memory given.
    unsafe fn launch(&self, variant: Variant, grid: Grid, arguments: &Arguments<'_>) -> Result<()> {
        let kernel = self.load(variant)?;
        // SAFETY: passed on to the caller.
        unsafe { self.stream.launch(&kernel, grid, arguments.list())? };
        self.launches.fetch_add(1, Relaxed);
        Ok(())
    }

    /// The tables of a stencil in the device's memory, copied there at first use; with places of 64 bits if `wide`.
    fn tables(&self, stencil: &Stencil, dtype: DType, wide: bool) -> Result<Uploaded> {
        let key = (stencil.clone(), dtype, wide);
        if let Some(uploaded) = self.tables.lock().get(&key) {
            return Ok(uploaded.clone());
        }
        // Not under the lock: looking for memory may wait for others, who may be waiting for this executor. Two threads
        // may send the same tables; those of the first stay.
        let complex = dtype.is_complex() && !stencil.is_real();
        let uploaded = Tables::new(stencil).upload(dtype, complex, wide, &self.stream)?;
        let mut tables = self.tables.lock();
        let full = tables.len() >= MOST_TABLES && !tables.contains_key(&key);
        let old = if full { std::mem::take(&mut *tables) } else { HashMap::new() };
        let kept = tables.entry(key).or_insert_with(|| uploaded.clone()).clone();
        // What is not kept gives its memory back, which is no business of the lock either.
        drop(tables);
        drop((old, uploaded));
        Ok(kept)
    }

    fn load(&self, variant: Variant) -> Result<Kernel> {
        if let Some(kernel) = self.kernels.read().get(&variant) {
            return Ok(kernel.clone());
        }
        // Not under the lock: a compiler takes its time. Two threads may build the same kernel twice.
        let kernel = self.stream.device().kernel(&variant.source())?;
        let mut kernels = self.kernels.write();
        if kernels.len() >= MOST_KERNELS {
            kernels.clear();
        }
        kernels.insert(variant, kernel.clone());
        Ok(kernel)
    }
}

impl Executor for Gpu {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn execute(&self, call: Call<'_>) -> Result<()> {
        match call {
            Call::Map(call) => map::run(self, &call),
            Call::Copy(call) => copy::run(self, call),
            Call::Stencil(call) => stencil::run(self, &call),
            Call::Reduce(call) => reduce::run(self, &call),
            Call::Gemm(call) => gemm::run(self, &call),
        }
    }
}
