//! Representative kernels, for tests that compile them all.

mod convolutions;
mod curves;
mod elementwise;
mod halves;
mod setting;
mod sums;
mod transforms;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{DeviceKind, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Axes, IterationSpace, THREADS};
use num_complex::Complex64;

use super::combine::Sharing;
use super::dots::{Dots, Summed};
use super::element::Element;
use super::epilogue::Epilogue;
use super::formula::Formula;
use super::stencil_term::Arrays;
use super::stencil_tile;
use super::stencil_tile_width::{Setting, room};
use super::{
    factors, gemm, map_flat, stencil, stencil_apart, stencil_column, stencil_each, stencil_filter,
    stencil_flat, stencil_line, stencil_march, stencil_norm, stencil_sum, stencil_term, user,
};
use crate::factors::Factors;
use crate::number::computed;
use crate::verb::DotOf;
use crate::{Band, Stencil, Tap, Update};
use setting::{UNITS, checked, loaded, row_major, scalars, updates};

/// An axis and the band along it.
type Term = (usize, Band);

/// Kernels of every verb and computable dtype, and of the 16-bit floats that some take, in the variants whose text differs, and of users' kernels of each kind.
#[must_use]
pub fn catalogue() -> Vec<KernelSource> {
    let dtypes = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];
    let mut kernels: Vec<KernelSource> = Vec::new();
    for dtype in dtypes {
        kernels.extend(elementwise::maps(dtype));
        kernels.extend(elementwise::several(dtype));
        kernels.extend(elementwise::dotted(dtype));
        let scalars = scalars(dtype);
        let loaded = loaded(dtype, &scalars);
        let both = updates(dtype).into_iter().chain(loaded.iter().copied());
        for factors in both.filter_map(|update| checked(update, dtype)) {
            let element = Element(dtype);
            kernels.push(elementwise::transpose(element, &factors));
            kernels.extend(elementwise::copies_mapped(dtype, &factors));
            for patch in [gemm::Patch::Single, gemm::Patch::Square] {
                let gemm = |plain| elementwise::gemm(dtype, &factors, plain, patch);
                kernels.extend([true, false].map(gemm));
            }
            let formula = Formula::of_factors(factors.each(), element);
            kernels.push(factors::Variant { element, formula }.source());
        }
        let all = [updates(dtype).to_vec(), loaded].concat();
        kernels.extend(stencils(dtype, &all));
        kernels.extend(stencil_sums(dtype, &all));
        kernels.extend(sums::gathers(dtype));
        kernels.extend(curves::all(dtype));
        kernels.extend(sums::scans(dtype));
        kernels.extend(sums::reductions(dtype));
        kernels.extend(transforms::all(dtype));
        kernels.extend(transforms::filters(dtype));
        kernels.extend(transforms::periodic(dtype));
        kernels.extend(convolutions::all(dtype));
    }
    for stored in [DType::Float16, DType::BFloat16] {
        kernels.extend(sums::gathers(stored));
        kernels.extend(sums::scans(stored));
        kernels.extend(halves::maps(stored));
        kernels.extend(halves::reductions(stored));
        kernels.extend(halves::stencils(stored));
        let update = updates(stored)[usize::from(stored == DType::Float16)];
        if let Some(factors) = checked(update, computed(stored)) {
            kernels.extend(elementwise::copies_mapped(stored, &factors));
        }
    }
    kernels.extend(user::catalogue(&dtypes));
    kernels
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
    // Rows without gaps that begin at odd places.
    let mut cases: Vec<(Vec<Term>, &[usize])> = vec![
        (vec![(1, edges(641))], &[389, 641]),
        (vec![(1, filter(641, 4))], &[389, 641]),
        (vec![(0, edges(389))], &[389, 641]),
        (vec![(1, filter(389, 2))], &[257, 389, 643]),
    ];
    for axis in 0..2 {
        cases.push((vec![(axis, edges(4000))], &[4000, 4000]));
        cases.push((vec![(axis, filter(4000, 11))], &[4000, 4000]));
        cases.push((vec![(axis, filter(64, 30))], &[64, 64]));
        cases.push((
            vec![(axis, filter(150, 70).plus(&edges(150)).unwrap_or(edges(150)))],
            &[150, 150],
        ));
        // Rows at the ends that differ from the common one in few columns, and few rows that differ in many.
        let product = filter(4000, 20).after(&edges(4000)).unwrap_or(edges(4000));
        cases.push((vec![(axis, product.transpose())], &[4000, 4000]));
        cases.push((vec![(axis, product)], &[4000, 4000]));
    }
    // More groups than a grid takes.
    cases.push((vec![(1, filter(20, 8))], &[70_000, 20, 16]));
    cases.push(((0..2).map(|axis| (axis, edges(4000))).collect(), &[4000, 4000]));
    cases.push(((0..3).map(|axis| (axis, edges(64))).collect(), &[64, 64, 64]));
    cases.push((vec![(0, edges(61)), (1, edges(61))], &[61, 61, 3, 5]));
    // The same where they begin at odd places.
    cases.push(((0..2).map(|axis| (axis, edges(75))).collect(), &[75, 75]));
    cases.push(((0..3).map(|axis| (axis, filter(65, 2))).collect(), &[65, 65, 65]));
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
            kernels.extend(flat(&stencil, dtype, &space, &axes, &factors));
            kernels.extend(line(&stencil, dtype, &space, &axes, &factors));
            kernels.extend(column(&stencil, dtype, &space, &axes, &factors));
            kernels.extend(tiled(&stencil, dtype, &space, &axes, &factors));
            let star = Arrays { x: 1, before: None, after: None };
            let star = [stencil_term::Term::new(&stencil, axes.to_vec(), star)];
            for first in [0, dtype.bytes()] {
                kernels.extend(marched(&star, dtype, &space, &[0, first], &factors));
            }
            kernels.extend(apart(&stencil, dtype, &space, &axes, &factors));
            let plan = stencil::Plan::new(&stencil, dtype, (space, axes), [0, 0], &factors, UNITS);
            if stencil.terms().len() > 1 && !plan.variant.uploaded() {
                kernels.push(stencil_each::Variant(plan.variant.clone()).source());
            }
            let norm = norm(dtype, &factors, THREADS);
            if norm.is_some() {
                kernels.push(plan.variant.clone().with_norm(norm).source());
            }
            kernels.push(plan.variant.source());
        }
    }
    kernels
}

