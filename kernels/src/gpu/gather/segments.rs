//! Rows that name columns anywhere: columns go through local memory, a segment at a time.
//!
//! A cache hands out 32 bytes for each number that stands alone, which bounds what rows of such columns take; local memory hands
//! out any numbers at almost full speed. Each block of rows brings in all columns once, so there have to be many entries for each.

use std::sync::Arc;

use arrayspan_bridge::devices::{Grid, Stream};
use arrayspan_bridge::iteration::{Text, WIDEST};
use arrayspan_bridge::{Array, DType, Element};
use num_complex::{Complex32, Complex64};

use super::super::tables::{Uploaded, send_list};
use crate::gather::{Facts, LANES, Tiles, Tiling, Weighting};
use crate::{Gather, Result};

/// What compilers give a kernel without being asked.
const DECLARED: usize = 48 << 10;
/// A group of a multiprocessor that is its only one has so many threads, and others so many.
const ALONE: usize = 1024;
const SHARING: usize = 256;
/// Groups of a multiprocessor where they share it.
const GROUPS: usize = 6;
/// Columns that a segment has room for behind its last: the one that empty places name, and as many as keep accesses aligned.
const SPARE: usize = 4;
/// Accesses of a thread to columns that are on their way together.
const AT_ONCE: usize = 4;
/// Bytes that blocks of rows may bring in for each entry, which would take a sector of 32 bytes.
const BYTES_OF_ENTRY: usize = 24;
/// Mean entries of rows that need the local memory of a whole multiprocessor.
const FEW: usize = 16;

/// The arrays of a kernel, as its text calls them, and their types.
pub(super) const ARRAYS: [(&str, &str); 3] =
    [("group_places", "places"), ("unsigned short", "order"), ("int", "starts")];

/// What of a device it depends on.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Place {
    /// Processors.
    pub(in crate::gpu) units: usize,
    /// Bytes of local memory that kernels take without asking, and that they get at most.
    pub(in crate::gpu) room: usize,
    pub(in crate::gpu) most: usize,
}

impl Place {
    /// Whether a kernel may have more local memory than a compiler gives without being asked.
    fn is_large(self) -> bool {
        self.most >= 2 * DECLARED
    }
}

/// Whether a vector's columns are taken a segment at a time: where [`Facts::takes_segments`] says so, and also for fewer entries
/// where segments are large.
pub(super) fn pays(facts: &Facts, bytes: usize, place: Place) -> bool {
    let brought = || {
        let blocks = tiling(facts, bytes, place).blocks(facts.rows);
        blocks.saturating_mul(facts.columns).saturating_mul(bytes)
    };
    let few = || {
        facts.long == 0
            && place.is_large()
            && facts.entries / facts.rows.max(1) >= FEW
            && facts.is_divisible()
            && brought() <= facts.entries.saturating_mul(BYTES_OF_ENTRY)
    };
    facts.takes_segments() || few()
}

/// As large segments as fit beside the sums of a block of rows, which is as large as leaves one for each group.
pub(super) fn tiling(facts: &Facts, bytes: usize, place: Place) -> Tiling {
    let (room, groups) = if place.is_large() {
        (place.most, place.units)
    } else {
        (place.room, place.units * GROUPS)
    };
    let most_rows = (room / 8 / bytes / LANES * LANES).max(LANES);
    let rounds = facts.rows.div_ceil(groups * most_rows);
    let block = facts.rows.div_ceil(groups * rounds).next_multiple_of(LANES);
    let most = (room / bytes - block - SPARE).min(usize::from(u16::MAX) - 1) / SPARE * SPARE;
    let segments = facts.columns.div_ceil(most);
    let segment = facts.columns.div_ceil(segments).next_multiple_of(SPARE);
    // Of a row in a tile.
    let entries = facts.entries / facts.rows.max(1) / segments;
    let together = [8, 4].into_iter().find(|together| entries >= 2 * together).unwrap_or(2);
    let weighted = facts.weights != Weighting::Ones;
    let held = if weighted { (2 * WIDEST / bytes).max(2) } else { 8 };
    Tiling { block, segment, together: together.min(held) }
}

/// The threads of a group.
fn threads(tiling: Tiling, bytes: usize) -> usize {
    if local_bytes(tiling, bytes) > 0 { ALONE } else { SHARING }
}

/// The bytes of local memory that a kernel asks for, 0 where it need not.
pub(super) fn local_bytes(tiling: Tiling, bytes: usize) -> usize {
    let all = (tiling.segment + SPARE + tiling.block) * bytes;
    if all > DECLARED { all } else { 0 }
}

pub(super) fn grid(facts: &Facts, tiling: Tiling, bytes: usize) -> Grid {
    let groups = tiling.blocks(facts.rows).min(i32::MAX as usize);
    Grid { groups: [groups, 1, 1], threads: [threads(tiling, bytes), 1, 1] }
}

/// The macros of a kernel.
pub(super) fn define(
    tiling: Tiling,
    wide: [usize; 2],
    dtype: DType,
    complex: bool,
    text: &mut Text,
) {
    let bytes = dtype.bytes();
    let weight = if complex { bytes } else { dtype.real().bytes() };
    let alone = local_bytes(tiling, bytes) > 0;
    text.define("BLOCK", tiling.block);
    text.define("SEGMENT", tiling.segment);
    text.define("SPARE", SPARE);
    text.define("W", wide[0]);
    text.define("WIDE_ALIGN", wide[1]);
    text.define("AT_ONCE", AT_ONCE);
    text.define("TOGETHER", tiling.together);
    text.define("WEIGHTS_ALIGN", (tiling.together * weight).min(WIDEST));
    text.define("LANES", LANES);
    text.define("THREADS", threads(tiling, bytes));
    text.define("RESIDENT", if alone { 1 } else { 4 });
    text.flag("LARGE", alone);
}

/// Where the rows of tiles and the starts of slices begin in the array behind the places, counted as [`ARRAYS`] are.
pub(super) fn parts(numbers: &Array, facts: &Facts, tiling: Tiling) -> [usize; 2] {
    let slices = tiling.slices(facts.rows, facts.columns);
    let starts = numbers.layout().len() - 2 * (slices + 1);
    [starts - slices * LANES, starts / 2]
}

/// Copies a table in tiles to `stream`'s device.
pub(in crate::gpu) fn upload_tiles(
    gather: &Gather,
    dtype: DType,
    tiling: Tiling,
    stream: &Stream,
) -> Result<Uploaded> {
    match (gather.facts().weights, dtype.real()) {
        (Weighting::Real, DType::Float64) => send(gather, tiling, stream, |weight| weight.re),
        (Weighting::Complex, DType::Float64) => send(gather, tiling, stream, |weight| weight),
        (Weighting::Complex, _) => send(gather, tiling, stream, |weight| {
            Complex32::new(weight.re as f32, weight.im as f32)
        }),
        _ => send(gather, tiling, stream, |weight| weight.re as f32),
    }
}

fn send<W: Element + Copy + Default + Send>(
    gather: &Gather,
    tiling: Tiling,
    stream: &Stream,
    weight: impl Fn(Complex64) -> W + Sync,
) -> Result<Uploaded> {
    let weighted = !gather.is_unweighted();
    let Tiles { numbers, weights } = Tiles::new(gather.table()?, tiling, weighted, weight)?;
    let numbers = send_list(numbers, stream)?;
    let weights = if weighted {
        send_list(weights, stream)?
    } else {
        Array::empty([0], DType::UInt8, stream)?
    };
    Ok(Arc::new((numbers, weights)))
}
