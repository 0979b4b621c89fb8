//! One copy of host memory that several threads do together, a piece each at a time.

use std::hint::spin_loop;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use parking_lot::{Condvar, Mutex};

use super::moving::HostCopy;

/// A part of `bytes` bytes that are divided every `size` bytes, the first time `skew < size` bytes sooner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) bytes: usize,
    pub(super) size: usize,
    pub(super) skew: usize,
}

impl Division {
    pub(super) fn parts(self) -> usize {
        (self.bytes + self.skew).div_ceil(self.size)
    }

    pub(super) fn part(self, number: usize) -> Range<usize> {
        let start = (number * self.size).saturating_sub(self.skew);
        start..((number + 1) * self.size - self.skew).min(self.bytes)
    }
}

/// A copy: what is to be done, and how much of it is.
#[derive(Debug)]
pub(super) struct Task {
    from: *const u8,
    to: *mut u8,
    how: HostCopy,
    pieces: Division,
    /// The number of the next piece that nobody has begun.
    next: AtomicUsize,
    /// Pieces that are not done.
    left: AtomicUsize,
    end: Mutex<()>,
    ended: Condvar,
}

// SAFETY: the ranges are valid, and this copy's alone, while a piece is left (`Task::new`); no piece is begun twice.
unsafe impl Send for Task {}
// SAFETY: as above.
unsafe impl Sync for Task {}

impl Task {
    /// # Safety
    /// Both ranges are valid and apart; until all pieces are done nobody writes the one or touches the other.
    pub(super) unsafe fn new(
        from: *const u8,
        to: *mut u8,
        pieces: Division,
        how: HostCopy,
    ) -> Arc<Self> {
        let left = AtomicUsize::new(pieces.parts());
        let (end, ended) = Default::default();
        Arc::new(Self { from, to, how, pieces, next: AtomicUsize::new(0), left, end, ended })
    }

    /// Copies pieces until all are begun.
    pub(super) fn help(&self) {
        loop {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.pieces.parts() {
                return;
            }
            let part = self.pieces.part(number);
            let (from, to) = (self.from.wrapping_add(part.start), self.to.wrapping_add(part.start));
            // SAFETY: the piece is not done, so both ranges are valid and this copy's; nobody else has begun it.
            unsafe { self.how.perform(from, to, part.len()) };
            // Release and acquire: the thread that finds no piece left sees what all others have written.
            if self.left.fetch_sub(1, AcqRel) == 1 {
                drop(self.end.lock());
                self.ended.notify_all();
            }
        }
    }

    /// How many pieces nobody has begun.
    pub(super) fn unclaimed(&self) -> usize {
        self.pieces.parts().saturating_sub(self.next.load(Relaxed))
    }

    pub(super) fn is_done(&self) -> bool {
        self.left.load(Acquire) == 0
    }

    /// Copies what nobody has begun, then waits for those who are not done: ends without any other thread, too.
    pub(super) fn finish(&self) {
        // A piece takes some ten microseconds, which is what it takes to sleep and be woken.
        const SPINS: usize = 300;
        self.help();
        for _ in 0..SPINS {
            if self.is_done() {
                return;
            }
            spin_loop();
        }
        let mut end = self.end.lock();
        while !self.is_done() {
            self.ended.wait(&mut end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once_and_end_at_multiples_of_their_size() {
        for (bytes, size) in [(1, 1), (10, 3), (9, 3), (4096, 4096), (4097, 4096), (100, 7)] {
            for skew in [0, 1, size / 2, size - 1].into_iter().filter(|skew| *skew < size) {
                let division = Division { bytes, size, skew };
                let parts: Vec<_> = (0..division.parts()).map(|n| division.part(n)).collect();
                assert!(parts.iter().all(|part| !part.is_empty()), "{division:?}");
                assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, bytes));
                for two in parts.windows(2) {
                    assert_eq!(two[0].end, two[1].start);
                    assert!((two[0].end + skew).is_multiple_of(size), "{division:?}");
                }
            }
        }
    }
}
