//! How lines are cut into tiles, and tiles given to groups of threads.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{DeviceInfo, Grid};

use super::spaces::Spaces;

/// How a kernel goes along lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Tiling {
    /// Threads of a group.
    pub(super) threads: usize,
    /// Those that share a line.
    pub(super) ways: usize,
    /// Elements of a thread in a tile.
    pub(super) each: usize,
    /// Groups that a multiprocessor is to hold at once.
    pub(super) resident: usize,
    /// Whether threads load their elements of the next tile before they need them.
    pub(super) ahead: bool,
    /// Where groups take one tile each and look back at those before: how many bunches of tiles they look at; else 0.
    pub(super) bunches: usize,
}

/// What decides on tiles of a device.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Limits {
    /// Multiprocessors.
    pub(in crate::gpu) units: usize,
    /// Whether groups can read what others have written.
    pub(in crate::gpu) fence: bool,
    /// Threads of a group, and bytes of its local memory, at most.
    pub(in crate::gpu) threads: usize,
    pub(in crate::gpu) local_bytes: usize,
}

/// What every device has.
const LEAST_THREADS: usize = 256;
const LEAST_LOCAL_BYTES: usize = 32 << 10;

/// Tiles whose sums are added up together when a group looks back; also in the source.
const BUNCH: usize = 16;
/// The most bunches that a group looks back at.
const MOST_BUNCHES: usize = 16;
/// Threads whose sums one thread adds up, also in the source.
const BLOCK: usize = 16;
/// Threads of a group that goes along lines, and of one that goes across them.
const ALONG: usize = 128;
const ACROSS: usize = 512;
/// Lines of so many tiles of the narrowest groups are short.
const SHORT_TILES: usize = 4;
/// What memory moves at once.
const SECTOR: usize = 32;

impl Limits {
    pub(in crate::gpu) fn of(info: &DeviceInfo) -> Self {
        Self {
            units: info.compute_units.max(1),
            fence: info.device_fence,
            threads: info.group_threads.max(LEAST_THREADS),
            local_bytes: info.local_bytes.max(LEAST_LOCAL_BYTES),
        }
    }
}

impl Tiling {
    /// How the lines are best cut, for sums of that dtype. Measured on an H200.
    pub(in crate::gpu) fn new(spaces: &Spaces, dtype: DType, limits: &Limits) -> Self {
        let units = limits.units;
        let own = if spaces.along { Self::along(spaces, 64) } else { Self::across(spaces, limits) };
        let few = 2 * own.bands(spaces) < units && own.tiles(spaces) > 2;
        if !few || !limits.fence {
            return own;
        }
        // Fewer tiles to look back at, which are as many bytes.
        let longer = if spaces.along { Self::along(spaces, 128) } else { own };
        let counted = longer.bands(spaces).saturating_mul(longer.tiles(spaces)) < 1 << 24;
        if !counted {
            return own;
        }
        let bunches = longer.most_bunches(spaces.along, dtype, limits.local_bytes);
        Self { bunches, ahead: false, ..longer }
    }

    /// A group of 128 threads for a line, or for several short ones. Threads of long lines take so many bytes of a tile.
    fn along(spaces: &Spaces, bytes: usize) -> Self {
        let (threads, run) = (ALONG, spaces.runs.len);
        let [few, many] = [bytes, bytes.max(96)].map(|bytes| (bytes / spaces.bytes).max(run));
        let ways = spaces.reach.div_ceil(many).next_power_of_two().min(threads);
        let most = if ways < threads { many } else { few };
        let tiles = spaces.reach.div_ceil(ways * most);
        let each = spaces.reach.div_ceil(tiles * ways).next_multiple_of(run);
        // More elements of a thread need more of its registers.
        let resident = if each * spaces.bytes > 64 { 5 } else { 8 };
        Self { threads, ways, each, resident, ahead: false, bunches: 0 }
    }

    /// Neighbours of 64 threads, so that groups share less of what memory moves at once; of more where there are so many lines that
    /// threads need not share them, of fewer where there would be too few groups.
    fn across(spaces: &Spaces, limits: &Limits) -> Self {
        let (lines, units) = (spaces.lines(), limits.units);
        // Some devices take groups of 384 threads, and threads are added up in blocks that are powers of two.
        let most_threads = 1 << ACROSS.min(limits.threads).ilog2();
        let many = |lanes: usize| lines / lanes >= 4 * units;
        let most_of = |lanes: usize| 2 * lines.div_ceil(lanes) >= units;
        let least = SECTOR / spaces.bytes.min(SECTOR);
        let short = spaces.extent <= SHORT_TILES * most_threads / least * (64 / spaces.bytes);
        let (lanes, bytes, ahead) = match () {
            () if many(512) => (512, 80, false),
            () if many(128) => (128, 80, false),
            () if 3 * lines >= 2 * 64 * units => (64, 64, true),
            () if short && most_of(least) => (least, 64, false),
            () => (32, 64, true),
        };
        let lanes = lanes.min(lines.next_power_of_two()).min(most_threads);
        let most = bytes / spaces.bytes;
        let ways = spaces.extent.div_ceil(most).next_power_of_two().min(most_threads / lanes);
        let tiles = spaces.extent.div_ceil(ways * most);
        let each = spaces.extent.div_ceil(tiles * ways);
        let threads = ways * lanes;
        // Threads of few groups have registers enough.
        let resident = lines.div_ceil(lanes).div_ceil(units).min(1024 / threads).clamp(1, 8);
        Self { threads, ways, each, resident, ahead: ahead && tiles > 1, bunches: 0 }
    }

