//! How many threads and groups a kernel gets.

use arrayspan_devices::Grid;

/// Threads of a group where nothing else decides.
pub const THREADS: usize = 256;

/// The least threads of a group along x.
const NARROWEST: usize = 4;

/// CUDA takes no more threads than this along z.
const MOST_THREADS_Z: usize = 64;

/// CUDA takes no more groups than this along y and z; kernels go round in loops.
pub const MOST_GROUPS: usize = 65_535;

/// A thread for each item of `items` (along x, y, z), in groups of `threads` (a power of 4).
///
/// Groups are powers of 4 along each axis, because some compilers make code for each shape of group: as wide
/// along x as that leaves few threads idle.
#[must_use]
pub fn grid(items: [usize; 3], threads: usize) -> Grid {
    let padded = |x: usize| items[0].next_multiple_of(x);
    let widths = || std::iter::successors(Some(threads), |x| (*x > NARROWEST).then_some(x / 4));
    let least = widths().map(padded).min().unwrap_or(0);
    let few = |x: &usize| padded(*x) <= least + least / 8;
    let x = widths().find(few).unwrap_or(NARROWEST);
    of_width(x, items, threads)
}

/// As [`grid`], but as wide along x as there are items, though threads of a row's last group be idle: where neighbouring
/// groups would otherwise take turns in the same rows of memory.
#[must_use]
pub fn wide_grid(items: [usize; 3], threads: usize) -> Grid {
    let widths = std::iter::successors(Some(threads), |x| (*x > NARROWEST).then_some(x / 4));
    let x = widths.into_iter().find(|x| *x <= items[0]).unwrap_or(NARROWEST);
    of_width(x, items, threads)
}

/// Groups of `threads` threads, `x` of them along x.
fn of_width(x: usize, items: [usize; 3], threads: usize) -> Grid {
    let y = if items[2] == 1 { threads / x } else { power_of_4(items[1]).min(threads / x) };
    let z = (threads / (x * y)).min(power_of_4(items[2])).min(MOST_THREADS_Z);
    grid_of(items, [x, y, z])
}

/// A thread for each item of `items`, in groups of these threads along x, y and z.
#[must_use]
pub fn grid_of(items: [usize; 3], threads: [usize; 3]) -> Grid {
    let most = [i32::MAX as usize, MOST_GROUPS, MOST_GROUPS];
    let groups = [0, 1, 2].map(|axis| items[axis].div_ceil(threads[axis]).min(most[axis]));
    Grid { groups, threads }
}

/// The smallest power of 4 that is not below `n`.
fn power_of_4(n: usize) -> usize {
    std::iter::successors(Some(1), |power| Some(power * 4)).find(|power| *power >= n).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_a_thread_until_groups_run_out() {
        let sides = [1, 2, 3, 5, 17, 100, 250, 1000];
        for x in sides {
            for y in sides {
                for z in sides {
                    let (items, grid) = ([x, y, z], grid([x, y, z], THREADS));
                    for axis in 0..3 {
                        assert!(grid.groups[axis] * grid.threads[axis] >= items[axis], "{items:?}");
                    }
                    assert!(grid.threads.iter().product::<usize>() <= THREADS);
                    assert!(grid.threads[2] <= MOST_THREADS_Z);
                    let wide = wide_grid(items, THREADS);
                    for axis in 0..3 {
                        assert!(wide.groups[axis] * wide.threads[axis] >= items[axis], "{items:?}");
                    }
                    assert!(wide.threads[0] <= x.max(NARROWEST), "{items:?}");
                }
            }
        }
        let many = grid([1, 1 << 30, 1 << 30], THREADS);
        assert_eq!(many.groups, [1, MOST_GROUPS, MOST_GROUPS]);
    }

    #[test]
    fn groups_are_wide_where_rows_are_long_and_high_where_they_are_short() {
        let threads = |items| grid(items, THREADS).threads;
        assert_eq!(threads([2000, 8000, 1]), [256, 1, 1]);
        assert_eq!(threads([250, 1000, 1]), [256, 1, 1]);
        assert_eq!(threads([300, 1000, 1]), [64, 4, 1]);
        assert_eq!(threads([5, 1000, 1]), [4, 64, 1]);
        assert_eq!(threads([3, 2, 1000]), [4, 4, 16]);
    }
}
