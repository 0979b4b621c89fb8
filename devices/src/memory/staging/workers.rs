//! Threads that copy host memory, a few pages each at a time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use parking_lot::{Condvar, Mutex};

/// The fewest bytes for which a further thread pays.
const LEAST: usize = 64 << 10;
/// Parts begin at pages, so that no two threads make the kernel provide the same one.
const PAGE: usize = 4096;

/// The threads of the process, as many as anyone has asked for so far. They sleep while there is nothing to copy.
static WORKERS: Workers =
    Workers { queue: Mutex::new(VecDeque::new()), work: Condvar::new(), threads: Mutex::new(0) };

struct Workers {
    queue: Mutex<VecDeque<Part>>,
    work: Condvar,
    threads: Mutex<usize>,
}

/// A part of a copy that one thread does.
struct Part {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    copy: Arc<State>,
}

// SAFETY: who queued the part keeps both ranges valid, and to this copy alone, until it is done (`copy`).
unsafe impl Send for Part {}

#[derive(Default)]
struct State {
    /// Parts that are not done.
    left: Mutex<usize>,
    done: Condvar,
}

/// A copy under way. Its drop waits for its end.
pub(super) struct Copying(Arc<State>);

/// Begins a copy of `bytes` bytes that up to `threads` threads do together.
///
/// # Safety
/// Both ranges are valid and apart; until the copy is waited for or dropped, which must happen, nobody writes the one or
/// touches the other.
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize, threads: usize) -> Copying {
    let parts = (bytes / LEAST).clamp(1, threads);
    let size = bytes.div_ceil(parts).next_multiple_of(PAGE);
    let starts = (0..bytes).step_by(size);
    let state = Arc::new(State { left: Mutex::new(starts.len()), done: Condvar::new() });
    // The caller does its share when it waits.
    WORKERS.ensure(threads - 1);
    let mut queue = WORKERS.queue.lock();
    queue.extend(starts.map(|start| Part {
        from: from.wrapping_add(start),
        to: to.wrapping_add(start),
        bytes: size.min(bytes - start),
        copy: state.clone(),
    }));
    drop(queue);
    WORKERS.work.notify_all();
    Copying(state)
}

impl Copying {
    /// Copies parts until all are done: completes without any other thread, too.
    pub(super) fn wait(self) {
        drop(self);
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        while *self.0.left.lock() > 0 {
            let part = WORKERS.queue.lock().pop_front();
            if let Some(part) = part {
                part.perform();
                continue;
            }
            // Other threads copy the remaining parts.
            let mut left = self.0.left.lock();
            while *left > 0 {
                self.0.done.wait(&mut left);
            }
        }
    }
}

impl Part {
    fn perform(self) {
        // SAFETY: by the contract of `copy` both ranges are valid and apart, and nobody else uses them before the count
        // below says that this part is done. Parts of one copy do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(self.from, self.to, self.bytes) };
        let mut left = self.copy.left.lock();
        *left -= 1;
        if *left == 0 {
            self.copy.done.notify_all();
        }
    }
}

impl Workers {
    /// Has that many threads started. Fewer, should the system refuse: then the others, and those who wait, do more.
    fn ensure(&'static self, wanted: usize) {
        let mut threads = self.threads.lock();
        while *threads < wanted {
            let builder = thread::Builder::new().name("arrayspan-staging".into());
            if let Err(error) = builder.spawn(|| self.serve()) {
                tracing::warn!(%error, "no thread to copy host memory with");
                return;
            }
            *threads += 1;
        }
    }

    fn serve(&self) {
        let mut queue = self.queue.lock();
        loop {
            let Some(part) = queue.pop_front() else {
                self.work.wait(&mut queue);
                continue;
            };
            drop(queue);
            part.perform();
            queue = self.queue.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * 7 + i / 256) as u8).collect()
    }

    #[test]
    fn every_byte_is_copied_once_by_any_number_of_threads() {
        for bytes in [1, PAGE - 1, LEAST, 2 * LEAST + 1, 3 * LEAST - 1, (1 << 20) + 3] {
            for threads in [1, 2, 3, 7] {
                let from = pattern(bytes);
                let mut to = vec![0_u8; bytes + 2];
                // SAFETY: both live until the wait, and nobody else knows them.
                unsafe { copy(from.as_ptr(), to.as_mut_ptr().add(1), bytes, threads) }.wait();
                assert!(
                    to[1..=bytes] == from && to[0] == 0 && to[bytes + 1] == 0,
                    "{bytes} {threads}"
                );
            }
        }
    }

    #[test]
    fn copies_of_several_threads_share_the_workers() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let from = pattern(500_000);
                    let mut to = vec![0_u8; from.len()];
                    for _ in 0..20 {
                        to.fill(0);
                        // SAFETY: as above.
                        unsafe { copy(from.as_ptr(), to.as_mut_ptr(), from.len(), 3) }.wait();
                        assert!(to == from);
                    }
                });
            }
        });
    }
}
