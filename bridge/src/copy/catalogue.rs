//! Representative kernels, for tests that compile them all.

use arrayspan_devices::{KernelSource, Specialisation as _};

use super::cast::spec::{CastSpec, Scaled};
use super::plan::plan;
use super::stack;
use super::variant::{Affine, Variant, Work};
use crate::{Conversion, DType, Layout, Scale};

/// Kernels of copies for every kind of work, in the variants whose text differs.
#[must_use]
pub fn catalogue() -> Vec<KernelSource> {
    let copies = [1, 2, 4, 8, 16].map(Work::Bytes).into_iter().flat_map(variants);
    let turned = conversions(DType::Float32, DType::UInt8, &[]).flat_map(variants);
    let conversions = every_conversion().into_iter().filter_map(|work| {
        let line = Layout::contiguous([1000]).ok()?;
        variant(work, &line)
    });
    let kernels = copies.chain(turned).chain(conversions).map(|variant| variant.source());
    kernels.chain(stacks().map(|variant| variant.source())).chain([Affine.source()]).collect()
}

/// Slices one after the other, and one element of each after the other.
fn stacks() -> impl Iterator<Item = Variant> {
    let stack = |bytes, axis: usize| {
        let mut whole = vec![64, 48];
        whole.insert(axis, 4);
        let whole = Layout::contiguous(whole).ok()?;
        let step = *whole.strides().get(axis)?;
        let (first, slice) = (whole.selected(axis, 0).ok()?, Layout::contiguous([64, 48]).ok()?);
        let layouts = [&first, &slice, &slice, &slice, &slice];
        Some(stack::variant(&layouts, &[0; 5], step, bytes).1)
    };
    [1, 2, 4, 8, 16].into_iter().flat_map(move |bytes| [stack(bytes, 0), stack(bytes, 2)]).flatten()
}

/// Each dtype from and to a few, with and without scaling.
fn every_conversion() -> Vec<Work> {
    let ranges = [
        Scale::Range { from: (0.0, 1.0), to: Some((0.0, 9.0)) },
        Scale::MinMax { to: Some((0.0, 9.0)) },
    ];
    let around = |one: DType| DType::all().flat_map(move |other| [(one, other), (other, one)]);
    let wide = [DType::Int64, DType::UInt64, DType::Float16, DType::Complex128];
    let with_double =
        wide.into_iter().flat_map(|one| [(one, DType::Float64), (DType::Float64, one)]);
    let mut works: Vec<Work> = around(DType::Float32)
        .chain(with_double)
        .filter(|(from, to)| from != to)
        .flat_map(|(from, to)| conversions(from, to, &[]))
        .collect();
    let scaled = [DType::UInt8, DType::Int64, DType::Float32, DType::Float8E4M3Fn];
    works.extend(scaled.into_iter().flat_map(|from| conversions(from, DType::UInt16, &ranges)));
    works
}

/// A conversion and that which looks for the range, where there is one.
fn conversions(from: DType, to: DType, scales: &[Scale]) -> impl Iterator<Item = Work> {
    let rules = Conversion::SATURATE.dropping_imaginary();
    let exact = Conversion::EXACT.dropping_imaginary();
    let scaled = scales.iter().map(|scale| rules.scale(*scale));
    let all: Vec<Conversion> = [rules, exact].into_iter().chain(scaled).collect();
    all.into_iter().filter_map(move |rules| CastSpec::new(from, to, &rules).ok()).flat_map(|spec| {
        let range = (spec.scaled == Scaled::Found).then_some(Work::Range(spec));
        [Work::Convert(spec)].into_iter().chain(range)
    })
}

/// Contiguous arrays, rows with gaps, single elements of many axes, offsets of 64 bits, and tiles, of neighbours and of others.
fn variants(work: Work) -> Vec<Variant> {
    let row_major = |shape: &[usize]| Layout::contiguous(shape);
    let transposed = || row_major(&[70, 5, 64])?.permuted(&[1, 2, 0]);
    let turned = || transposed()?.reversed(1);
    let gaps = || row_major(&[9, 128])?.sliced(1, 0, 64);
    let many = || row_major(&[3, 9, 5, 7])?.permuted(&[3, 1, 2, 0])?.stepped(1, 2);
    let far = || row_major(&[1 << 16, 1 << 16])?.stepped(1, 3);
    let layouts = [row_major(&[1000]), gaps(), many(), far(), transposed(), turned()];
    layouts.into_iter().flatten().filter_map(|from| variant(work, &from)).collect()
}

/// From that layout to a row-major one; `None` only if that could not be addressed.
fn variant(work: Work, from: &Layout) -> Option<Variant> {
    let to = Layout::contiguous(from.shape()).ok()?;
    let (space, tiles) = plan(&to, from);
    Some(Variant::new(work, &space, tiles, [0, 0]))
}
