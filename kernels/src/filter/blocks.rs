//! How an axis is divided into blocks that are transformed.

use arrayspan_bridge::DType;

use crate::fourier::{LOCAL, factors};

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blocks {
    /// Samples that are transformed together.
    pub(crate) samples: usize,
    /// Results of a block, its last samples.
    pub(crate) results: usize,
    pub(crate) count: usize,
}

impl Blocks {
    /// Whole lines that come round after so many points, of so many samples.
    pub(super) fn whole(points: usize, extent: usize) -> Self {
        Self { samples: line(points), results: extent.max(1), count: 1 }
    }

    /// The cheapest for so many taps along an axis of that extent, for arrays of `dtype` and so much memory near a processor, which is shared
    /// by lines that lie side by side, if they do.
    pub(super) fn cheapest(
        taps: usize,
        extent: usize,
        dtype: DType,
        (room, across): (usize, bool),
    ) -> Self {
        let most = most_samples(dtype, room);
        let blocks = |samples: usize| {
            let results = (samples + 1).saturating_sub(taps).max(1);
            Self { samples, results, count: extent.div_ceil(results).max(1) }
        };
        let cost = |blocks: &Self| {
            let beside = across.then(|| most / blocks.samples * dtype.bytes());
            cost(blocks.count, blocks.samples, beside, APART)
        };
        let least = (2 * taps).next_power_of_two().clamp(LEAST, most);
        let sizes = std::iter::successors(Some(least), |samples| Some(2 * samples));
        let sizes = sizes.take_while(|samples| *samples <= most).map(blocks);
        sizes.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(blocks(least))
    }

    /// Operations on an array of so many elements, along an axis of that extent: those of two transforms.
    pub(crate) fn flops(self, len: usize, extent: usize) -> usize {
        let lines = len / extent.max(1);
        let each = self.samples * (self.samples.ilog2() as usize) * 5;
        lines.saturating_mul(self.count).saturating_mul(each)
    }
}

/// The points that a line which comes round after so many is transformed in: as many, or, where they have prime factors that butterflies
/// have not, so many that nothing comes round.
pub(super) fn line(points: usize) -> usize {
    if factors(points).is_some() {
        return points;
    }
    let least = 2 * points - 1;
    (least..=2 * least)
        .find(|line| line.is_multiple_of(2) && factors(*line).is_some())
        .unwrap_or(least)
}

/// Whether two samples of so many are transformed as one complex number.
pub(crate) fn is_paired(samples: usize, dtype: DType) -> bool {
    !dtype.is_complex() && samples.is_multiple_of(2)
}

/// What loads, stores and the product cost beside a bit of the points.
const PASSES: f64 = 6.0;

/// Bytes that memory moves at once, and what it costs to move as many again of what others need.
const SIDE_BY_SIDE: usize = 32;
const APART: f64 = 0.25;

/// What so many blocks of so many points cost, of lines that take so many bytes side by side, if they lie so: a part of what memory moves
/// at once is of other lines than a group's then, and to move as many bytes again costs `apart`.
pub(crate) fn cost(count: usize, points: usize, beside: Option<usize>, apart: f64) -> f64 {
    let points = points as f64;
    let again = |beside: usize| (SIDE_BY_SIDE as f64 / beside as f64).max(1.0) - 1.0;
    count as f64 * points * (points.log2() + PASSES) * (1.0 + apart * beside.map_or(0.0, again))
}

/// Fewer samples leave threads without work.
const LEAST: usize = 128;

/// The most taps of a filter: half of the samples of a block.
pub(super) fn most_taps(dtype: DType) -> usize {
    most_samples(dtype, LOCAL) / 2
}

/// Samples of a line that so much memory holds: complex numbers, or two real ones in place of each.
pub(super) fn most_samples(dtype: DType, room: usize) -> usize {
    room / dtype.real().bytes() / if dtype.is_complex() { 2 } else { 1 }
}
