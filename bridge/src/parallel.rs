//! Work on the cores of the host: parts of it are taken one after the other by the caller and by rayon's threads.
//!
//! The caller works, too, so that a call costs one wake-up for each thread that helps and none that takes its place, and
//! those that have helped stay awake for the next call for a while. What is cut into which parts is the caller's choice
//! and must not follow from the number of threads where results depend on it.

mod crew;
mod queue;
mod rounds;
mod sync;

use std::time::Duration;

use crew::CREW;
use queue::{MOST_LEFT, Queue};
use smallvec::SmallVec;

/// Work of less time on one core is one part.
///
/// A thread that sleeps takes 5 to 20 microseconds to wake up.
const PART: f64 = 20_000.0;

/// Work of fewer parts stays on the caller's thread.
const FEWEST: usize = 4;

/// Bytes and operations that one core manages in a nanosecond, about.
const BYTES: f64 = 16.0;
const FLOPS: f64 = 40.0;

/// Into how many elements work is cut, if each takes so many bytes from or to memory and so many operations: the one
/// place that decides what is too little to be shared. At least one; `usize::MAX` if all `len` are one part.
#[must_use]
pub fn grain(len: usize, bytes: usize, flops: usize) -> usize {
    let nanoseconds = bytes as f64 / BYTES + flops as f64 / FLOPS;
    let grain = (PART / nanoseconds.max(f64::MIN_POSITIVE)).max(1.0) as usize;
    if len / grain < FEWEST { usize::MAX } else { grain }
}

/// As [`grain`], for work whose results do not depend on how it is cut: threads have as many parts each.
#[must_use]
pub fn even_grain(len: usize, bytes: usize, flops: usize) -> usize {
    let grain = grain(len, bytes, flops);
    if grain == usize::MAX {
        return grain;
    }
    let (count, threads) = (len.div_ceil(grain), rayon::current_num_threads());
    if count < threads { grain } else { len.div_ceil(count.next_multiple_of(threads)) }
}

/// On how many threads `count` parts are worked on, the caller's among them.
#[must_use]
pub fn threads(count: usize) -> usize {
    match count {
        0 | 1 => 1,
        _ => rayon::current_num_threads().min(count),
    }
}

/// Calls `work` with each of the parts, about `count`, on the caller's thread and on those that are free.
pub fn share<P: Send>(
    count: usize,
    parts: impl Iterator<Item = P> + Send,
    work: &(impl Fn(P) + Sync),
) {
    if threads(count) == 1 {
        return parts.for_each(work);
    }
    share_regions(count, std::iter::once(parts), work);
}

/// As [`share`], for parts in as many regions as [`threads`] tells: each thread begins in one of its own, so that it finds
/// in its cache what it has left there in a call before, and goes on where others are not done.
pub fn share_regions<P: Send>(
    count: usize,
    regions: impl Iterator<Item = impl Iterator<Item = P> + Send>,
    work: &(impl Fn(P) + Sync),
) {
    let helpers = threads(count) - 1;
    if helpers == 0 {
        return regions.flatten().for_each(work);
    }
    let queue = Queue::new(regions, work);
    // Threads of rayon's, of which there may be several pools, help each other in its way.
    let outside = rayon::current_thread_index().is_none();
    if outside && CREW.run(helpers, &|place| queue.take(place, MOST_LEFT)) {
        return;
    }
    rayon::in_place_scope(|scope| {
        queue.wake(scope, helpers);
        queue.take(0, Duration::ZERO);
        queue.wait();
    });
}

/// As [`share_regions`], for parts of which neighbours belong together.
pub fn share_all<P: Send>(parts: Vec<P>, work: &(impl Fn(P) + Sync)) {
    let (count, threads) = (parts.len(), threads(parts.len()));
    if threads == 1 {
        return parts.into_iter().for_each(work);
    }
    let mut parts = parts.into_iter();
    let regions = (0..threads).map(|at| {
        let few = (at + 1) * count / threads - at * count / threads;
        parts.by_ref().take(few).collect::<SmallVec<[P; 2]>>().into_iter()
    });
    share_regions(count, regions, work);
}

