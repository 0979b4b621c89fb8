//! Kernels of arrays that hold 16-bit floats: few of each verb, since they differ from those of `Float32` in what is loaded and stored.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Runs, Start};

use super::super::combine::{self, Sharing};
use super::super::element::Element;
use super::super::formula::Formula;
use super::super::reduce_groups::Groups;
use super::super::stencil_term::Arrays;
use super::super::{map, reduce, stencil, stencil_each, stencil_sum};
use super::elementwise;
use super::setting::{UNITS, checked, row_major, updates};
use crate::number::computed;
use crate::{Band, Reduction, Stencil, Tap, constant, input, previous};

/// An axis and the band along it.
type Term = (usize, Band);

/// Arrays of 16-bit floats: in runs, one by one, with places of 64 bits, and with numbers that are wider.
pub(super) fn maps(dtype: DType) -> Vec<KernelSource> {
    let element = Element(dtype);
    let a = || input(0);
    let every = (a().abs() * constant(2.0) + input(1).abs2().sqrt()).div_or_zero(-a() - input(1));
    let ordered = a().min(input(1)).max(previous());
    let shapes: [&[usize]; 3] = [&[1000], &[3, 4, 5, 6, 8], &[1 << 16, 1 << 16]];
    let cases = shapes.into_iter().zip([&every, &ordered].into_iter().cycle());
    let of_cases = cases.map(|(shape, of)| elementwise::map(element, shape, 3, Formula::of(of)));
    let numbers =
        [DType::Float32, DType::Float64].map(|numbers| elementwise::with_numbers(element, numbers));
    let all = of_cases.chain(numbers.into_iter().flatten());
    all.map(|map| map::Variant { way: map::Way::Cells, ..map }.source()).collect()
}

/// Reductions of 16-bit floats, to results of their own dtype and of a wider one.
pub(super) fn reductions(dtype: DType) -> Vec<KernelSource> {
    let product = Formula::of(&(input(0) * input(1) * constant(2.0)));
    let start = Start { stride: 1, first: 0, steps: 0 };
    let kinds = [
        (Reduction::Sum, dtype, [1, 1], true, Sharing::LastJoins),
        (Reduction::Sum, dtype, [2, 3], false, Sharing::Alone),
        (Reduction::Sum, DType::Float64, [1, 1], true, Sharing::Leave),
        (Reduction::Maximum, DType::Float32, [1, 1], true, Sharing::Alone),
        (Reduction::Minimum, dtype, [2, 3], false, Sharing::Alone),
    ];
    let mut kernels = Vec::new();
    for (reduction, result, ranks, along, sharing) in kinds {
        let computed = if result == DType::Float64 { result } else { DType::Float32 };
        if sharing == Sharing::LastJoins {
            kernels.push(combine::Variant { computed, result, reduction }.source());
        }
        let ways = if sharing == Sharing::Alone { 8 } else { 256 };
        let variant = reduce::Variant {
            dtype,
            computed,
            result,
            reduction,
            formula: product.clone(),
            moments: if along || reduction != Reduction::Sum { 1 } else { 5 },
            ranks,
            runs: Runs::new(&[start; 2], dtype.bytes(), if along { 1000 } else { 1 }),
            wide: !along,
            groups: Groups { threads: 256, ways, at_once: 4 },
            along,
            sharing,
            baked: Vec::new(),
            epilogue: None,
        };
        kernels.push(variant.source());
    }
    kernels
}

/// The general kernels of 16-bit floats: along each axis, in windows and in single rows, with tables, several inputs with
/// coefficients, and several outputs.
pub(super) fn stencils(dtype: DType) -> Vec<KernelSource> {
    let tap = |(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() };
    let edges = |len: usize| {
        Band::from_rows(len, 1, move |i| {
            let edge = [(0, 1.0), (1 - 2 * (i as isize).signum(), -1.0)];
            (if i > 0 && i + 1 < len { [(-1, -0.5), (1, 0.5)] } else { edge }).map(tap)
        })
    };
    let long = |len| Band::uniform(len, (-70..=70).map(|offset| (offset, 0.125)));
    let cases: [(Vec<Term>, &[usize]); 5] = [
        (vec![(1, edges(641))], &[389, 641]),
        (vec![(0, edges(4000))], &[4000, 4000]),
        (vec![(0, long(200)), (1, edges(200))], &[200, 200]),
        ((0..3).map(|axis| (axis, edges(64))).collect(), &[64, 64, 64]),
        (vec![(0, long(40_000)), (1, edges(1 << 20))], &[40_000, 1 << 20]),
    ];
    let mut kernels = Vec::new();
    for (number, (terms, shape)) in cases.into_iter().enumerate() {
        let (Ok(stencil), Some(layout)) = (Stencil::new(terms), row_major(shape)) else { continue };
        let update = updates(dtype)[number % 2];
        let Some(factors) = checked(update, computed(dtype)) else { continue };
        let around = stencil::space(&stencil, [&layout, &layout]);
        let plan = stencil::Plan::new(&stencil, dtype, around, [0, 0], &factors, UNITS);
        if stencil.terms().len() > 2 {
            kernels.push(stencil_each::Variant(plan.variant.clone()).source());
        }
        kernels.push(plan.variant.source());
        let weighted = [
            (&stencil, Arrays { x: 1, before: Some((2, false)), after: Some((3, false)) }),
            (&stencil, Arrays { x: 1, before: None, after: Some((2, false)) }),
        ];
        if number % 2 == 0 {
            let (space, terms) = stencil_sum::space(&weighted, &[&layout; 4]);
            let plan = stencil_sum::Plan::new(terms, dtype, &space, &[0; 4], &factors, UNITS);
            kernels.push(plan.variant.source());
        }
    }
    kernels
}
