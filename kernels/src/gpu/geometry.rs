//! How many threads and groups a kernel gets.

use arrayspan_bridge::devices::Grid;

/// Threads of a group where nothing else decides.
pub(super) const THREADS: usize = 256;

/// CUDA takes no more groups than this along y and z; kernels go round in loops.
const MOST_GROUPS: usize = 65_535;

/// A thread for each item of `items` (along x, y, z), in groups of `threads` that are as wide along x as the
/// items are many.
pub(super) fn grid(items: [usize; 3], threads: usize) -> Grid {
    let x = items[0].next_power_of_two().clamp(1, threads);
    let y = items[1].next_power_of_two().clamp(1, threads / x);
    let groups = [
        items[0].div_ceil(x).min(i32::MAX as usize),
        items[1].div_ceil(y).min(MOST_GROUPS),
        items[2].min(MOST_GROUPS),
    ];
    Grid { groups, threads: [x, y, 1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_a_thread_until_groups_run_out() {
        for items in [[1, 1, 1], [1000, 3, 2], [7, 100, 1], [250, 63, 1], [3, 1, 5]] {
            let grid = grid(items, THREADS);
            for axis in 0..3 {
                assert!(grid.groups[axis] * grid.threads[axis] >= items[axis], "{items:?}");
            }
            assert!(grid.threads.iter().product::<usize>() <= THREADS);
        }
        assert_eq!(grid([1, 1 << 30, 1 << 20], THREADS).groups, [1, 65_535, 65_535]);
    }
}
