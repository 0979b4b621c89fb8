//! How much of a band's axis a group and each of its threads make: the choice that costs least for an axis of that length.

use arrayspan_bridge::devices::DeviceKind;
use arrayspan_bridge::iteration::IterationSpace;

use super::common_row::MOST_GAPPED;

/// Lines of a group, and of one without a tile.
pub(super) const LINES: usize = 32;
const DIRECT_LINES: usize = 64;

/// Results of a thread along a short axis, and what may be chosen from along one that several groups share.
const RESULTS: usize = 16;
const SOME_RESULTS: std::ops::RangeInclusive<usize> = 11..=18;

/// Results of a thread of arrays that are small.
const FEW_RESULTS: [usize; 6] = [3, 4, 6, 8, 10, 12];

/// Threads of a group along the band's axis: those that share the lines of a group evenly.
const WARPS: [usize; 4] = [8, 4, 2, 1];

/// The same without a tile: what registers have room for.
const DIRECT_RESULTS: usize = 14;
const DIRECT_WARPS: [usize; 3] = [4, 2, 1];

/// More places from the first to the last tap are taken in chunks.
const MOST_CHUNK: usize = 128;

/// Up to so many places are straight code.
pub(super) const STRAIGHT: usize = 24;

/// The local memory that a kernel may take without asking.
pub(super) fn room(kind: DeviceKind) -> usize {
    if kind == DeviceKind::Cuda { 48 << 10 } else { 32 << 10 }
}

/// What a kernel is for beside its band.
pub(super) struct Setting<'s> {
    pub(super) space: &'s IterationSpace,
    /// The axes of the bands in the space.
    pub(super) axes: &'s [usize],
    /// Processors of the device.
    pub(super) units: usize,
    /// Bytes of local memory.
    pub(super) room: usize,
}

/// The most places of a chunk: half of the local memory is for what neighbouring tiles load, too.
pub(super) fn most_chunk(room: usize, bytes: usize) -> usize {
    (room / (2 * LINES * bytes)).min(MOST_CHUNK)
}

/// What a group makes along the band's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Width {
    /// Whether its threads take values from where they lie, not from a tile.
    pub(super) direct: bool,
    pub(super) warps: usize,
    /// Of each thread.
    pub(super) results: usize,
}

/// Another choice along columns for rows of taps that are neither short nor very long, for axes that it divides better than
/// all others; what it costs beside these.
const DEEP: Width = Width { direct: false, warps: 4, results: 22 };
const DEEP_COST: f64 = 1.02;

impl Width {
    /// The cheapest for chunks of so many places; `None` if not even the narrowest fits into local memory.
    pub(super) fn cheapest(
        setting: &Setting<'_>,
        along: bool,
        chunk: usize,
        bytes: usize,
    ) -> Option<Self> {
        let Setting { space, units, room, .. } = setting;
        let len = space.extents[usize::from(!along)];
        let others: usize = space.extents.iter().product::<usize>() / len.max(1);
        let direct = !along && chunk <= STRAIGHT && bytes == 4;
        let all_warps: &[usize] = if direct { &DIRECT_WARPS } else { &WARPS };
        let fits = |width: &Self| {
            let tile = LINES * ((width.places() + chunk - 1) | 1) * bytes;
            width.direct || tile <= *room
        };
        // Of an array that is small: as few results of a thread as leave no processor two groups.
        let few = FEW_RESULTS.map(|results| Self { direct, warps: all_warps[0], results });
        let alone = |width: &Self| fits(width) && width.groups(space, along) <= *units;
        if let Some(width) = few.into_iter().find(alone) {
            return Some(width);
        }
        let shared = len > all_warps[0] * RESULTS;
        let results = match (direct, shared) {
            (true, _) => DIRECT_RESULTS..=DIRECT_RESULTS,
            (false, true) => SOME_RESULTS,
            (false, false) => RESULTS..=RESULTS,
        };
        let deep = !along && shared && bytes == 4 && (STRAIGHT..=MOST_GAPPED).contains(&chunk);
        let widths = || {
            let all = results.clone().rev();
            let all = all.flat_map(|results| {
                all_warps.iter().map(move |&warps| Self { direct, warps, results })
            });
            let all = (deep && !direct).then_some(DEEP).into_iter().chain(all);
            all.filter(fits)
        };
        let busy = |width: &Self| {
            let lines = others.saturating_mul(len.div_ceil(width.places()));
            width.warps <= 2 || lines.div_ceil(LINES) * width.warps >= 2 * units
        };
        let cost = |width: &Self| {
            let slower = if *width == DEEP { DEEP_COST } else { 1.0 };
            slower * width.cost(len, chunk)
        };
        let cheapest = widths().filter(busy).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        cheapest.or_else(|| widths().next_back())
    }

    /// How many groups there are.
    fn groups(self, space: &IterationSpace, along: bool) -> usize {
        let extent = |axis: usize| space.extents.get(axis).copied().unwrap_or(1);
        let outer: usize = space.extents.iter().skip(2).product();
        let parts = extent(usize::from(!along)).div_ceil(self.places()).saturating_mul(outer);
        if along {
            extent(1).saturating_mul(parts).div_ceil(LINES)
        } else {
            extent(0).div_ceil(self.lines()).saturating_mul(parts)
        }
    }

    pub(super) fn lines(self) -> usize {
        if self.direct { DIRECT_LINES } else { LINES }
    }

    pub(super) fn places(self) -> usize {
        self.warps * self.results
    }

    /// Of a place of the axis, in multiply-adds: the taps, loads from local memory and into it, by how many places groups
    /// have beyond the axis.
    fn cost(self, len: usize, chunk: usize) -> f64 {
        let [places, results] = [self.places(), self.results].map(|count| count as f64);
        let chunk = chunk as f64;
        let loads = 4.0 * (results + chunk - 1.0) / results + 8.0 * (places + chunk - 1.0) / places;
        let padded = (len.div_ceil(self.places()) * self.places()) as f64;
        (chunk + loads + 16.0) * padded / len.max(1) as f64
    }
}
