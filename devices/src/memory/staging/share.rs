//! How many threads each device may have copy.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::settings::Settings;

/// Devices of which a copy is staged now.
static COPYING: AtomicUsize = AtomicUsize::new(0);

/// A device begins to copy.
pub(super) fn enter() {
    COPYING.fetch_add(1, Relaxed);
}

/// A device copies no more.
pub(super) fn leave() {
    COPYING.fetch_sub(1, Relaxed);
}

/// Threads for a copy of a device that copies.
pub(super) fn threads(settings: &Settings) -> usize {
    among(settings, COPYING.load(Relaxed))
}

/// Threads of each of so many devices.
fn among(settings: &Settings, devices: usize) -> usize {
    settings.threads.min(settings.most_threads / devices.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staging::settings;

    #[test]
    fn threads_grow_with_the_devices_until_there_are_enough_and_are_then_shared_evenly() {
        let settings = Settings { threads: 8, most_threads: 32, ..settings() };
        let each = [0, 1, 2, 4, 5, 8, 40].map(|devices| among(&settings, devices));
        assert_eq!(each, [8, 8, 8, 8, 6, 4, 1]);
        let given = Settings { threads: 24, most_threads: 24, ..settings };
        assert_eq!([1, 2, 4].map(|devices| among(&given, devices)), [24, 12, 6]);
    }
}
