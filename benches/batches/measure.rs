//! Times of runs.

use std::time::{Duration, Instant};

use arrayspan::pipeline::batch::BatchReport;
use arrayspan::prelude::*;

use super::Failure;

/// Runs counted, and runs before them.
const RUNS: usize = 10;
const WARM_UP: usize = 2;

/// What a figure runs, and how long it took.
type Once<'a> = dyn FnMut() -> Result<BatchReport, Failure> + 'a;

/// The time of the best of some runs.
pub(super) fn quickest(once: &mut Once<'_>) -> Result<Duration, Failure> {
    let mut best = Duration::MAX;
    for run in 0..=RUNS / 2 {
        let begin = Instant::now();
        once()?;
        if run > 0 {
            best = best.min(begin.elapsed());
        }
    }
    Ok(best)
}

/// Runs `once` as often as is needed, and prints its times.
pub(super) fn measure(name: &str, once: &mut Once<'_>) -> Result<Duration, Failure> {
    for _ in 0..WARM_UP {
        once()?;
    }
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let begin = Instant::now();
        let report = once()?;
        runs.push((begin.elapsed(), report));
    }
    runs.sort_by_key(|(time, _)| *time);
    let (best, report) = &runs[0];
    let [least, median] = [best, &runs[RUNS / 2].0].map(|time| time.as_secs_f64() * 1e3);
    println!("{name}: best {least:.1} ms, median {median:.1} ms");
    println!("{report}\n");
    Ok(*best)
}
