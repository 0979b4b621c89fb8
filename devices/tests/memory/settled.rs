//! After everything is dropped and the device synchronised nothing counts as in use.

use std::thread;

use arrayspan_devices::staging::{self, Settings};
use arrayspan_devices::{Device, Memory};

use super::{MIB, gpus, host, turn};

#[test]
fn page_locked_memory_is_in_use_only_while_somebody_uses_it() {
    let _turn = turn();
    let before = staging::settings();
    staging::configure(Settings { processors: true, ..before });
    for device in gpus() {
        device.trim_pinned(0).unwrap();
        thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || {
                    let stream = device.new_stream().unwrap();
                    let bytes = 9 * MIB + seed;
                    let far = Memory::allocate(bytes, &stream).unwrap();
                    // From pageable memory, by way of a buffer of its own.
                    // SAFETY: nobody looks into either block.
                    unsafe { host(vec![1; bytes]).copy_to(0, &far, 0, bytes, &stream).unwrap() };
                    let near = Memory::pinned(bytes, device).unwrap();
                    // SAFETY: as above.
                    unsafe { far.copy_to(0, &near, 0, bytes, &stream).unwrap() };
                });
            }
        });
        device.synchronize().unwrap();
        // Without waiting for anything else.
        let statistics = device.pinned_statistics();
        assert_eq!((statistics.blocks, statistics.active_bytes), (0, 0), "{device}");
        assert_eq!(statistics.cached_bytes, statistics.bytes, "{device}: {statistics:?}");
        let of_host = Device::cpu().statistics();
        assert_eq!((of_host.live_bytes, of_host.foreign_bytes), (0, 0), "{device}");
        assert_eq!(device.statistics().live_bytes, 0, "{device}");
        device.trim_pinned(0).unwrap();
        assert_eq!(device.pinned_statistics().bytes, 0, "{device}");
    }
    staging::configure(before);
}
