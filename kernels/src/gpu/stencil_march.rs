//! `y ← alpha · Σ bands(x) + beta · y` for stars: short bands along two axes or more beside the innermost. A thread goes along
//! one of them and keeps what its band reaches, so that little is loaded again from far away.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationForm, IterationSpace, Text, address, grid_of};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::{Gpu, bands, constants, map, tables};
use crate::band::{Edges, reach};
use crate::verb::StencilCall;
use crate::{Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_march.cl.h");

/// Rows of a thread, and the places it goes along axis 2.
const ROWS: usize = 2;
const MARCH: usize = 16;

/// How far bands along axes 1 and 2 reach to one side at most: what a thread keeps lies in registers.
const MOST_REACH: usize = 2;

/// The threads of a group: wide enough for whole accesses, high because rows side by side share loads.
const THREADS: [usize; 3] = [32, 8, 1];

/// Threads that a processor needs at least; with fewer, each is better off with fewer places.
const BUSY: usize = 256;

/// A kernel for a star.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
    /// For each term its axis in the kernel.
    axes: Vec<usize>,
}

/// Enqueues a call over the space that `stencil` has found for it, if it is a star; whether it was. `axes` are the axes of the
/// bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilCall<'_>,
    space: &IterationSpace,
    axes: &[usize],
) -> Result<bool> {
    if !is_star(&call.stencil, axes) {
        return Ok(false);
    }
    let memories = [call.y.memory(), call.x.memory()];
    let dtype = call.y.dtype();
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let form = space.form(dtype.bytes(), &memories.map(address), constants::count(&constants));
    let Some(variant) = Variant::new(&call.stencil, dtype, form, formula, space, axes) else {
        return Ok(false);
    };
    let items = items(space, &variant.form);
    if items.iter().product::<usize>() < BUSY * gpu.units() {
        return Ok(false);
    }
    let arguments = map::arguments(Element(dtype), space, &variant.form, &memories, &constants);
    // SAFETY: the arguments are those of `map::declare`, in its order. A layout lies within its memory, and the kernel touches
    // taps only where they fall on their axis.
    unsafe { gpu.launch(&variant, grid_of(items, THREADS), &arguments)? };
    Ok(true)
}

/// Whether bands along axes 1 and 2 are so short that a thread can keep what they reach.
fn is_star(stencil: &Stencil, axes: &[usize]) -> bool {
    let short = |axis: usize| {
        let term = axes.iter().position(|other| *other == axis);
        let edges = term.and_then(|term| stencil.terms()[term].1.edges());
        edges.is_some_and(|edges: &Edges| {
            let (left, right) = reach(&edges.interior);
            left.max(right) <= MOST_REACH
        })
    };
    short(1) && short(2)
}

/// Runs, groups of rows, and parts of axis 2 for each place of the axes beyond.
fn items(space: &IterationSpace, form: &IterationForm) -> [usize; 3] {
    let [runs, rows, outer] = space.items(form);
    let along = space.extents[2].max(1);
    [runs, rows.div_ceil(ROWS), along.div_ceil(MARCH).saturating_mul(outer / along)]
}

impl Variant {
    /// The kernel for a star whose operands have this form; `None` if its tables are too large to be constants.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        form: IterationForm,
        formula: Formula,
        space: &IterationSpace,
        axes: &[usize],
    ) -> Option<Self> {
        if !is_star(stencil, axes) || tables::in_memory(stencil, dtype, form.is_wide(), 1) {
            return None;
        }
        let form = form.dividing(space.extents[0]);
        Some(Self { dtype, form, formula, stencil: stencil.clone(), axes: axes.to_vec() })
    }

    /// Whether weights are complex numbers.
    fn complex(&self) -> bool {
        self.dtype.is_complex() && !self.stencil.is_real()
    }

    /// What adds the bands along those axes that are `wanted`.
    fn add(&self, wanted: impl Fn(usize) -> bool) -> String {
        let axes = self.axes.iter().filter(|axis| wanted(**axis));
        let add = |axis: &usize| {
            let here = if *axis == 0 { "center, c".to_owned() } else { format!("i{axis}") };
            format!("sum = band{axis}_add(sum, at, x0_s{axis}, {here}, n{axis}); ")
        };
        axes.map(add).collect()
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, "", &mut text);
        text.define("ROWS", ROWS);
        text.define("MARCH", MARCH);
        text.define("ADD_BAND1", self.add(|axis| axis == 1));
        text.define("ADD_BAND2", self.add(|axis| axis == 2));
        text.define("ADD_OTHERS", self.add(|axis| axis != 1 && axis != 2));
        text.add(PRELUDE);
        bands::weights(self.complex(), &mut text);
        let bands = bands::Bands {
            stencil: &self.stencil,
            axes: &self.axes,
            dtype: self.dtype,
            complex: self.complex(),
            run: self.form.runs().len,
            uploaded: false,
            tag: String::new(),
            loads: bands::Loads::plain("x0"),
        };
        bands.define(&mut text);
        text.add(TEXT);
        element.kernel("stencil_march", text)
    }
}
