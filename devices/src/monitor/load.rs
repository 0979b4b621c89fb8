//! Which of several devices is the least loaded.

use std::cmp::Reverse;

/// How busy and how full a device is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Percent of the time a kernel ran, where known.
    pub utilisation: Option<u32>,
    /// Bytes nobody holds, where known.
    pub free_bytes: Option<usize>,
}

/// The place of the device that is least busy; of equally busy ones, that with most free memory; of those,
/// the first. Utilisation counts only if it is known of all: an unknown one is not zero. `None` for none.
#[must_use]
pub fn least_used(loads: &[Load]) -> Option<usize> {
    let known = loads.iter().all(|load| load.utilisation.is_some());
    let busy = |load: &Load| load.utilisation.filter(|_| known);
    let rank = |(_, load): &(usize, &Load)| (busy(load), Reverse(load.free_bytes));
    loads.iter().enumerate().min_by_key(rank).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(utilisation: impl Into<Option<u32>>, free_bytes: impl Into<Option<usize>>) -> Load {
        Load { utilisation: utilisation.into(), free_bytes: free_bytes.into() }
    }

    #[test]
    fn the_idle_device_wins_over_the_empty_one() {
        assert_eq!(least_used(&[load(90, 100), load(3, 50), load(40, 70)]), Some(1));
    }

    #[test]
    fn of_equally_busy_devices_the_emptiest_wins() {
        assert_eq!(least_used(&[load(0, 10), load(0, 30), load(0, 20)]), Some(1));
    }

    #[test]
    fn of_equal_devices_the_first_wins() {
        assert_eq!(least_used(&[load(0, 10), load(0, 10)]), Some(0));
        assert_eq!(least_used(&[load(None, None), load(None, None)]), Some(0));
    }

    #[test]
    fn without_all_utilisations_free_memory_decides() {
        assert_eq!(least_used(&[load(0, 10), load(None, 30)]), Some(1));
        assert_eq!(least_used(&[load(None, None), load(None, 1)]), Some(1));
    }

    #[test]
    fn of_no_devices_none_is_least_used() {
        assert_eq!(least_used(&[]), None);
    }
}
