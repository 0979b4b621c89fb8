//! Kernels whose threads have elements of their own: maps, transposes, products of matrices.

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Axes, IterationSpace, Runs, Start, THREADS};
use arrayspan_bridge::{DType, Layout};

use super::super::combine::Sharing;
use super::super::dots::{Dots, Summed};
use super::super::element::Element;
use super::super::epilogue::Epilogue;
use super::super::formula::Formula;
use super::super::{copy, copy_mapped, gemm, map, map_flat, map_held, map_many};
use super::setting::{UNITS, row_major};
use crate::factors::Factors;
use crate::program::{Kind, Program};
use crate::verb::{DotOf, Span, Spans};
use crate::{Expression, constant, input, previous};

pub(super) fn map(
    element: Element,
    shape: &[usize],
    operands: usize,
    formula: Formula,
) -> map::Variant {
    // Every operand a part of something one element longer along each axis.
    let padded: Vec<usize> = shape.iter().map(|extent| extent + 1).collect();
    let layout = row_major(&padded).and_then(|whole| {
        (0..shape.len()).try_fold(whole, |part, axis| part.sliced(axis, 0, shape[axis]).ok())
    });
    let layouts: Vec<&Layout> = layout.iter().cycle().take(operands).collect();
    let space = IterationSpace::new(&layouts);
    let form = space.form(element.bytes(), &vec![0; operands], 4);
    map::Variant {
        element,
        form,
        formula,
        way: map::Way::Rows(if shape.len() == 2 { 4 } else { 1 }),
        numbers: None,
    }
}

pub(super) fn maps(dtype: DType) -> Vec<KernelSource> {
    let element = Element(dtype);
    let a = || input(0);
    let real = !dtype.is_complex();
    let every = (a().conj() * constant(2.0) + input(1).re() - a().im().sqrt())
        .div_or_zero(-a().abs() / (a().abs2() + previous()));
    let ordered = a().min(input(1)).max(previous());
    let formulas: Vec<Expression> = [every].into_iter().chain(real.then_some(ordered)).collect();
    let shapes: [&[usize]; 4] = [&[1000], &[63, 100], &[3, 4, 5, 6, 8], &[1 << 16, 1 << 16]];
    let each = |expression: &Expression| {
        shapes.map(|shape| map(element, shape, 3, Formula::of(expression)))
    };
    let with_numbers =
        [DType::Float32, DType::Float64].map(|numbers| with_numbers(element, numbers));
    let flat = formulas
        .iter()
        .zip([1, 0])
        .filter_map(|(expression, axis)| flat(element, axis, Formula::of(expression)));
    let held = formulas.iter().filter_map(|expression| held(element, Formula::of(expression)));
    let maps = formulas.iter().flat_map(each).chain(with_numbers.into_iter().flatten());
    maps.chain(flat).chain(held).chain(skewed(element)).map(|map| map.source()).collect()
}

/// Rows without gaps that begin at odd places; the last of two inputs repeats along all axes but one.
fn flat(element: Element, axis: usize, formula: Formula) -> Option<map::Variant> {
    let shape = [37, 39, 41];
    let whole = row_major(&shape)?;
    let strides = (0..3).map(|other| isize::from(other == axis)).collect::<Vec<_>>();
    let weights = Layout::strided(shape, strides, 0).ok()?;
    let space = IterationSpace::new(&[&whole, &whole, &weights]);
    let form = space.form(element.bytes(), &[0; 3], 4);
    let (runs, lines) = map_flat::line(&space, &form, &[0; 3], element.bytes())?;
    let form = space.form_with(runs, 4);
    Some(map::Variant { element, form, formula, way: map::Way::Lines(lines), numbers: None })
}

/// Inputs that are the same in all rows.
fn held(element: Element, formula: Formula) -> Option<map::Variant> {
    let whole = row_major(&[40_000, 4000])?;
    let row = Layout::strided([40_000, 4000], [0, 1], 0).ok()?;
    let space = IterationSpace::new(&[&whole, &row, &row]);
    let form = space.form(element.bytes(), &[0; 3], 4);
    let held = map_held::of(&space, &form, UNITS)?;
    Some(map::Variant { element, form, formula, way: map::Way::Held(held), numbers: None })
}

