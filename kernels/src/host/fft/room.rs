//! Memory for several lines while they are transformed.

use rustfft::FftNum;

use super::factors::Factors;
use super::together::Together;
use crate::host::scalar::Scalar;

/// What a vector is aligned to in memory.
const ALIGNMENT: usize = 64;

/// Room for lines: groups of as many as a vector holds, and one more.
pub(in crate::host) struct Room<'r, X, Y, T> {
    pub(in crate::host) groups: Vec<&'r mut [T]>,
    spare: &'r mut [T],
    /// Elements that are not neighbours in the array.
    pub(super) x: Vec<X>,
    pub(super) y: Vec<Y>,
    /// How many lines a group has.
    width: usize,
}

impl<'r, X, Y, T: FftNum + Scalar> Room<'r, X, Y, T> {
    /// Room for that many lines, as many at once as `width`, of so many rows, in what is `held`.
    pub(in crate::host) fn new(
        held: &'r mut Vec<T>,
        lines: usize,
        (width, rows): (usize, usize),
    ) -> Self {
        let mut groups = grouped(held, lines.div_ceil(width), rows * width);
        let spare = groups.pop().unwrap_or_default();
        Self { groups, spare, x: Vec::new(), y: Vec::new(), width }
    }

    /// How many groups so many lines fill.
    pub(in crate::host) fn filled(&self, lines: usize) -> usize {
        lines.div_ceil(self.width)
    }

    /// Transforms the lines of a group.
    pub(in crate::host) fn transform(
        &mut self,
        group: usize,
        plan: &Together<T>,
        factors: Factors<T>,
    ) {
        let group = &mut self.groups[group];
        if plan.run(group, self.spare, factors) {
            std::mem::swap(group, &mut self.spare);
        }
    }

    /// Zeros for so many lines.
    pub(in crate::host) fn clear(&mut self, lines: usize) {
        let filled = self.filled(lines);
        self.groups[..filled].iter_mut().for_each(|group| group.fill(T::default()));
    }
}

/// So many groups of numbers of what is `held`, each from the start of a cache line on, and one more.
fn grouped<T: Copy + Default>(held: &mut Vec<T>, groups: usize, len: usize) -> Vec<&mut [T]> {
    // Not all at the same place of a page: what is written would seem to be what is read next.
    let cache_line = ALIGNMENT / size_of::<T>();
    let pitch = len.next_multiple_of(cache_line) + cache_line;
    let all = (groups + 1) * pitch + cache_line;
    if held.len() < all {
        held.resize(all, T::default());
    }
    let first = held.as_ptr().align_offset(ALIGNMENT).min(cache_line);
    held[first..].chunks_mut(pitch).take(groups + 1).map(|group| &mut group[..len]).collect()
}
