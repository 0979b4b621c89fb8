//! The settings of staged copies.

use std::sync::OnceLock;

use parking_lot::RwLock;

/// How many threads of the host copy at once at most.
const THREADS: &str = "ARRAYSPAN_STAGING_THREADS";

/// More threads than this gain nothing on hosts measured so far.
const MOST_THREADS: usize = 8;

/// A larger chunk would lock more of the host's memory than any copy is worth.
const MOST_CHUNK: usize = 256 << 20;

/// How pageable host memory gets to devices and back. The defaults suit a GPU behind PCI Express 4 or 5; other values
/// are for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Copies of fewer bytes are left to the driver.
    pub threshold: usize,
    /// The most bytes that move at once. Smaller copies take smaller chunks, so that their steps overlap.
    pub chunk: usize,
    /// How many threads of the host copy, the calling one included.
    pub threads: usize,
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
/// one, a chunk above 256 MiB as that.
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
        threads: new.threads.max(1),
        ..new
    };
}

fn current() -> &'static RwLock<Settings> {
    static CURRENT: OnceLock<RwLock<Settings>> = OnceLock::new();
    CURRENT.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let told = std::env::var(THREADS).ok();
        let threads = told.as_deref().map_or(Some(cores.min(MOST_THREADS)), threads);
        let threads = threads.unwrap_or_else(|| {
            tracing::warn!("{THREADS} is not a number above zero: ignored");
            cores.min(MOST_THREADS)
        });
        RwLock::new(Settings {
            threshold: 4 << 20,
            chunk: 8 << 20,
            threads,
            large_pages: true,
            processors: false,
        })
    })
}

fn threads(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|threads| *threads > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_threads_is_read_and_nonsense_is_not() {
        assert_eq!(threads(" 12 "), Some(12));
        for text in ["", "0", "-1", "many"] {
            assert_eq!(threads(text), None, "{text:?}");
        }
    }
}
