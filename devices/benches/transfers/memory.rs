//! How fast the host copies its own memory, which every byte of a staged copy passes through.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::{MIB, size};

/// Bytes that each thread copies at a time, from one block of its own to another: together far more than caches hold.
const BLOCK: usize = 64 * MIB;
const ROUNDS: usize = 5;

/// GB/s by threads; a copied byte counts once, and is read once and written once at least.
pub(crate) fn table() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("\nthe host's own memory, {} of each thread, GB/s copied", size(BLOCK));
    for threads in [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128] {
        if threads <= cores {
            println!("{threads:>8} threads | {:6.1}", rate(threads));
        }
    }
}

fn rate(threads: usize) -> f64 {
    let barrier = Barrier::new(threads + 1);
    let mut least = Duration::MAX;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (from, mut to) = (vec![1_u8; BLOCK], vec![2_u8; BLOCK]);
                for _ in 0..ROUNDS {
                    barrier.wait();
                    to.copy_from_slice(&from);
                    barrier.wait();
                }
                std::hint::black_box(to);
            });
        }
        for _ in 0..ROUNDS {
            barrier.wait();
            let clock = Instant::now();
            barrier.wait();
            least = least.min(clock.elapsed());
        }
    });
    (threads * BLOCK) as f64 / least.as_secs_f64() / 1e9
}