/// As [`share_all`], with the results in the order of the parts.
pub fn collect<P: Send, R: Send>(parts: Vec<P>, work: &(impl Fn(P) -> R + Sync)) -> Vec<R> {
    if threads(parts.len()) == 1 {
        return parts.into_iter().map(work).collect();
    }
    let mut results: Vec<Option<R>> = parts.iter().map(|_| None).collect();
    let places = parts.into_iter().zip(&mut results).collect();
    share_all(places, &|(part, place): (P, &mut Option<R>)| *place = Some(work(part)));
    // All are there: a part that panics has its caller panic, too.
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_part_is_worked_on_once_whatever_the_number_of_threads() {
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for count in [0, 1, 2, 5, 100] {
                let seen: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                let see = |part: usize| {
                    seen[part].fetch_add(1, Ordering::Relaxed);
                };
                pool.install(|| share(count, 0..count, &see));
                assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_parts() {
        let squares = collect((0..50_usize).collect(), &|part: usize| {
            std::thread::sleep(std::time::Duration::from_micros(50 - part as u64));
            part * part
        });
        assert!(squares.into_iter().eq((0..50).map(|part| part * part)));
    }

    #[test]
    fn work_within_work_ends() {
        let total = AtomicUsize::new(0);
        share(9, 0..9_usize, &|_| {
            share(9, 0..9_usize, &|part| {
                total.fetch_add(part, Ordering::Relaxed);
            });
        });
        assert_eq!(total.into_inner(), 9 * 36);
    }

    #[test]
    fn a_panic_of_a_part_reaches_the_caller() {
        let work = || share(20, 0..20_usize, &|part| assert!(part != 11, "eleven"));
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    }

    #[test]
    fn parts_of_a_region_that_panics_are_left_and_others_are_done() {
        struct Ends(usize);
        impl Iterator for Ends {
            type Item = usize;

            fn next(&mut self) -> Option<usize> {
                assert!(self.0 > 0, "no more");
                self.0 -= 1;
                Some(self.0)
            }
        }
        let seen = AtomicUsize::new(0);
        let see = |_| {
            seen.fetch_add(1, Ordering::Relaxed);
        };
        let regions = || [Ends(3), Ends(0), Ends(5)].into_iter();
        let work = || share_regions(usize::MAX, regions(), &see);
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
        assert!(seen.into_inner() <= 8);
        // And the next call is as any.
        results_are_in_the_order_of_the_parts();
    }

    /// Of callers that are threads of rayon's and others, with parts that panic and parts that call again.
    #[test]
    fn callers_of_all_kinds_at_once_get_their_own_results() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let work = |caller: usize| {
            for round in 0..if cfg!(miri) { 2 } else { 200 } {
                let number = |part: usize| part * 1000 + caller * 100 + round % 7;
                let inner = |part: usize| collect(vec![part; 3], &number);
                let all = collect((0..20).collect(), &|part: usize| match part % 5 {
                    0 => inner(part),
                    _ => vec![number(part); 3],
                });
                assert!(all.into_iter().enumerate().all(|(part, of)| of == [number(part); 3]));
                let panics = || collect((0..9).collect(), &|part: usize| assert_ne!(part, 4));
                if round % 10 == 0 {
                    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
                }
            }
        };
        std::thread::scope(|scope| {
            for caller in 0..3 {
                scope.spawn(move || work(caller));
            }
            scope.spawn(|| pool.install(|| work(3)));
            scope.spawn(|| rayon::scope(|_| work(4)));
        });
    }

    #[test]
    fn little_work_is_one_part() {
        assert_eq!(grain(10_000, 12, 1), usize::MAX);
        assert_eq!(grain(10_000, 8, 2 * 41), usize::MAX);
        assert_eq!(grain(0, 8, 0), usize::MAX);
        assert_eq!(grain(1, 0, 0), usize::MAX);
        assert!(grain(1_000_000, 12, 1) < 100_000);
        assert!(grain(1_000_000, 8, 2 * 1001) < 1_000);
        assert!(grain(usize::MAX, usize::MAX, usize::MAX) >= 1);
    }
}
