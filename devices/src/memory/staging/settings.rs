//! The settings of staged copies.

use std::sync::OnceLock;

use parking_lot::RwLock;

/// How many threads of the host copy at once, for all devices together.
const THREADS: &str = "ARRAYSPAN_STAGING_THREADS";

/// The least and the most threads for a device that copies. One device's bus is full with the least on hosts measured so
/// far; four at once are quicker with the most, and with no more.
const THREADS_OF_DEVICE: (usize, usize) = (8, 12);

/// A larger chunk would lock more of the host's memory than any copy is worth.
const MOST_CHUNK: usize = 256 << 20;
/// More parts of a buffer would be more than the host and the device can be apart.
const MOST_SLOTS: usize = 64;

/// How pageable host memory gets to devices and back. The defaults suit GPUs behind PCI Express 4 or 5; other values
/// are for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Copies of fewer bytes are left to the driver.
    pub threshold: usize,
    /// The most bytes that move at once. Smaller copies take smaller chunks, so that their steps overlap.
    pub chunk: usize,
    /// How many chunks a buffer holds: some are filled while others are emptied.
    pub slots: usize,
    /// How many threads of the host copy at once for each device, the calling one included.
    pub threads: usize,
    /// How many do so for all devices together. Devices that copy at the same time share them evenly; each has one at
    /// least. Without `ARRAYSPAN_STAGING_THREADS`, which sets both numbers: three quarters of the host's cores, or eight
    /// where that is more and there are as many.
    pub most_threads: usize,
    /// Whether the host writes the caller's memory past the processor's caches. Page-locked buffers, which a device reads
    /// next, it never writes so.
    pub past_caches: bool,
    /// Whether the system is asked for large pages under host memory that a staged copy writes (Linux: `madvise`).
    /// Memory that nobody has touched is then provided several times faster; it may come to hold up to 4 MiB more.
    pub large_pages: bool,
    /// Whether copies with processors behind a device API are staged, too. They use the host's memory as it is, so
    /// this costs time and shows that the steps are right.
    pub processors: bool,
}

/// The settings now.
#[must_use]
pub fn settings() -> Settings {
    *current().read()
}

/// Replaces the settings for the whole process. Copies under way keep theirs. Zero counts as
/// one (of slots as two), a chunk above 256 MiB as that, more than 64 slots as 64.
///
/// ```
/// use arrayspan_devices::staging::{self, Settings};
///
/// staging::configure(Settings { threads: 4, ..staging::settings() });
/// assert_eq!(staging::settings().threads, 4);
/// ```
pub fn configure(new: Settings) {
    *current().write() = Settings {
        threshold: new.threshold.max(1),
        chunk: new.chunk.clamp(1, MOST_CHUNK),
        slots: new.slots.clamp(2, MOST_SLOTS),
        threads: new.threads.max(1),
        most_threads: new.most_threads.max(1),
        ..new
    };
}

fn current() -> &'static RwLock<Settings> {
    static CURRENT: OnceLock<RwLock<Settings>> = OnceLock::new();
    CURRENT.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let told = std::env::var(THREADS).ok();
        let given = told.as_deref().map(number);
        if given == Some(None) {
            tracing::warn!("{THREADS} is not a number above zero: ignored");
        }
        let (threads, most_threads) = numbers(cores, given.flatten());
        RwLock::new(Settings {
            threshold: 4 << 20,
            chunk: 8 << 20,
            slots: 4,
            threads,
            most_threads,
            past_caches: true,
            large_pages: true,
            processors: false,
        })
    })
}

/// Threads for each device and for all, on a host with so many cores.
fn numbers(cores: usize, given: Option<usize>) -> (usize, usize) {
    let (least, most) = THREADS_OF_DEVICE;
    let threads = (cores * 3 / 8).clamp(least, most).min(cores);
    given.map_or((threads, threads.max(cores * 3 / 4)), |given| (given, given))
}

fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|threads| *threads > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_threads_is_read_and_nonsense_is_not() {
        assert_eq!(number(" 12 "), Some(12));
        for text in ["", "0", "-1", "many"] {
            assert_eq!(number(text), None, "{text:?}");
        }
    }

    #[test]
    fn threads_grow_with_the_cores_and_a_given_number_is_that_of_all() {
        let expected = [(1, 1, 1), (2, 2, 2), (9, 8, 8), (16, 8, 12), (32, 12, 24), (64, 12, 48)];
        for (cores, each, all) in expected {
            assert_eq!(numbers(cores, None), (each, all), "{cores} cores");
        }
        assert_eq!((numbers(2, Some(24)), numbers(64, Some(3))), ((24, 24), (3, 3)));
    }
}
