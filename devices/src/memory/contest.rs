//! Whether it is worth looking for memory once more that other threads may have taken.

use std::thread;
use std::time::{Duration, Instant};

use crate::Device;
use crate::reclaim::{self, Stage};

/// After so long without any change none is expected any more.
const STILL: Duration = Duration::from_millis(32);

/// The longest time that a search goes on without having spilled anything itself.
const LONGEST: Duration = Duration::from_secs(2);

/// A search for memory in competition with other threads, which may take what was spilled for this one.
///
/// An array cannot be spilled while it is in use, which with many threads is often the case for a moment; and another
/// thread may allocate what a search has freed. As long as other threads make progress, more memory is expected to become
/// free soon.
#[derive(Debug)]
pub(super) struct Contest {
    device: Device,
    /// Allocations and releases of the device so far.
    seen: (usize, usize),
    pause: Duration,
    begin: Instant,
}

impl Contest {
    pub(super) fn begin(device: Device) -> Self {
        let (pause, begin) = (Duration::from_millis(1), Instant::now());
        Self { device, seen: changes(device), pause, begin }
    }

    /// Whether to look again: at once if something was spilled, else if arrays that may be spilled are in use and other
    /// threads do something within a pause, which grows.
    pub(super) fn goes_on(&mut self, spilled: bool) -> bool {
        if spilled {
            self.seen = changes(self.device);
            return true;
        }
        while self.begin.elapsed() < LONGEST && is_in_use(self.device) {
            let pause = self.pause;
            self.pause = (2 * pause).min(STILL);
            thread::sleep(pause);
            let now = changes(self.device);
            if now != self.seen {
                self.seen = now;
                return true;
            }
            if pause >= STILL {
                return false;
            }
        }
        false
    }
}

fn changes(device: Device) -> (usize, usize) {
    let statistics = device.0.counters.read();
    (statistics.allocations, statistics.frees)
}

/// Whether there are arrays that could be spilled, were they not in use.
fn is_in_use(device: Device) -> bool {
    let spills = reclaim::libraries().into_iter().filter(|library| library.stage() == Stage::Spill);
    let held = spills.filter_map(|library| library.holdings(device));
    held.map(|holdings| holdings.live_bytes).sum::<usize>() > 0
}
