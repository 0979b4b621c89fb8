//! Representative kernels, for tests that compile them all.

use arrayspan_bridge::devices::{DeviceKind, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationSpace, Runs, Start};
use arrayspan_bridge::{Array, DType, Layout};
use num_complex::{Complex32, Complex64};

use super::combine::Sharing;
use super::element::Element;
use super::formula::Formula;
use super::stencil_term::Arrays;
use super::stencil_tile::{self, Setting};
use super::{
    combine, copy, factors, gather, gemm, map, map_many, reduce, stencil, stencil_march,
    stencil_sum, stencil_term, user,
};
use crate::Expression;
use crate::factors::Factors;
use crate::program::{Kind, Program};
use crate::{Band, Factor, Gather, Reduction, Stencil, Tap, Update, constant, input, previous};

/// An axis and the band along it.
type Term = (usize, Band);

/// Processors of the device the kernels are planned for.
const UNITS: usize = 132;

/// Kernels of every verb and computable dtype, in the variants whose text differs, and of users' kernels of each kind.
#[must_use]
pub fn catalogue() -> Vec<KernelSource> {
    let dtypes = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];
    let mut kernels: Vec<KernelSource> = Vec::new();
    for dtype in dtypes {
        kernels.extend(maps(dtype));
        kernels.extend(several(dtype));
        let scalars = scalars(dtype);
        let loaded = loaded(dtype, &scalars);
        let both = updates(dtype).into_iter().chain(loaded.iter().copied());
        for factors in both.filter_map(|update| checked(update, dtype)) {
            let element = Element(dtype);
            kernels.push(transpose(element, &factors));
            kernels.extend([gemm(dtype, &factors, true), gemm(dtype, &factors, false)]);
            let formula = Formula::of_factors(factors.each(), element);
            kernels.push(factors::Variant { element, formula }.source());
        }
        let all = [updates(dtype).to_vec(), loaded].concat();
        kernels.extend(stencils(dtype, &all));
        kernels.extend(stencil_sums(dtype, &all));
        kernels.extend(gathers(dtype));
        kernels.extend(reductions(dtype));
    }
    kernels.extend(user::catalogue(&dtypes));
    kernels
}

/// Known factors.
fn updates(dtype: DType) -> [Update<'static>; 2] {
    let imaginary = if dtype.is_complex() { 1.0 } else { 0.0 };
    [Update::set(), Update::new(Complex64::new(2.0, imaginary), 3.0)]
}

/// Numbers in memory, of every dtype that may be a factor of elements of `dtype`.
fn scalars(dtype: DType) -> Vec<Array> {
    let all = [
        Array::from_slice(&[0.5_f32], []),
        Array::from_slice(&[0.5], []),
        Array::from_slice(&[Complex32::I], []),
        Array::from_slice(&[Complex64::I], []),
    ];
    let fits = |array: &Array| {
        let found = array.dtype();
        found == dtype || !found.is_complex() && found.bits() >= dtype.real().bits()
    };
    all.into_iter().flatten().filter(fits).collect()
}

/// Factors on the device: alone, and times a number.
fn loaded(dtype: DType, scalars: &[Array]) -> Vec<Update<'_>> {
    let turned = Complex64::new(2.0, if dtype.is_complex() { 1.0 } else { 0.0 });
    let update = |scalar| Update::new(Factor::from(scalar) * turned, scalar);
    scalars.iter().map(update).collect()
}

fn checked(update: Update<'_>, dtype: DType) -> Option<Factors<'_>> {
    Factors::new("catalogue", update, dtype).ok()
}

/// A row-major layout; `None` only if `shape` could not be addressed.
fn row_major(shape: &[usize]) -> Option<Layout> {
    Layout::contiguous(shape).ok()
}

fn map(element: Element, shape: &[usize], operands: usize, formula: Formula) -> map::Variant {
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
        rows: if shape.len() == 2 { 4 } else { 1 },
        numbers: None,
    }
}

fn maps(dtype: DType) -> Vec<KernelSource> {
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
    let maps = formulas.iter().flat_map(each).chain(with_numbers.into_iter().flatten());
    maps.map(|map| map.source()).collect()
}

/// Numbers of a wider dtype: functions of them, rounded where they meet elements.
fn with_numbers(element: Element, dtype: DType) -> Option<map::Variant> {
    if dtype.bits() < element.0.real().bits() {
        return None;
    }
    let ratio = (input(1).min(constant(2.0)) / input(2).max(input(1)).sqrt()).div_or_zero(input(2));
    let number = (ratio - input(1).conj().abs2()).abs() * -input(2).re() + input(2).im();
    let formula = Formula::mixed(&(number * input(0) + previous()), &|number| number > 0);
    Some(map::Variant { numbers: Some((dtype, 2)), ..map(element, &[63, 100], 2, formula) })
}

