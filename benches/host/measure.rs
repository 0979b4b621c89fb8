//! How times are taken, and of what data.

use std::time::{Duration, Instant};

use arrayspan::operators::{LinearMap, Workspace};
use arrayspan::prelude::*;

use crate::data::lent;

pub(crate) type Failure = Box<dyn std::error::Error>;

/// How long runs of one row are timed, about.
const BUDGET: Duration = Duration::from_millis(200);

/// Median milliseconds of one `work`, after one that is not counted; that of the only one where it takes longer than
/// all should.
pub(crate) fn time(mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let begin = Instant::now();
    work()?;
    let first = begin.elapsed();
    if first > BUDGET {
        return Ok(first.as_secs_f64() * 1e3);
    }
    let begin = Instant::now();
    work()?;
    // Short calls are timed many at a time.
    let batch = (Duration::from_millis(2).as_secs_f64() / begin.elapsed().as_secs_f64()).max(1.0);
    let batch = batch as usize;
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || begin.elapsed() < BUDGET {
        let begin = Instant::now();
        for _ in 0..batch {
            work()?;
        }
        times.push(begin.elapsed().as_secs_f64() * 1e3 / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// A Ricker wavelet of so many samples.
pub(crate) fn wavelet(taps: i32) -> Vec<f64> {
    let value = |i: i32| {
        let a = (std::f64::consts::PI * 0.08 * f64::from(i) * 41.0 / f64::from(taps)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    (-taps / 2..taps - taps / 2).map(value).collect()
}

/// Which way an operator is applied.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Forward,
    Adjoint,
}

/// Median milliseconds of one application.
pub(crate) fn apply(
    make: &dyn Fn() -> Result<Operator, Failure>,
    way: Way,
) -> Result<f64, Failure> {
    let on = on(Device::cpu())?;
    let a = make()?;
    let (domain, range) = (a.domain(), a.range());
    let mut x = lent(domain.shape(), domain.dtype())?;
    let mut y = lent(range.shape(), range.dtype())?;
    let (mut workspace, set) = (Workspace::of(&a, &*on)?, Update::set());
    time(|| {
        match way {
            Way::Forward => a.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), set)?,
            Way::Adjoint => {
                a.apply_adjoint_with(&mut workspace, &*on, y.view(), x.view_mut(), set)?;
            }
        }
        Ok(())
    })
}

/// GB/s at which so many threads copy memory, reading and writing counted.
pub(crate) fn memory_rate(threads: usize) -> f64 {
    const LEN: usize = 1 << 25;
    let from = vec![1.0f64; LEN];
    let mut to = vec![2.0f64; LEN];
    let share = LEN.div_ceil(threads);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for (from, to) in from.chunks(share).zip(to.chunks_mut(share)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        best = best.min(begin.elapsed().as_secs_f64());
    }
    2.0 * (LEN * size_of::<f64>()) as f64 / best / 1e9
}