/// The same where rows begin at odd places, and a number of each row.
fn skewed(element: Element) -> Option<map::Variant> {
    let shape = [40_000, 4001];
    let whole = row_major(&shape)?;
    let row = Layout::strided(shape, [0, 1], 0).ok()?;
    let number = Layout::strided(shape, [1, 0], 0).ok()?;
    let space = IterationSpace::new(&[&whole, &row, &row, &number]);
    let form = space.form(element.bytes(), &[0; 4], 4);
    let held = map_held::of(&space, &form, UNITS)?;
    let (held, runs) = held.skewed(&space, &form, (0, element.bytes()))?;
    let (form, formula) =
        (space.form_with(runs, 4), Formula::of(&(input(0) * input(2) + input(1))));
    Some(map::Variant { element, form, formula, way: map::Way::Held(held), numbers: None })
}

/// Numbers of a wider dtype: functions of them, rounded where they meet elements.
pub(super) fn with_numbers(element: Element, dtype: DType) -> Option<map::Variant> {
    if dtype.bits() < element.0.real().bits() {
        return None;
    }
    let ratio = (input(1).min(constant(2.0)) / input(2).max(input(1)).sqrt()).div_or_zero(input(2));
    let number = (ratio - input(1).conj().abs2()).abs() * -input(2).re() + input(2).im();
    let formula = Formula::mixed(&(number * input(0) + previous()), &|number| number > 0);
    Some(map::Variant { numbers: Some((dtype, 2)), ..map(element, &[63, 100], 2, formula) })
}

/// Two outputs of an element and a number each, and beside complex elements a real output of a real array.
pub(super) fn several(dtype: DType) -> Vec<KernelSource> {
    let element = Element(dtype);
    let real = if dtype.is_complex() { Kind::Real } else { Kind::Element };
    let inputs = [real, Kind::Element, Kind::Number];
    let r = || input(0);
    let ratio = r() / (r() - r().im() * constant(0.5)).div_or_zero(-r().abs2());
    let ordered = ratio.sqrt().min(r().abs()).max(input(1).abs()) + input(1).im().abs2();
    let held = previous() * r() - input(2) * input(1).re() / input(1).conj();
    let outputs = [(&ordered, real), (&held, Kind::Element)];
    let Ok((program, _)) = Program::new(&outputs, &inputs, dtype.is_complex()) else {
        return Vec::new();
    };
    let outs = outputs.map(|(_, kind)| kind);
    let kinds = [outs[0], outs[1], inputs[0], inputs[1]];
    let shapes: [&[usize]; 3] = [&[1000], &[3, 4, 5, 6, 8], &[1 << 16, 1 << 16]];
    let variant = |(shape, numbers): (&[usize], DType)| {
        // Of two axes a part, so that rows stay rows.
        let whole: Vec<usize> =
            shape.iter().map(|extent| extent + usize::from(shape.len() == 2)).collect();
        let last = shape.len() - 1;
        let layout = row_major(&whole)?.sliced(last, 0, shape[last]).ok()?;
        let space = IterationSpace::new(&[&layout; 4]);
        let (runs, real_align) = map_many::runs(&space, &[0; 4], &kinds, element);
        let variant = map_many::Variant {
            element,
            form: space.form_with(runs, 4),
            program: program.clone(),
            outs: outs.to_vec(),
            inputs: inputs.to_vec(),
            numbers: Some(numbers),
            real_align,
            rows: if space.extents.len() == 2 { 8 } else { 1 },
            dots: None,
            single: shape.len() == 1,
        };
        Some(variant.source())
    };
    let numbers = [dtype.real(), DType::Float64];
    shapes.into_iter().zip(numbers.into_iter().cycle()).filter_map(variant).collect()
}

