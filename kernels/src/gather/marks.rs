//! Matrices that pick elements in their order: a bit for each index says which, in place of a number for each entry.

use arrayspan_bridge::devices::vectors::filled;

use super::facts::{Facts, Weighting};
use super::table::Table;
use super::{Entries, Gather};
use crate::Result;

/// Indices of a word.
pub(crate) const WORD: usize = 32;

/// Bytes of a word and the number before it, for each index of the marked side, are fewer than those of the entries' columns while
/// at least one of so many indices is marked.
const SPARSE: usize = 2 * WORD / 4;

/// Threads count indices somewhat beyond the last.
const MARGIN: usize = 1 << 16;

/// The side of a matrix that has more indices than there are entries: those that have one are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Marks {
    /// Marked rows are the columns, one after the other, and others are zero.
    Rows,
    /// Rows are the marked columns, one after the other.
    Columns,
}

impl Marks {
    /// The same side of the transpose.
    fn transposed(self) -> Self {
        match self {
            Self::Rows => Self::Columns,
            Self::Columns => Self::Rows,
        }
    }
}

impl Facts {
    /// The side whose marks devices read instead of a table, for so many indices of the other axes: more of them share what is read
    /// of the table.
    pub(crate) fn marks(&self, others: usize) -> Option<Marks> {
        let side = self.rows.max(self.columns);
        let narrow = !self.is_wide() && side <= i32::MAX as usize - MARGIN;
        let picks = self.rising && self.weights == Weighting::Ones && narrow;
        if !picks || others != 1 {
            return None;
        }
        if self.entries == self.columns {
            return Some(Marks::Rows);
        }
        let dense = self.columns / SPARSE <= self.entries;
        (self.entries == self.rows && dense).then_some(Marks::Columns)
    }

    /// The words of a side.
    pub(crate) fn words(&self, marks: Marks) -> usize {
        match marks {
            Marks::Rows => self.rows.div_ceil(WORD),
            Marks::Columns => self.columns.div_ceil(WORD),
        }
    }
}

impl Gather {
    /// For each [`WORD`] indices of a side a bit for each that has an entry, that of the first the lowest, and the number of entries
    /// before them. Needs no table of a transpose.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn marked(&self, marks: Marks) -> Result<Vec<[u32; 2]>> {
        let mut words = filled(self.facts().words(marks), [0_u32; 2])?;
        match &self.0.entries {
            Entries::Given(table) => mark(&mut words, table, marks),
            Entries::Turned(turned) => mark(&mut words, turned.of.table()?, marks.transposed()),
        }
        let mut before = 0;
        for [bits, start] in &mut words {
            *start = before;
            before += bits.count_ones();
        }
        Ok(words)
    }
}

/// Sets the bits of all indices of a side that have an entry.
fn mark(words: &mut [[u32; 2]], table: &Table, marks: Marks) {
    let mut set = |index: usize| words[index / WORD][0] |= 1 << (index % WORD);
    match marks {
        Marks::Rows => (0..table.rows).filter(|row| !table.span(*row).is_empty()).for_each(set),
        Marks::Columns => (0..table.entries()).for_each(|at| set(table.indices.get(at))),
    }
}
