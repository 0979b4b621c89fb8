//! The threads that copy host memory for a device. Each device has its own, so that none waits for another's copies.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::moving::HostCopy;
use super::task::{Division, Task};

/// The least and the most that a thread copies at a time. Less does not pay for a thread; after more the last of several
/// threads would be waited for too long.
const LEAST: usize = 64 << 10;
const MOST: usize = 256 << 10;
/// Pieces end where pages do, so that no two threads make the system provide the same one.
const PAGE: usize = 4096;
/// A thread that is woken wakes as many others, while there is something for them.
const WAKES: usize = 2;

/// The threads of a device, as many as anyone has asked for so far. They sleep while there is nothing to copy.
#[derive(Debug, Default)]
pub(super) struct Workers {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Copies of which pieces may be left, the oldest first.
    queue: VecDeque<Arc<Task>>,
    threads: usize,
    sleeping: usize,
    working: usize,
    /// How many may work at once.
    most: usize,
}

/// How a copy is divided among threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharing {
    /// How many threads copy at once, the calling one included.
    pub(super) threads: usize,
    /// The pages of the target, of which each is to be touched first by one thread alone.
    pub(super) page: usize,
    pub(super) how: HostCopy,
}

/// A copy under way. Its drop waits for its end.
pub(super) struct Copying(Arc<Task>);

impl Workers {
    /// Begins a copy.
    ///
    /// # Safety
    /// Both ranges are valid and apart; until the copy is waited for or dropped, which must happen, nobody writes the one or
    /// touches the other.
    pub(super) unsafe fn copy(
        &'static self,
        from: *const u8,
        to: *mut u8,
        bytes: usize,
        sharing: Sharing,
    ) -> Copying {
        let page = sharing.page.max(PAGE);
        let size = (bytes / sharing.threads).clamp(LEAST, MOST).next_multiple_of(page);
        let pieces = Division { bytes, size, skew: to.addr() % page };
        // SAFETY: the caller's contract; the drop of what is returned waits for the last piece.
        let task = unsafe { Task::new(from, to, pieces, sharing.how) };
        // The caller does its share when it waits.
        if sharing.threads > 1 {
            self.begin(&task, sharing);
        }
        Copying(task)
    }

    fn begin(&'static self, task: &Arc<Task>, sharing: Sharing) {
        let mut state = self.state.lock();
        state.most = sharing.threads - 1;
        state.queue.retain(|task| task.unclaimed() > 0);
        state.queue.push_back(task.clone());
        let short = state.most.saturating_sub(state.threads);
        self.start(&mut state, short);
        let woken = WAKES.min(state.idle());
        drop(state);
        self.wake(woken);
    }

    /// Starts threads. Fewer, should the system refuse: then the others, and those who wait, do more.
    fn start(&'static self, state: &mut State, threads: usize) {
        for _ in 0..threads {
            let builder = thread::Builder::new().name("arrayspan-staging".into());
            if let Err(error) = builder.spawn(|| self.serve()) {
                tracing::warn!(%error, "no thread to copy host memory with");
                return;
            }
            state.threads += 1;
        }
    }

    fn wake(&self, threads: usize) {
        for _ in 0..threads {
            self.work.notify_one();
        }
    }

    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            let Some(task) = state.take() else {
                state.sleeping += 1;
                self.work.wait(&mut state);
                state.sleeping -= 1;
                continue;
            };
            state.working += 1;
            let woken = if state.unclaimed() { WAKES.min(state.idle()) } else { 0 };
            MutexGuard::unlocked(&mut state, || {
                self.wake(woken);
                task.help();
                drop(task);
            });
            state.working -= 1;
        }
    }
}

impl State {
    /// The oldest copy of which something is left, for one thread more.
    fn take(&mut self) -> Option<Arc<Task>> {
        while self.queue.front().is_some_and(|task| task.unclaimed() == 0) {
            self.queue.pop_front();
        }
        if self.working < self.most { self.queue.front().cloned() } else { None }
    }

    fn unclaimed(&self) -> bool {
        self.queue.iter().any(|task| task.unclaimed() > 0)
    }

    /// Threads that sleep and may work.
    fn idle(&self) -> usize {
        self.sleeping.min(self.most.saturating_sub(self.working))
    }
}

impl Copying {
    /// Copies pieces until all are done: completes without any other thread, too.
    pub(super) fn wait(self) {
        drop(self);
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        self.0.finish();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn workers() -> &'static Workers {
        Box::leak(Box::default())
    }

    fn pattern(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect()
    }

    fn sharing(threads: usize) -> Sharing {
        Sharing { threads, page: PAGE, how: HostCopy::Cached }
    }

    #[test]
    fn every_byte_is_copied_once_by_any_number_of_threads() {
        for threads in [1, 2, 3, 7] {
            let workers = workers();
            for bytes in [1, PAGE - 1, LEAST, 2 * LEAST + 1, 3 * LEAST - 1, (1 << 20) + 3] {
                let from = pattern(bytes);
                let mut to = vec![0_u8; bytes + 2];
                // SAFETY: both live until the wait, and nobody else knows them.
                let copy = unsafe {
                    workers.copy(from.as_ptr(), to.as_mut_ptr().add(1), bytes, sharing(threads))
                };
                copy.wait();
                let around = (to[0], to[bytes + 1]);
                assert!(to[1..=bytes] == from && around == (0, 0), "{bytes} {threads}");
            }
            assert_eq!(workers.state.lock().threads, threads - 1);
        }
    }

    #[test]
    fn copies_of_several_threads_share_the_workers() {
        let workers = workers();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let from = pattern(500_000);
                    let mut to = vec![0_u8; from.len()];
                    for _ in 0..20 {
                        to.fill(0);
                        // SAFETY: as above.
                        let copy = unsafe {
                            workers.copy(from.as_ptr(), to.as_mut_ptr(), from.len(), sharing(3))
                        };
                        copy.wait();
                        assert!(to == from);
                    }
                });
            }
        });
        assert_eq!(workers.state.lock().threads, 2);
    }

    #[test]
    fn a_copy_that_nobody_waits_for_yet_is_done_by_the_workers() {
        let from = pattern(1 << 20);
        let mut to = vec![0_u8; from.len()];
        // SAFETY: as above.
        let copy =
            unsafe { workers().copy(from.as_ptr(), to.as_mut_ptr(), from.len(), sharing(3)) };
        let clock = Instant::now();
        while !copy.0.is_done() && clock.elapsed() < Duration::from_secs(60) {
            thread::yield_now();
        }
        assert!(copy.0.is_done());
        drop(copy);
        assert!(to == from);
    }
}
