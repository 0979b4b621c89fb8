//! A recovery goes by what a library has given back itself, not by what it holds while others come and go.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, Once};
use std::thread;

use arrayspan_devices::reclaim::{Holdings, Reclaim, Stage, register};
use arrayspan_devices::{Device, Limit, Memory, Result};

use super::limits::injected;
use super::{MIB, devices, turn};

/// Holds more each time it is asked how much: other threads give it blocks all the time.
#[derive(Debug)]
struct Busy {
    blocks: Mutex<Vec<Memory>>,
    asked: AtomicUsize,
}

static BUSY: Busy = Busy { blocks: Mutex::new(Vec::new()), asked: AtomicUsize::new(0) };

impl Busy {
    fn give(&self, block: Memory) {
        self.blocks.lock().unwrap().push(block);
    }
}

impl Reclaim for Busy {
    fn name(&self) -> &'static str {
        "busy"
    }

    fn stage(&self) -> Stage {
        Stage::Spill
    }

    fn holdings(&self, _: Device) -> Option<Holdings> {
        let reserved_bytes = self.asked.fetch_add(1, SeqCst) << 30;
        Some(Holdings { reserved_bytes, ..Holdings::default() })
    }

    fn release(&self, device: Device) -> Result<Option<usize>> {
        self.release_some(device, None)
    }

    fn release_some(&self, device: Device, _: Option<usize>) -> Result<Option<usize>> {
        let mut blocks = self.blocks.lock().unwrap();
        let found = blocks.iter().position(|block| block.device() == device);
        let block = found.map(|at| blocks.swap_remove(at));
        drop(blocks);
        Ok(Some(block.map_or(0, |block| block.bytes())))
    }
}

fn registered() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register(&BUSY));
}

#[test]
fn what_was_given_back_counts_though_as_much_has_come_meanwhile() {
    if injected() {
        return;
    }
    let _turn = turn();
    registered();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        device.set_limit(Some(Limit::Bytes(20 * MIB))).unwrap();
        for _ in 0..3 {
            BUSY.give(Memory::allocate(6 * MIB, &stream).unwrap());
        }
        drop(Memory::allocate(10 * MIB, &stream).unwrap());
        assert_eq!(BUSY.blocks.lock().unwrap().len(), 1, "{device}: no more than was needed");
        BUSY.blocks.lock().unwrap().clear();
    }
}

#[test]
fn threads_that_take_from_each_other_what_was_given_back_all_find_enough_in_the_end() {
    let _turn = turn();
    registered();
    for device in devices() {
        device.set_limit(Some(Limit::Bytes(20 * MIB))).unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let stream = device.new_stream().unwrap();
                    for _ in 0..50 {
                        // Four in use at once leave room; all that were given to the library do not.
                        let block = Memory::allocate(3 * MIB, &stream).unwrap();
                        BUSY.give(block);
                    }
                });
            }
        });
        BUSY.blocks.lock().unwrap().clear();
    }
}
