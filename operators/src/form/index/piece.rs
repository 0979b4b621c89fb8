//! Output indices that read evenly spaced input indices, or are zero.

/// The input indices that a piece reads: `first`, `first + step`, `first + 2 step`, ….
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The first one.
    pub first: usize,
    /// From one to the next. 0 for a piece of one index.
    pub step: isize,
}

/// The output indices `start..end`, which read input indices that lie evenly spaced, or are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The first output index.
    pub start: usize,
    /// The one after the last.
    pub end: usize,
    /// What is read, or `None` for zeros.
    pub source: Option<Source>,
}

impl Source {
    /// The input index that is read at the `k`-th output index of a piece. Cannot overflow for one that there is: it
    /// lies on an axis, and so does the first one.
    pub(super) fn at(&self, k: usize) -> usize {
        self.first.wrapping_add_signed(self.step.wrapping_mul(k as isize))
    }

    /// The same for any index, which need not lie on an axis.
    pub(super) fn wide(&self, k: usize) -> i128 {
        self.first as i128 + self.step as i128 * k as i128
    }
}

impl Piece {
    /// Zeros at the output indices `start..end`.
    #[must_use]
    pub fn zeros(start: usize, end: usize) -> Self {
        Self { start, end, source: None }
    }

    /// Output index `i` of `start..end` reads input index `first + step · (i - start)`.
    #[must_use]
    pub fn reads(start: usize, end: usize, first: usize, step: isize) -> Self {
        Self { start, end, source: Some(Source { first, step }) }
    }

    /// The number of output indices.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "none is empty in a map")]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// The smallest and the largest input index.
    pub(super) fn reach(&self) -> Option<(usize, usize)> {
        let source = self.source?;
        let last = source.at(self.len() - 1);
        Some((source.first.min(last), source.first.max(last)))
    }

    /// Takes as many indices as continue it from the front of a run, and returns their number.
    pub(super) fn extend(&mut self, len: usize, source: Option<Source>) -> usize {
        let taken = match (&mut self.source, source) {
            (None, None) => len,
            (Some(own), Some(next)) => {
                let count = self.end - self.start;
                let step = next.first as i128 - own.wide(count - 1);
                if count > 1 && step != own.step as i128 {
                    return 0;
                }
                own.step = step as isize;
                if next.step == own.step { len } else { 1 }
            }
            _ => return 0,
        };
        self.end += taken;
        taken
    }
}
