//! `y ← alpha · x + beta · y` between any two layouts: elementwise, or through tiles in local memory where
//! `x` and `y` are contiguous along different axes. A plain copy is the bridge's, but where a kernel of this crate is quicker.

use std::sync::atomic::Ordering::Relaxed;

use arrayspan_bridge::devices::{DeviceKind, Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationForm, IterationSpace, Text, WIDEST, address};
use arrayspan_bridge::{DType, Operand, OperandMut};

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, constants, copy_mapped, map, map_flat};
use crate::Result;
use crate::verb::CopyCall;

const TEXT: &str = include_str!("../source/transpose.cl.h");

/// A kernel that copies through tiles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) element: Element,
    pub(super) form: IterationForm,
    pub(super) formula: Formula,
}

/// Up to so many bytes a kernel is done before the driver has begun its own copy.
const SHORT: usize = 16 << 20;

/// The side of a tile, and the rows of threads that serve it; both also in the source.
const TILE: usize = 32;
const ROWS: usize = 8;

pub(super) fn run(gpu: &Gpu, call: &mut CopyCall<'_>) -> Result<()> {
    let CopyCall { x, y, factors } = call;
    if y.layout().is_empty() {
        return Ok(());
    }
    let both = [y.as_operand(), &*x];
    if factors.is_set() {
        // A graph holds kernels of ours alone.
        if is_ours(gpu, x, y) || gpu.captured.is_some() && is_computable(gpu, y.dtype()) {
            let memories = [y.memory(), x.memory()];
            let space = IterationSpace::new(&[y.layout(), x.layout()]);
            let element = Element(y.dtype());
            let (formula, constants) = Formula::update(factors, element);
            return map::launch(gpu, element, &space, &memories, formula, &constants);
        }
        if let Some(element) = as_moved(gpu, y.dtype())
            && copy_mapped::is_quicker(both, element.bytes())
        {
            let (formula, constants) = Formula::update(factors, element);
            return copy_mapped::plain(gpu, element, both, formula, &constants);
        }
        let (mut to, from) = (y.view_mut(), x.view());
        let launch = to.copy_launch(&from);
        if let Some(planned) = &gpu.planned {
            planned.lock().extend(launch.map(|launch| launch.buildable()));
            return Ok(());
        }
        if let Some(launch) = launch {
            let kernel = launch.kernel(gpu.stream.device())?;
            // SAFETY: the call has its arrays as long as a launch of it is queued, and nobody else writes to them meanwhile.
            return unsafe { gpu.queue(&kernel, launch.grid(), launch.arguments()) };
        }
        if let Some(captured) = &gpu.captured {
            captured.refuse();
            return Ok(());
        }
        y.view_mut().copy_from(&x.view(), &gpu.stream)?;
        gpu.launches.fetch_add(1, Relaxed);
        return Ok(());
    }
    gpu.expect_float64("copy", y.dtype())?;
    gpu.expect_factors("copy", factors)?;
    let memories = [y.memory(), x.memory()];
    let addresses = memories.map(address);
    let mut space = IterationSpace::new(&[y.layout(), x.layout()]);
    let element = Element(y.dtype());
    let (formula, constants) = Formula::update(factors, element);
    if element.is_half() {
        return map::launch(gpu, element, &space, &memories, formula, &constants);
    }
    if !space.turn(ROWS) {
        if copy_mapped::is_quicker(both, element.bytes()) {
            return copy_mapped::plain(gpu, element, both, formula, &constants);
        }
        return map::launch(gpu, element, &space, &memories, formula, &constants);
    }
    let form = space.form(element.bytes(), &addresses, constants::count(&constants)).dividing(1);
    let arguments = map::arguments(element, &space, &form, &memories, &constants);
    let [columns, rows, outer] = space.items(&form);
    let tiles = |n: usize| n.div_ceil(TILE).min(65_535);
    let groups = [tiles(columns), tiles(rows), outer.min(65_535)];
    let variant = Variant { element, form, formula };
    // SAFETY: as in `map::launch`.
    unsafe { gpu.launch(&variant, Grid { groups, threads: [TILE, ROWS, 1] }, &arguments) }
}

/// The elements as which those of `dtype` can be moved, whatever they mean; none of one or two bytes.
fn as_moved(gpu: &Gpu, dtype: DType) -> Option<Element> {
    let float64 = gpu.stream.device().info().float64;
    match dtype.bytes() {
        4 => Some(Element(DType::Float32)),
        8 => Some(Element(DType::Complex64)),
        16 if float64 => Some(Element(DType::Complex128)),
        _ => None,
    }
}

/// Whether the device computes with such elements.
fn is_computable(gpu: &Gpu, dtype: DType) -> bool {
    let computable =
        [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128].contains(&dtype);
    computable && (dtype.real() != DType::Float64 || gpu.stream.device().info().float64)
}

/// Whether a plain copy is quicker elementwise: a short one than the driver's own, and one that repeats its input along rows
/// that begin at odd places.
fn is_ours(gpu: &Gpu, x: &Operand<'_>, y: &OperandMut<'_>) -> bool {
    let (dtype, device) = (y.dtype(), gpu.stream.device());
    if !is_computable(gpu, dtype) {
        return false;
    }
    let bytes = y.layout().len().saturating_mul(dtype.bytes());
    let short = bytes <= SHORT && device.kind() == DeviceKind::Cuda;
    let both = [y.layout(), x.layout()];
    if short && both.iter().all(|layout| layout.is_contiguous()) {
        return true;
    }
    // Rows of whole accesses are as quick one by one.
    let (strides, shape) = (x.layout().strides(), x.shape());
    if shape.last().is_none_or(|row| (row * dtype.bytes()).is_multiple_of(WIDEST)) {
        return false;
    }
    let repeats = strides.iter().zip(shape).any(|(stride, extent)| *stride == 0 && *extent > 1);
    repeats && {
        let space = IterationSpace::new(&both);
        let addresses = [address(y.memory()), address(x.memory())];
        let form = space.form(dtype.bytes(), &addresses, 0);
        map_flat::line(&space, &form, &addresses, dtype.bytes()).is_some()
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        self.element.source("transpose", |text| self.define(text), TEXT)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        map::declare(self.element, &self.form, &self.formula, "", text);
    }
}
