//! `y ← alpha · C x + beta · y` with a convolution whose filters change, in one launch: groups add up what the filters of the places around
//! them make of what they hold in local memory.

mod kernel;
mod order;

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{Arguments, IterationSpace};
use arrayspan_bridge::{DType, Layout};

pub(super) use kernel::Variant;
pub(super) use order::{Order, upload};

use super::element::Element;
use super::formula::Formula;
use super::table_key::Key;
use super::walk::Walk;
use super::{Gpu, constants};
use crate::verb::{ConvolveVaryingCall, Split};
use crate::{Result, VaryingConvolution};
use kernel::{DEEP, LANES, rows};
use order::quad;

/// More groups take the same results one after the other.
const MOST_GROUPS: usize = 1 << 20;

/// What is convolved: `y` and `x` lie like this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) convolution: &'a VaryingConvolution,
    pub(super) layouts: [&'a Layout; 2],
    pub(super) dtype: DType,
}

/// How a kernel goes through a task.
pub(super) struct Plan {
    pub(super) order: Order,
    others: IterationSpace,
    /// What it is told of the axes of threads, and of the others.
    numbers: Vec<isize>,
    groups: usize,
}

impl Plan {
    pub(super) fn new(task: &Task<'_>) -> Result<Self> {
        let Task { convolution, layouts, dtype } = *task;
        let quad = quad(dtype, !convolution.is_real());
        let order = Order::new(convolution, layouts[0], quad);
        let is_other = |axis: &usize| !order.roles.contains(&Some(*axis));
        let apart: Vec<usize> = (0..layouts[0].rank()).filter(is_other).collect();
        let split = [Split::along(layouts[0], &apart)?, Split::along(layouts[1], &apart)?];
        let others = IterationSpace::new(&[&split[0], &split[1]]);
        let along = order.along(convolution);
        let extents = order.roles.map(|role| role.map_or(1, |axis| layouts[0].shape()[axis]));
        let high = DEEP * rows(dtype);
        let (tiles, strips) = (extents[2].div_ceil(LANES), extents[1].div_ceil(high));
        let mut numbers = Vec::new();
        for (role, (along, extent)) in order.roles.iter().zip(along.iter().zip(extents)) {
            let step = |layout: &Layout| role.map_or(0, |axis| layout.strides()[axis]);
            let zero = convolution.zero(along);
            numbers.extend([extent as isize, zero as isize, step(layouts[0]), step(layouts[1])]);
        }
        let [planes, beside, lanes] = &along;
        let counts = [
            tiles,
            strips,
            planes.taps,
            beside.places.len(),
            lanes.places.len(),
            order.shares(quad),
        ];
        numbers.extend(counts.map(|count| count as isize));
        numbers.extend(Walk::numbers(&others));
        let all: usize = others.extents.iter().product();
        let groups = [tiles, strips, extents[0], all].into_iter().fold(1, usize::saturating_mul);
        Ok(Self { order, others, numbers, groups })
    }

    /// The kernel, with what becomes of results.
    pub(super) fn variant(
        &self,
        task: &Task<'_>,
        formula: (Formula, usize),
        accelerator: bool,
    ) -> Variant {
        let Task { convolution, layouts, dtype } = *task;
        let others = (self.others.extents.len(), &self.numbers[..]);
        Variant::new((convolution, &self.order, dtype), layouts, formula, others, accelerator)
    }
}

pub(super) fn run(gpu: &Gpu, call: &ConvolveVaryingCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("convolve_varying", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("convolve_varying", &call.factors)?;
    let element = Element(dtype);
    let (formula, constants) = Formula::update(&call.factors, element);
    let layouts = [call.y.layout(), call.x.layout()];
    let task = Task { convolution: &call.convolution, layouts, dtype };
    let plan = Plan::new(&task)?;
    let accelerator = gpu.stream.device().info().accelerator;
    let variant = plan.variant(&task, (formula, constants::count(&constants)), accelerator);
    let Some(kernel) = gpu.built(&variant)? else { return Ok(()) };
    let key = Key::VaryingConvolution(call.convolution.clone(), plan.order, dtype);
    let tables = gpu.tables(key)?;
    let mut arguments = Arguments::new(variant.wide);
    arguments.write(call.y.memory(), plan.others.offsets[0]);
    arguments.read(call.x.memory(), plan.others.offsets[1]);
    arguments.read(tables.0.memory(), 0);
    arguments.read(tables.1.memory(), 0);
    if variant.baked.is_empty() {
        arguments.indices(plan.numbers);
    }
    constants::push(&mut arguments, &constants, element);
    let grid = Grid { groups: [plan.groups.min(MOST_GROUPS), 1, 1], threads: [LANES * DEEP, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order. Layouts lie within their memories, and the kernel loads and stores
    // elements within the extents of their axes alone. The tables have a place and a share for each of these, places are those of
    // filters, and filters have as many weights as the kernel was compiled for; they are kept until the launch is queued.
    unsafe { gpu.enqueue(&kernel, grid, &arguments) }
}