/// Two outputs of an element and a number each, and beside complex elements a real output of a real array.
fn several(dtype: DType) -> Vec<KernelSource> {
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
        let layout = row_major(shape)?;
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
        };
        Some(variant.source())
    };
    let numbers = [dtype.real(), DType::Float64];
    shapes.into_iter().zip(numbers.into_iter().cycle()).filter_map(variant).collect()
}

fn transpose(element: Element, factors: &Factors<'_>) -> KernelSource {
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

fn gemm(dtype: DType, factors: &Factors<'_>, plain: bool) -> KernelSource {
    let start = Start { stride: 2, first: 0, steps: 0 };
    let variant = gemm::Variant {
        dtype,
        formula: Formula::update(factors, Element(dtype)).0,
        runs: Runs::new(&[start; 3], dtype.bytes(), 1),
        wide: !plain,
        conjugate: !plain,
        along: [plain, plain],
    };
    variant.source()
}

/// Bands with and without special rows, along every kind of axis, short and long.
fn stencils(dtype: DType, updates: &[Update<'_>]) -> Vec<KernelSource> {
    let tap = |(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() };
    let edges = |len: usize| {
        Band::from_rows(len, 1, move |i| {
            let inner = [(-1, -0.5), (1, 0.5)];
            let edge = [(0, if i == 0 { 1.0 } else { -1.0 }), (0, 0.0)];
            (if i > 0 && i + 1 < len { inner } else { edge }).map(tap)
        })
    };
    let filter = |len, reach: isize| {
        Band::uniform(
            len,
            (-reach..=reach).map(|offset| (offset, 1.0 / (1.0 + (offset * offset) as f64))),
        )
    };
    let turned = Band::uniform_complex(64, [(-1, Complex64::i()), (1, Complex64::new(1.0, -1.0))]);
    let mut cases: Vec<(Vec<Term>, &[usize])> = Vec::new();
    for axis in 0..2 {
        cases.push((vec![(axis, edges(4000))], &[4000, 4000]));
        cases.push((vec![(axis, filter(4000, 11))], &[4000, 4000]));
        cases.push((vec![(axis, filter(64, 30))], &[64, 64]));
        cases.push((
            vec![(axis, filter(150, 70).plus(&edges(150)).unwrap_or(edges(150)))],
            &[150, 150],
        ));
    }
    cases.push(((0..2).map(|axis| (axis, edges(4000))).collect(), &[4000, 4000]));
    cases.push(((0..3).map(|axis| (axis, edges(64))).collect(), &[64, 64, 64]));
    cases.push((vec![(0, edges(61)), (1, edges(61))], &[61, 61, 3, 5]));
    // Special rows in the middle, too many to be taken one by one, taps that reach far, and places of 64 bits.
    let shift = |len: usize| Band::uniform(len, [(len as isize / 2, 1.0)]);
    let pieces = |len| shift(len).after(&shift(len).transpose()).unwrap_or(edges(len));
    let far = |len| edges(len).plus(&shift(len)).unwrap_or(edges(len));
    let wide: &[usize] = &[40_000, 1 << 20];
    cases.push((vec![(0, pieces(wide[0])), (1, far(wide[1]))], wide));
    cases.push((vec![(0, far(wide[0])), (1, pieces(wide[1]))], wide));
    if dtype.is_complex() {
        cases.push((vec![(0, turned.clone()), (1, turned)], &[64, 64]));
    }
    let mut kernels = Vec::new();
    for (number, (terms, shape)) in cases.into_iter().enumerate() {
        let (Ok(stencil), Some(layout)) = (Stencil::new(terms), row_major(shape)) else { continue };
        // Known factors, and one kind of those on the device.
        let (known, loaded) = updates.split_at(2);
        let turn = loaded.iter().cycle().skip(number).take(1);
        for factors in known.iter().chain(turn).filter_map(|update| checked(*update, dtype)) {
            let layouts = [&layout, &layout];
            let (space, axes) = stencil::space(&stencil, layouts);
            kernels.extend(tiled(&stencil, dtype, &space, &axes, &factors));
            let star = Arrays { x: 1, before: None, after: None };
            let star = [stencil_term::Term::new(&stencil, axes.to_vec(), star)];
            for first in [0, dtype.bytes()] {
                kernels.extend(marched(&star, dtype, &space, &[0, first], &factors));
            }
            let plan = stencil::Plan::new(&stencil, dtype, (space, axes), [0, 0], &factors, UNITS);
            kernels.push(plan.variant.source());
        }
    }
    kernels
}

/// The kernel by tiles, for rows that begin at odd places.
fn tiled(
    stencil: &Stencil,
    dtype: DType,
    space: &IterationSpace,
    axes: &[usize],
    factors: &Factors<'_>,
) -> Option<KernelSource> {
    let form = space.form(dtype.bytes(), &[0, dtype.bytes()], 4);
    let setting = Setting { space, axes, units: UNITS, room: stencil_tile::room(DeviceKind::Cuda) };
    let formula = Formula::update(factors, Element(dtype)).0;
    let variant = stencil_tile::Variant::new(stencil, dtype, form, formula, &setting)?;
    Some(variant.source())
}

/// The kernel for stars, of operands in rows that begin at even or odd places.
fn marched(
    terms: &[stencil_term::Term],
    dtype: DType,
    space: &IterationSpace,
    addresses: &[usize],
    factors: &Factors<'_>,
) -> Option<KernelSource> {
    let form = space.form(dtype.bytes(), addresses, 4);
    let formula = Formula::update(factors, Element(dtype)).0;
    let (variant, _) = stencil_march::Variant::new(terms, dtype, form, formula, space, 1)?;
    Some(variant.source())
}

/// Sums of up to four terms: with windows and without, with coefficients before and after, special rows, tables.
fn stencil_sums(dtype: DType, updates: &[Update<'_>]) -> Vec<KernelSource> {
    let tap = |(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() };
    let edges = |len: usize| {
        Band::from_rows(len, 1, move |i| {
            let edge = [(0, 1.0), (1 - 2 * (i as isize).signum(), -1.0)];
            (if i > 0 && i + 1 < len { [(-1, -0.5), (1, 0.5)] } else { edge }).map(tap)
        })
    };
    let long = |len| Band::uniform(len, (-60..=60).map(|offset| (offset, 0.125)));
    let shift = |len: usize| Band::uniform(len, [(len as isize / 2, 1.0)]);
    let pieces = |len| shift(len).after(&shift(len).transpose()).unwrap_or(edges(len));
    let complex = Complex64::new(0.5, if dtype.is_complex() { 1.0 } else { 0.0 });
    let turned = |len| Band::uniform_complex(len, [(0, complex), (2, complex)]);
    let plain = |x| Arrays { x, before: None, after: None };
    let mut cases: Vec<(Vec<Vec<Term>>, &[usize])> = Vec::new();
    let along = |shape: &[usize], axis: usize| vec![(axis, edges(shape[axis]))];
    let shape: &[usize] = &[4000, 4000];
    let all = shape.iter().copied().map(edges).enumerate().collect();
    cases.push((vec![along(shape, 0), along(shape, 1), all], shape));
    let shape: &[usize] = &[37, 153];
    cases.push((vec![vec![(1, long(153))], along(shape, 0), vec![(0, pieces(37))]], shape));
    let shape: &[usize] = &[30, 20, 10];
    cases.push((vec![vec![(0, turned(30))], along(shape, 1), vec![]], shape));
    let shape: &[usize] = &[64, 65, 63];
    let star = |shape: &[usize]| shape.iter().copied().map(edges).enumerate().collect();
    cases.push((vec![along(shape, 0), star(shape), along(shape, 2)], shape));
    let shape: &[usize] = &[32, 5, 31, 33];
    cases.push((vec![vec![(0, edges(32)), (1, turned(5))], star(shape)], shape));
    cases.push((vec![vec![(0, pieces(40_000))], vec![(1, pieces(1 << 20))]], &[40_000, 1 << 20]));
    let mut kernels = Vec::new();
    for (number, (terms, shape)) in cases.into_iter().enumerate() {
        let stencils: Vec<Stencil> =
            terms.into_iter().filter_map(|terms| Stencil::new(terms).ok()).collect();
        let Some(layout) = row_major(shape) else { continue };
        let conjugated = dtype.is_complex() && number % 2 == 0;
        let factor = |operand| Some((operand, conjugated));
        let weighted = stencils.iter().enumerate().map(|(at, stencil)| {
            let x = if at == 0 { 1 } else { at + 2 };
            let arrays = match at % 3 {
                0 => Arrays { x, before: factor(2), after: factor(3) },
                1 => Arrays { x, before: None, after: factor(2) },
                _ => plain(x),
            };
            (stencil, arrays)
        });
        let bare = stencils.iter().enumerate().map(|(at, stencil)| (stencil, plain(at + 1)));
        let (weighted, bare) = (weighted.collect::<Vec<_>>(), bare.collect::<Vec<_>>());
        // Known factors, and one kind of those on the device.
        let (known, loaded) = updates.split_at(2);
        let turn = loaded.iter().cycle().skip(number).take(1);
        let turn = turn.map(|update| (if number % 2 == 0 { &weighted } else { &bare }, update));
        let all = [(&weighted, &known[1]), (&bare, &known[0])].into_iter().chain(turn);
        for (terms, update) in all {
            let Some(factors) = checked(*update, dtype) else { continue };
            let (layouts, addresses) = (vec![&layout; 5], [0; 5]);
            let (space, terms) = stencil_sum::space(terms, &layouts);
            kernels.extend(marched(&terms, dtype, &space, &addresses, &factors));
            let plan = stencil_sum::Plan::new(terms, dtype, &space, &addresses, &factors, UNITS);
            kernels.push(plan.variant.source());
        }
    }
    kernels
}

/// Sparse matrices along every kind of axis, with few and many entries a row, with weights and without.
fn gathers(dtype: DType) -> Vec<KernelSource> {
    let table =
        |lengths: &dyn Fn(usize) -> usize, weights: Option<Complex64>, shape: [usize; 2]| {
            let mut starts = vec![0];
            starts.extend((0..shape[0]).scan(0, |start, row| {
                *start += lengths(row);
                Some(*start)
            }));
            let entries = starts[shape[0]];
            let indices = (0..entries).map(|entry| entry * 7 % shape[1]).collect();
            let weights = weights.map(|weight| vec![weight; entries]);
            Gather::new(1, &[shape[0]], &[shape[1]], starts, indices, weights)
        };
    let complex = Complex64::new(0.5, if dtype.is_complex() { 1.0 } else { 0.0 });
    let lengths: [&dyn Fn(usize) -> usize; 4] =
        [&|_| 1, &|_| 2, &|row| row % 9, &|row| if row % 50 == 0 { 500 } else { 3 }];
    let shapes: [&[usize]; 3] = [&[3000, 300, 1], &[3, 300, 5000], &[3, 300, 40]];
    let mut kernels = Vec::new();
    for (number, (lengths, weight)) in
        lengths.iter().zip([None, Some(0.5.into()), Some(complex), Some(complex)]).enumerate()
    {
        let Ok(gather) = table(lengths, weight, [201, 300]) else { continue };
        // The kernels of long rows differ by their shapes less than these.
        let tried = if number < 2 { &shapes[..2] } else { &shapes[number - 1..number] };
        for shape in tried {
            let range = gather.range_of(shape).and_then(|range| row_major(&range));
            let Some((y, x)) = range.zip(row_major(shape)) else { continue };
            let Some(factors) = checked(updates(dtype)[number % 2], dtype) else { continue };
            let Ok(spaces) = gather::Spaces::new(&gather, [&y, &x], [0, 0], dtype) else {
                continue;
            };
            let variants = gather::variants(&spaces, &gather, dtype, &factors, UNITS);
            kernels.extend(variants.iter().map(Specialisation::source));
        }
    }
    kernels
}

fn reductions(dtype: DType) -> Vec<KernelSource> {
    let product = Formula::of(&(input(0).conj() * input(1) * constant(2.0)));
    let start = Start { stride: 1, first: 0, steps: 0 };
    let all = [Reduction::Sum, Reduction::Maximum, Reduction::Minimum];
    let mut kernels = Vec::new();
    let kinds = [
        ([1, 1], true, Sharing::LastJoins),
        ([1, 1], true, Sharing::Leave),
        ([1, 1], true, Sharing::Alone),
        ([2, 3], false, Sharing::Alone),
    ];
    // The output: as the inputs, or real and as wide, or real and wider.
    let wide = match dtype {
        DType::Float32 => DType::Float64,
        DType::Complex64 => DType::Complex128,
        other => other,
    };
    for (computed, real) in [(dtype, false), (dtype, true), (wide, true)] {
        if real && computed == dtype && !dtype.is_complex() {
            continue;
        }
        for reduction in all.into_iter().take(if dtype.is_complex() && !real { 1 } else { 3 }) {
            let result = if real { computed.real() } else { dtype };
            kernels.push(combine::Variant { computed, result, reduction }.source());
            for (ranks, along, sharing) in kinds {
                let variant = reduce::Variant {
                    dtype,
                    computed,
                    result,
                    reduction,
                    formula: product.clone(),
                    ranks,
                    runs: Runs::new(&[start; 2], dtype.bytes(), if along { 1000 } else { 1 }),
                    wide: !along,
                    threads: if sharing == Sharing::Alone { 8 } else { 256 },
                    along,
                    sharing,
                    baked: Vec::new(),
                };
                kernels.push(variant.source());
            }
        }
    }
    kernels
}
