//! Representative kernels, for tests that compile them all.

use arrayspan_devices::Source;

use super::plan::plan;
use super::variant::{Variant, Work};
use crate::Layout;

/// Kernels of the mover for every kind of work, in the variants whose text differs.
#[must_use]
pub fn catalogue() -> Vec<Source> {
    let copies = [1, 2, 4, 8, 16].map(Work::Bytes);
    copies.into_iter().flat_map(variants).map(|variant| variant.source()).collect()
}

/// Neighbours, rows with gaps, single elements of many axes, far places, and tiles.
fn variants(work: Work) -> Vec<Variant> {
    let row_major = |shape: &[usize]| Layout::contiguous(shape);
    let transposed = || row_major(&[70, 5, 64])?.permuted(&[1, 2, 0]);
    let gaps = || row_major(&[9, 128])?.sliced(1, 0, 64);
    let many = || row_major(&[3, 9, 5, 7])?.permuted(&[3, 1, 2, 0])?.stepped(1, 2);
    let far = || row_major(&[1 << 16, 1 << 16])?.stepped(1, 3);
    let layouts = [row_major(&[1000]), gaps(), many(), far(), transposed()];
    layouts.into_iter().flatten().filter_map(|from| variant(work, &from)).collect()
}

/// From that layout to a row-major one; `None` only if that could not be addressed.
fn variant(work: Work, from: &Layout) -> Option<Variant> {
    let to = Layout::contiguous(from.shape()).ok()?;
    let (space, tiles) = plan(&to, from);
    Some(Variant::new(work, &space, tiles, [0, 0]))
}
