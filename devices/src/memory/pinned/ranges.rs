//! Which host memory is page-locked, and for whom.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use crate::{Device, DeviceKind};

/// Page-locked ranges by their first address. They never overlap.
static RANGES: RwLock<BTreeMap<usize, Range>> = RwLock::new(BTreeMap::new());

#[derive(Clone, Copy, Debug)]
struct Range {
    end: usize,
    device: Device,
}

impl Range {
    /// CUDA's are locked for all its devices ("portable"); an `OpenCL` context knows its own only.
    fn serves(&self, device: Device) -> bool {
        self.device == device
            || self.device.kind() == DeviceKind::Cuda && device.kind() == DeviceKind::Cuda
    }
}

/// Takes note of a range locked for `device`; `false`, having done nothing, if it overlaps one that is known.
pub(super) fn insert(address: usize, bytes: usize, device: Device) -> bool {
    let mut ranges = RANGES.write();
    let end = address + bytes;
    let before = ranges.range(..end).next_back();
    if before.is_some_and(|(_, range)| range.end > address) {
        return false;
    }
    ranges.insert(address, Range { end, device });
    true
}

pub(super) fn remove(address: usize) {
    RANGES.write().remove(&address);
}

/// Whether all of the bytes are locked for `device`, as far as arrayspan has done it.
pub(super) fn covers(address: usize, bytes: usize, device: Device) -> bool {
    let ranges = RANGES.read();
    let around = ranges.range(..=address).next_back();
    around.is_some_and(|(_, range)| address + bytes <= range.end && range.serves(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_covers_what_lies_within_and_refuses_what_overlaps() {
        // Addresses no allocator gives out.
        let (cpu, base) = (Device::cpu(), 0x100);
        assert!(insert(base, 100, cpu));
        for (at, bytes) in [(base, 100), (base + 99, 1), (base - 5, 6), (base - 5, 200)] {
            assert!(!insert(at, bytes, cpu), "{at} {bytes}");
        }
        assert!(insert(base + 100, 10, cpu) && insert(base - 5, 5, cpu));
        assert!(covers(base, 100, cpu) && covers(base + 99, 1, cpu) && covers(base + 7, 0, cpu));
        assert!(!covers(base + 50, 51, cpu), "across two ranges");
        assert!(!covers(base + 110, 1, cpu) && !covers(base - 6, 1, cpu));
        for at in [base, base + 100, base - 5] {
            remove(at);
        }
        assert!(!covers(base, 1, cpu));
    }
}
