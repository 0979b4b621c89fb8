//! How threads share the results of a reduction.

use super::combine::MOST_PARTS;

/// How threads share the results of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Groups {
    /// Threads of a group.
    pub(super) threads: usize,
    /// Those of them that share a result, a power of two.
    pub(super) ways: usize,
    /// Runs that a thread loads together.
    pub(super) at_once: usize,
}

/// What there is to share.
pub(super) struct Work {
    pub(super) results: usize,
    /// Runs of each result.
    pub(super) steps: usize,
    /// Whether threads of one result have consecutive numbers, rather than those of consecutive results.
    pub(super) along: bool,
    /// The bytes of a run, of all inputs.
    pub(super) bytes: usize,
}

/// Runs of a result that a thread should have, at least, where its threads lie along it and there are results enough.
const RUNS_ALONG: usize = 24;
/// Bytes that those threads take together, at least.
const BYTES_ALONG: usize = 64;
/// Threads that share a result along which they lie, at most.
const MOST_ALONG: usize = 256;
/// Bytes that a thread has on their way, at most; more do not fit its registers.
const BYTES_AT_ONCE: usize = 128;
/// Runs of a thread at once, at most; fewer leave room for more threads.
const MOST_AT_ONCE: usize = 8;
/// Threads of a multiprocessor that have something to do: for results along which they lie, at least; for others as many as it
/// holds, or as it holds if each has the most on its way.
const BUSY_ALONG: usize = 512;
const BUSY_ACROSS: usize = 2048;
const BUSY_AT_ONCE: usize = 1536;
/// Runs each thread of a group should have before another group shares a result.
const RUNS_OF_THREAD: usize = 4;
/// Neighbouring results of a group, at least: what memory moves at once holds so many.
const NEIGHBOURS: usize = 16;
/// Threads of a group; of one whose threads are all needed for its few results.
const THREADS: usize = 256;
const MOST_THREADS: usize = 1024;

impl Groups {
    /// For a device with so many multiprocessors, and at most so many threads in a group. Measured on an H200.
    pub(super) fn new(work: &Work, units: usize, most_threads: usize) -> Self {
        let Work { results, steps, along, bytes } = *work;
        // Some devices take groups of 384 threads, and threads are joined by halves.
        let most_threads = below(most_threads.clamp(THREADS, MOST_THREADS));
        let (threads, ways) = if along {
            let useful = steps.div_ceil(4).next_power_of_two().min(MOST_ALONG);
            let least = (BYTES_ALONG / bytes).next_power_of_two().min(steps.next_power_of_two());
            let busy = below(units * BUSY_ALONG / results).min(useful);
            (THREADS, below(steps / RUNS_ALONG).max(least).max(busy).min(MOST_ALONG))
        } else {
            let busy = below(units * BUSY_ACROSS / results);
            let useful = steps.div_ceil(MOST_AT_ONCE).next_power_of_two();
            let ways = busy.min(useful).min(most_threads / NEIGHBOURS);
            ((ways * 2 * NEIGHBOURS).clamp(THREADS, most_threads), ways)
        };
        // Few runs are loaded at once, and where threads across results would not all have room with more.
        let few = steps.div_ceil(ways) < 3 * MOST_AT_ONCE;
        let full = !along && results.saturating_mul(ways) > units * BUSY_AT_ONCE;
        let most = if few || full { MOST_AT_ONCE / 2 } else { MOST_AT_ONCE };
        Self { threads, ways, at_once: (BYTES_AT_ONCE / bytes).clamp(1, most) }
    }

    /// Results of a group.
    pub(super) fn columns(&self) -> usize {
        self.threads / self.ways
    }

    /// The parts that groups make of each result, of so many moments each, if they share results at all.
    pub(super) fn parts(&self, work: &Work, moments: usize, units: usize) -> usize {
        let most = MOST_PARTS / (work.results * moments).max(1);
        let useful = work.steps.div_ceil(self.ways * RUNS_OF_THREAD);
        let groups = work.results.div_ceil(self.columns());
        useful.min((8 * units).div_ceil(groups)).clamp(1, most.max(1))
    }

    /// Whether so few groups have results of their own that others help them, each with enough to do.
    pub(super) fn are_few(&self, work: &Work, units: usize) -> bool {
        let groups = work.results.div_ceil(self.columns());
        2 * groups <= units && work.steps >= 4 * self.ways * self.at_once
    }
}

/// The largest power of two that is no larger, at least 1.
fn below(number: usize) -> usize {
    1 << number.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_threads_for_each_result_and_a_full_share_of_neighbours() {
        for along in [false, true] {
            for results in [1, 3, 16, 17, 1000, 8191, 164_737, 1 << 30] {
                for steps in [1, 2, 5, 256, 641, 8000, 1 << 24] {
                    for bytes in [4, 16, 32, 80] {
                        let work = Work { results, steps, along, bytes };
                        for most_threads in [64, 256, 384, 512, 768, 4096] {
                            let groups = Groups::new(&work, 132, most_threads);
                            let Groups { threads, ways, at_once } = groups;
                            assert!(ways.is_power_of_two() && threads.is_multiple_of(ways));
                            assert!(threads <= most_threads.max(THREADS) && at_once > 0);
                            assert!(along || groups.columns() >= NEIGHBOURS);
                            let parts = groups.parts(&work, 1, 132);
                            assert!(parts == 1 || parts * results <= MOST_PARTS);
                        }
                    }
                }
            }
        }
    }
}