    /// Lines whose tiles a group takes together, if these are looked back at.
    pub(super) fn columns(&self) -> usize {
        self.threads / self.ways
    }

    /// Whether groups take one tile each and look back at those before.
    pub(super) fn is_shared(&self) -> bool {
        self.bunches > 0
    }

    /// Groups that go along lines, if each goes to their ends.
    fn bands(&self, spaces: &Spaces) -> usize {
        spaces.lines().div_ceil(self.columns())
    }

    fn tiles(&self, spaces: &Spaces) -> usize {
        spaces.reach.div_ceil(self.ways * self.each)
    }

    pub(super) fn grid(&self, spaces: &Spaces) -> Grid {
        let bands = self.bands(spaces);
        let groups = if self.is_shared() { bands * self.tiles(spaces) } else { bands };
        Grid { groups: [groups.min(i32::MAX as usize), 1, 1], threads: [self.threads, 1, 1] }
    }

    /// The words that groups leave for each other, if they do.
    pub(super) fn states(&self, spaces: &Spaces, dtype: DType) -> Option<usize> {
        let tiles = self.tiles(spaces);
        let parts = if dtype.is_complex() { 2 } else { 1 };
        let heads = tiles.div_ceil(BUNCH) + 1;
        let all = self.bands(spaces) * (tiles + heads) * self.columns() * parts;
        self.is_shared().then_some(all)
    }

    /// The bytes of local memory that a group takes which looks back at so many bunches, rounded up: sums are of 64 bits.
    fn local_bytes(&self, along: bool, dtype: DType, bunches: usize) -> usize {
        let Self { threads, ways, each, .. } = *self;
        let sum = if dtype.is_complex() { 16 } else { 8 };
        let sums = threads + threads.div_ceil(16) + threads / ways.min(BLOCK);
        let tile = if along { threads * each * dtype.bytes() } else { 0 };
        let looked_at = bunches * self.columns() * ((BUNCH + 1) * sum + size_of::<i32>());
        tile + tile / 8 + sums * sum + looked_at + 4 * size_of::<u32>()
    }

    /// The bunches that are worth a look at once, as long as there is room for their sums.
    fn most_bunches(&self, along: bool, dtype: DType, room: usize) -> usize {
        let most = (4 * self.threads / (BUNCH * self.columns())).clamp(1, MOST_BUNCHES);
        let fits = |bunches: &usize| self.local_bytes(along, dtype, *bunches) <= room;
        (1..=most).rev().find(fits).unwrap_or(1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use arrayspan_bridge::Layout;

    use super::*;
    use crate::Scan;

    #[test]
    fn groups_keep_within_what_the_device_has() {
        let mut shared = 0;
        for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
            let tall = (1..70).chain([8000, 8191, 100_000]).map(|lines| [100_003, lines]);
            for shape in tall.chain([[3, 100_003], [1, 1_000_000], [389, 1 << 20]]) {
                let axis = usize::from(shape[0] <= 3);
                let layout = Layout::contiguous(shape).unwrap();
                let scan = Scan::inclusive(axis, shape[axis]);
                let spaces = Spaces::new(&scan, [&layout; 2], [0, 0], dtype).unwrap();
                for threads in [256, 384, 512, 768, 1024] {
                    for local_bytes in [32 << 10, 48 << 10, 64 << 10] {
                        let limits = Limits { units: 132, fence: true, threads, local_bytes };
                        let tiling = Tiling::new(&spaces, dtype, &limits);
                        let bytes = tiling.local_bytes(spaces.along, dtype, tiling.bunches);
                        assert!(bytes <= local_bytes, "{dtype}, {shape:?}, {tiling:?}: {bytes}");
                        assert!(tiling.threads <= threads, "{dtype}, {shape:?}, {tiling:?}");
                        assert!(tiling.ways.is_power_of_two(), "{dtype}, {shape:?}, {tiling:?}");
                        let all = tiling.tiles(&spaces) * tiling.ways * tiling.each;
                        assert!(all >= spaces.reach, "{dtype}, {shape:?}, {tiling:?}");
                        shared += usize::from(tiling.is_shared());
                    }
                }
            }
        }
        assert!(shared > 0);
    }
}