/// The kernels for rows without gaps.
fn flat(
    stencil: &Stencil,
    dtype: DType,
    space: &IterationSpace,
    axes: &[usize],
    factors: &Factors<'_>,
) -> Vec<KernelSource> {
    let formula = Formula::update(factors, Element(dtype)).0;
    let short = stencil_flat::Variant::new(stencil, dtype, formula.clone(), space, axes);
    // In runs, and with zeros between rows.
    let long = [0, dtype.bytes()].map(|first| {
        let addresses = ([0, first], 4);
        stencil_filter::Variant::new(stencil, dtype, formula.clone(), (space, axes), addresses)
    });
    let long = long.into_iter().flatten().map(|variant| variant.source());
    short.map(|variant| variant.source()).into_iter().chain(long).collect()
}

/// The kernel along columns.
fn column(
    stencil: &Stencil,
    dtype: DType,
    space: &IterationSpace,
    axes: &[usize],
    factors: &Factors<'_>,
) -> Option<KernelSource> {
    let form = space.form(dtype.bytes(), &[0, dtype.bytes()], 5);
    let formula = Formula::update(factors, Element(dtype)).0;
    let variant = stencil_column::Variant::new(stencil, dtype, form, formula, (space, axes))?;
    let norm = norm(dtype, factors, variant.threads());
    Some(variant.with_norm(norm).source())
}

/// The kernel for a band across such rows.
fn line(
    stencil: &Stencil,
    dtype: DType,
    space: &IterationSpace,
    axes: &[usize],
    factors: &Factors<'_>,
) -> Option<KernelSource> {
    let formula = Formula::update(factors, Element(dtype)).0;
    let variant = stencil_line::Variant::new(stencil, dtype, formula, space, axes)?;
    Some(variant.source())
}

/// The kernel for several outputs, one behind the other.
fn apart(
    stencil: &Stencil,
    dtype: DType,
    space: &IterationSpace,
    axes: &Axes<usize>,
    factors: &Factors<'_>,
) -> Option<KernelSource> {
    let form = space.form_with(map_flat::runs(space, [0, 0], dtype.bytes())?, 5);
    let formula = Formula::update(factors, Element(dtype)).0;
    let step = space.extents.iter().product::<usize>() as isize;
    let around = (space, axes);
    let variant = stencil_apart::Variant::new(stencil, dtype, form, formula, around, step)?;
    Some(variant.source())
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
    let taken = if has_norm(factors) { stencil_norm::room(stencil_tile::MOST_THREADS) } else { 0 };
    let setting = Setting { space, axes, units: UNITS, room: room(DeviceKind::Cuda) - taken };
    let formula = Formula::update(factors, Element(dtype)).0;
    let variant = stencil_tile::Variant::new(stencil, dtype, form, formula, &setting)?;
    let norm = norm(dtype, factors, variant.threads());
    Some(variant.with_norm(norm).source())
}

/// Kernels that only write are those with a norm.
fn has_norm(factors: &Factors<'_>) -> bool {
    !factors.reads()
}

/// Their norm, of groups with so many threads, which leave parts of it as those of complex numbers do, or join them.
fn norm(dtype: DType, factors: &Factors<'_>, threads: usize) -> Option<Dots> {
    let sharing = if dtype.is_complex() { Sharing::Leave } else { Sharing::LastJoins };
    let of = [DotOf::Output(0); 2];
    let of = vec![Summed { of, differences: false, result: DType::Float64 }];
    let known = sharing == Sharing::LastJoins;
    let epilogue = known.then(Epilogue::of_catalogue).flatten();
    has_norm(factors).then_some(Dots { of, sharing, threads, epilogue })
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
