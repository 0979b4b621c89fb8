//! How measurements are taken.

use std::time::Instant;

use arrayspan_kernels::Executor;

/// How often calls are timed.
const TIMES: usize = 7;

/// Milliseconds of a call, the least of several times.
pub(crate) fn milliseconds(on: &dyn Executor, calls: usize, call: &mut dyn FnMut()) -> f64 {
    call();
    call();
    on.stream().synchronize().unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let begin = Instant::now();
        (0..calls).for_each(|_| call());
        on.stream().synchronize().unwrap();
        least = least.min(begin.elapsed().as_secs_f64() * 1e3 / calls as f64);
    }
    least
}
