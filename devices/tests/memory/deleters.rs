//! A function of another library that gives memory back may take any lock and any time: who asks for memory does not
//! wait for it without bound, and what is ours does not wait for it at all.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use arrayspan_devices::retry::Stage;
use arrayspan_devices::{
    Argument, Device, Error, Grid, KernelSource, Limit, Memory, Stream, drain, drain_for,
};

use super::{MIB, gpus, turn};

/// Far more than anything here may take.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Counts in a way compilers cannot shorten.
const SLOW: &str = "\
KERNEL slow(i64 rounds, GLOBAL u32* x) {
  for (i64 i = GID(0); i < 1000; i += GSZ(0)) {
    u32 state = 12345u + (u32)i;
    for (i64 k = 0; k < rounds; ++k) state = state * 1664525u + 1013904223u;
    x[i] = state;
  }
}";

/// Queues work that writes `x` and takes some milliseconds.
fn keep_busy(x: &Memory, stream: &Stream) {
    let kernel = stream.device().kernel(&KernelSource::new("slow", "slow", SLOW)).unwrap();
    let grid = Grid { groups: [16, 1, 1], threads: [64, 1, 1] };
    let arguments = [Argument::I64(300_000), Argument::Write(x)];
    // SAFETY: as SLOW declares; the block holds 1000 numbers and more.
    unsafe { stream.launch(&kernel, grid, &arguments).unwrap() };
}

/// A deleter that waits until it is let go of.
struct Stuck {
    ends: Arc<Mutex<()>>,
    began: Receiver<()>,
    done: Arc<AtomicBool>,
}

impl Stuck {
    /// Lends a block of the device and gives it back under work, with a deleter that takes the lock.
    fn on(device: Device, ends: &Arc<Mutex<()>>) -> Self {
        let stream = device.new_stream().unwrap();
        let owner = Memory::allocate(4096, &stream).unwrap();
        let (tell, began) = channel();
        let done = Arc::new(AtomicBool::new(false));
        let (address, lock, flag) = (owner.address(), ends.clone(), done.clone());
        let release = move || {
            tell.send(()).unwrap();
            drop(lock.lock().unwrap());
            drop(owner);
            flag.store(true, SeqCst);
        };
        // SAFETY: `owner` keeps the memory alive until `release` runs and is not used before that.
        let lent = unsafe { Memory::from_foreign(device, address, 4096, Box::new(release)) };
        keep_busy(&lent, &stream);
        drop(lent);
        Self { ends: ends.clone(), began, done }
    }

    fn is_done(&self) -> bool {
        self.done.load(SeqCst)
    }
}

/// Runs on a thread of its own what must come to an end.
fn ends<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = channel();
    let thread = thread::spawn(move || tell.send(work()).unwrap());
    let done = told.recv_timeout(WATCHDOG).unwrap_or_else(|_| panic!("{what} hangs"));
    thread.join().unwrap();
    done
}

/// Asks for more than the limit while half of it is in use: how long waiting for queued work took in that recovery.
fn refused(device: Device) -> Duration {
    let stream = device.new_stream().unwrap();
    device.trim(0).unwrap();
    let _held = Memory::allocate(8 * MIB, &stream).unwrap();
    device.set_limit(Some(Limit::Bytes(device.pool().reserved + 2 * MIB))).unwrap();
    let error = Memory::allocate(8 * MIB, &stream).unwrap_err();
    device.set_limit(None).unwrap();
    let Error::OutOfMemory { tried, .. } = error else { panic!("{error}") };
    let waited = tried.iter().filter(|step| step.stage == Stage::Drain);
    waited.map(|step| step.took).sum()
}

#[test]
fn a_recovery_ends_though_a_deleter_wants_a_lock_that_the_caller_holds() {
    let _turn = turn();
    for device in gpus() {
        for asked in [device, Device::cpu()] {
            let stuck = ends("a recovery under a lock", move || {
                let lock = Arc::new(Mutex::new(()));
                let held = lock.lock().unwrap();
                let stuck = Stuck::on(device, &lock);
                stuck.began.recv_timeout(WATCHDOG).unwrap();
                let first = refused(asked);
                assert!(!stuck.is_done(), "it waits for the lock");
                // Later ones find the same deleter where it was and leave it there. Whoever waits for it does so for
                // two seconds each time; a busy machine holds one or another up.
                let later: Vec<Duration> = (0..4).map(|_| refused(asked)).collect();
                let quick = later.iter().any(|took| *took < Duration::from_secs(1));
                assert!(quick, "{asked}: {first:?}, then {later:?}");
                drop(held);
                stuck
            });
            drain();
            assert!(stuck.is_done(), "{device}");
        }
    }
}

#[test]
fn what_is_ours_comes_back_behind_a_deleter_that_does_not_end() {
    let _turn = turn();
    for device in gpus() {
        let lock = Arc::new(Mutex::new(()));
        let before = device.pinned_statistics().blocks;
        let held = lock.lock().unwrap();
        let stuck = Stuck::on(device, &lock);
        stuck.began.recv_timeout(WATCHDOG).unwrap();
        let stream = device.new_stream().unwrap();
        let far = Memory::allocate(4096, &stream).unwrap();
        keep_busy(&far, &stream);
        let near = Memory::pinned(4096, device).unwrap();
        // SAFETY: nobody looks into either block.
        unsafe { far.copy_to(0, &near, 0, 4096, &stream).unwrap() };
        drop(near);
        device.synchronize().unwrap();
        assert_eq!(device.pinned_statistics().blocks, before, "{device}");
        assert!(!stuck.is_done(), "{device}");
        drop(held);
        drain();
        assert!(stuck.is_done() && Arc::strong_count(&stuck.ends) == 2, "{device}");
    }
}

#[test]
fn who_waits_for_releases_may_say_how_long() {
    let _turn = turn();
    for device in gpus() {
        let lock = Arc::new(Mutex::new(()));
        let held = lock.lock().unwrap();
        let stuck = Stuck::on(device, &lock);
        let begin = Instant::now();
        assert!(!drain_for(Duration::from_millis(50)), "{device}");
        assert!(begin.elapsed() < WATCHDOG, "{device}");
        drop(held);
        assert!(drain_for(WATCHDOG) && stuck.is_done(), "{device}");
    }
}