/// Two outputs that read each other, with dots of both and of an input: in one group, in groups that join their parts, and in
/// groups that leave them.
pub(super) fn dotted(dtype: DType) -> Vec<KernelSource> {
    let (element, inputs) = (Element(dtype), [Kind::Element, Kind::Number]);
    // Behind two inputs stands what the outputs held.
    let step = previous() + input(1) * input(3);
    let turn = input(0) + input(1) * previous();
    let outputs = [(&step, Kind::Element), (&turn, Kind::Element)];
    let Ok((program, _)) = Program::new(&outputs, &inputs, dtype.is_complex()) else {
        return Vec::new();
    };
    let (first, second) = (DotOf::Output(0), DotOf::Output(1));
    let dots = [([first; 2], false), ([second, DotOf::Input(0)], false), ([first, second], true)];
    let variant = |(sharing, result): (Sharing, DType)| {
        let layout = row_major(&[100_000])?;
        let space = IterationSpace::new(&[&layout; 3]);
        let (runs, real_align) = map_many::runs(&space, &[0; 3], &[Kind::Element; 3], element);
        let summed = |(of, differences)| Summed { of, differences, result };
        let of = dots.into_iter().map(summed).collect();
        let known = sharing == Sharing::LastJoins;
        let epilogue = known.then(Epilogue::of_catalogue).flatten();
        let variant = map_many::Variant {
            element,
            form: space.form_with(runs, 8),
            program: program.clone(),
            outs: vec![Kind::Element; 2],
            inputs: inputs.to_vec(),
            numbers: Some(DType::Float64),
            real_align,
            rows: 1,
            dots: Some(Dots { of, sharing, threads: THREADS, epilogue }),
            single: false,
        };
        Some(variant.source())
    };
    let wide = DType::Float64;
    let ways = [(Sharing::Alone, dtype.real()), (Sharing::LastJoins, wide), (Sharing::Leave, wide)];
    ways.into_iter().filter_map(variant).collect()
}

pub(super) fn transpose(element: Element, factors: &Factors<'_>) -> KernelSource {
    let layouts = row_major(&[5, 64, 70]);
    let layouts: Vec<Layout> = layouts
        .into_iter()
        .flat_map(|whole| [whole.clone(), whole.permuted(&[0, 2, 1]).unwrap_or(whole)])
        .collect();
    let space = IterationSpace::new(&layouts.iter().collect::<Vec<_>>());
    let form = space.form(element.bytes(), &[0, 0], 4).dividing(1);
    let formula = Formula::update(factors, element).0;
    copy::Variant { element, form, formula }.source()
}

pub(super) fn gemm(
    dtype: DType,
    factors: &Factors<'_>,
    plain: bool,
    patch: gemm::Patch,
) -> KernelSource {
    let start = Start { stride: 2, first: 0, steps: 0 };
    let variant = gemm::Variant {
        dtype,
        formula: Formula::update(factors, Element(dtype)).0,
        runs: Runs::new(&[start; 3], dtype.bytes(), 1),
        wide: !plain,
        conjugate: !plain,
        along: [plain, plain],
        patch,
    };
    variant.source()
}

/// Maps of one input and of two, of rows at odd places, with too many numbers for arguments, and with places of 64 bits.
pub(super) fn copies_mapped(dtype: DType, factors: &Factors<'_>) -> Vec<KernelSource> {
    let element = Element(dtype);
    let (formula, constants) = Formula::update(factors, element);
    let padded = |n: usize| [(1, None), (1 + n, Some((0, 1))), (n + 3, None)];
    let mirrored = |n: usize| [(n - 1, Some((n - 1, -1))), (2 * n - 1, Some((0, 1)))];
    let spans = |all: &[(usize, Option<(usize, isize)>)]| -> Spans {
        all.iter().map(|&(end, reads)| Span { end, reads }).collect()
    };
    let around = |x: &[usize]| x.iter().map(|&n| spans(&padded(n))).collect::<Axes<_>>();
    let cases: [(&[usize], Vec<Axes<Spans>>); 5] = [
        (&[389, 641], vec![around(&[389, 641])]),
        (&[5; 6], vec![around(&[5; 6])]),
        (&[1 << 16, 1 << 16], vec![around(&[1 << 16, 1 << 16])]),
        (
            &[1000, 999],
            vec![[spans(&mirrored(1000)), spans(&[(999, Some((0, 1)))])].into_iter().collect()],
        ),
        (
            &[999],
            vec![
                [spans(&[(500, Some((499, 1)))])].into_iter().collect(),
                [spans(&[(1, None), (500, Some((498, -1)))])].into_iter().collect(),
            ],
        ),
    ];
    let kernel = |(x, axes): (&[usize], Vec<Axes<Spans>>)| {
        let shape = axes.first()?.iter().map(|spans| spans.last().map_or(0, |span| span.end));
        let (x, y) = (row_major(x)?, row_major(&shape.collect::<Vec<_>>())?);
        let sources: Vec<_> = axes.iter().map(|axes| (&x, axes)).collect();
        let space = copy_mapped::Space::new(&y, &sources);
        let (variant, ..) =
            copy_mapped::plan(element, formula.clone(), &constants, &space, 0, UNITS);
        Some(variant.source())
    };
    cases.into_iter().filter_map(kernel).collect()
}
