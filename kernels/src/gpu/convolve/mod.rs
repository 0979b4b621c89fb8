//! `y ← alpha · C x + beta · y` with a dense convolution, in one launch: threads march along an axis and hold the sums of the planes that are
//! not finished.

mod kernel;
mod numbers;
mod roles;
mod shape;
mod tables;

use arrayspan_bridge::devices::{Argument, Grid};
use arrayspan_bridge::iteration::{Arguments, IterationSpace};
use arrayspan_bridge::{DType, Layout};

pub(super) use kernel::Variant;
pub(super) use shape::Limits;
pub(super) use tables::{Order, upload};

use super::element::Element;
use super::formula::Formula;
use super::table_key::Key;
use super::walk::Walk;
use super::{Gpu, constants};
use crate::verb::{ConvolveCall, Split};
use crate::{Convolution, Result};
use numbers::Numbers;
use roles::{Along, Roles};
use shape::{Groups, Shape, Work};

/// More groups take the same results one after the other.
const MOST_GROUPS: usize = 1 << 20;

/// Places from here on need 64 bits.
const WIDE: usize = 1 << 30;

/// What is convolved: `y` and `x` lie like this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) convolution: &'a Convolution,
    pub(super) layouts: [&'a Layout; 2],
    pub(super) dtype: DType,
}

/// The axes of a task as its kernel walks them.
pub(super) struct Layouts {
    /// That of the march, that of rows, that of lanes.
    axes: [Along; 3],
    others: IterationSpace,
    /// Which of the others have several taps.
    extra: Vec<usize>,
    groups: Groups,
}

impl Layouts {
    /// Those of a task, and the order of its weights, for a device with these limits.
    pub(super) fn new(task: &Task<'_>, limits: Limits) -> Result<(Self, Order)> {
        let Task { convolution, layouts, .. } = *task;
        let roles = Roles::new(task);
        let axes = roles.along(task);
        let apart = roles.others(layouts[0].rank());
        let [y, x] = [Split::along(layouts[0], &apart)?, Split::along(layouts[1], &apart)?];
        let place = |axis: &usize| apart.iter().position(|other| other == axis).unwrap_or(0);
        let extra: Vec<usize> = roles.extra.iter().map(place).collect();
        let (others, extra) = IterationSpace::around(&[&y, &x], &extra);
        let taps: usize = roles.extras(convolution).iter().product();
        let all = others.extents.iter().product();
        let numbers = Numbers::of(task);
        let work = Work { axes: &axes, extra: taps, others: all, numbers, limits };
        let (shape, groups) = Shape::best(&work);
        let order = Order { roles, shape, padded: shape.padded(numbers) };
        Ok((Self { axes, others, extra: extra.to_vec(), groups }, order))
    }

    /// What the kernel is told of them, in the order of its names.
    fn numbers(&self) -> Vec<isize> {
        let Groups { tiles, strips, planes, parts } = self.groups;
        let axes = self.axes.iter().flat_map(|along| {
            let [y, x] = along.strides;
            [along.extent as isize, along.offset as isize, y, x]
        });
        let groups = [planes, parts, tiles, strips].map(|number| number as isize);
        axes.chain(groups).chain(Walk::numbers(&self.others)).collect()
    }

    /// Whether places do not fit 32 bits, also those beyond the array that taps and idle threads lead to.
    fn is_wide(&self, shape: &Shape) -> bool {
        let beyond = shape.lanes * shape.rows + shape.deep * shape.rows;
        let reach = self.axes.iter().fold(0_usize, |reach, along| {
            let most = along.extent.saturating_add(2 * along.taps + beyond);
            let step = along.strides.map(isize::unsigned_abs).into_iter().max().unwrap_or(1);
            step.saturating_mul(most).saturating_add(reach)
        });
        let Groups { tiles, strips, parts, .. } = self.groups;
        let groups = [tiles, strips, parts].into_iter().fold(1, usize::saturating_mul);
        let longest = self.axes.iter().map(|along| along.extent).max().unwrap_or(1);
        let taps = shape.depth.all() * shape.height.all() * shape.width;
        let others = (0..2).map(|operand| {
            let steps = self.others.strides[operand].iter().zip(&self.others.extents);
            steps.map(|(step, extent)| step.unsigned_abs().saturating_mul(*extent)).sum::<usize>()
        });
        self.others.is_wide()
            || groups.saturating_mul(self.others.extents.iter().product()) >= WIDE
            || longest.max(taps) >= WIDE
            || others.max().unwrap_or(0).saturating_add(reach) >= WIDE
    }
}

impl Limits {
    /// Products in a row that compilers of GPUs take, and those of processors.
    const PRODUCTS: [usize; 2] = [1500, 100];

    fn of(gpu: &Gpu) -> Self {
        let info = gpu.stream.device().info();
        let [many, few] = Self::PRODUCTS;
        let products = if info.accelerator { many } else { few };
        Self { units: gpu.units(), argument_bytes: info.argument_bytes, products }
    }
}

pub(super) fn run(gpu: &Gpu, call: &ConvolveCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("convolve", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("convolve", &call.factors)?;
    let element = Element(dtype);
    let (formula, constants) = Formula::update(&call.factors, element);
    let both = [call.y.layout(), call.x.layout()];
    let task = Task { convolution: &call.convolution, layouts: both, dtype };
    let (layouts, order) = Layouts::new(&task, Limits::of(gpu))?;
    let variant = Variant::new(&task, &layouts, &order, (formula, constants::count(&constants)));
    let Some(kernel) = gpu.built(&variant)? else { return Ok(()) };
    let threads = order.shape.threads();
    let offsets = order.roles.extra.iter().map(|axis| call.convolution.along(*axis).1 as isize);
    let offsets: Vec<isize> = offsets.collect();
    let (given, tables);
    let mut arguments = Arguments::new(variant.is_wide());
    arguments.write(call.y.memory(), layouts.others.offsets[0]);
    arguments.read(call.x.memory(), layouts.others.offsets[1]);
    if order.shape.straight {
        given = tables::by_value(&call.convolution, &order, dtype);
        arguments.push(Argument::Struct(&given));
    } else {
        tables = gpu.tables(Key::Convolution(call.convolution.clone(), order, dtype))?;
        arguments.read(tables.1.memory(), 0);
    }
    if variant.baked.is_empty() {
        arguments.indices(layouts.numbers());
    }
    arguments.indices(offsets);
    constants::push(&mut arguments, &constants, element);
    let Groups { tiles, strips, parts, .. } = layouts.groups;
    let others: usize = layouts.others.extents.iter().product();
    let all = [tiles, strips, parts, others].into_iter().fold(1, usize::saturating_mul);
    let grid = Grid { groups: [all.min(MOST_GROUPS), 1, 1], threads: [threads, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order. Layouts lie within their memories, and the kernel loads and
    // stores elements within the extents of their axes alone; other places are computed and left out. The weights of all blocks
    // are in the order that the kernel was compiled for: by value as many as its type has, or a table that is kept until the
    // launch is queued.
    unsafe { gpu.enqueue(&kernel, grid, &arguments) }
}
