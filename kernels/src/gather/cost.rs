//! What it costs to apply a sparse matrix, and to which dtypes it can be applied.

use arrayspan_bridge::DType;

use super::{Facts, Gather};
use crate::verb::check;
use crate::{Cost, Fit, Result, fit};

/// With so many indices of the other axes each thread of a device has rows of its own.
const MANY: usize = 1 << 18;

/// Rows with up to so many entries, and so many of them, are not worth a group of threads each.
const MOST_USUAL: usize = 512;
const MANY_ROWS: usize = 1 << 16;

impl Gather {
    /// What it costs to apply it for each of `others` indices of the other axes, without what is written: the columns that
    /// stand in some row and the table are read once.
    #[must_use]
    pub fn cost(&self, others: usize, dtype: DType) -> Cost {
        let facts = self.facts();
        let entries = facts.entries;
        if entries == 0 || others == 0 {
            return Cost::default();
        }
        let flops =
            if self.is_unweighted() { entries.saturating_sub(facts.rows) } else { entries * 2 };
        let read = facts.touched.saturating_mul(others).saturating_mul(dtype.bytes());
        let table = match facts.marks(others) {
            Some(marks) => facts.words(marks) * size_of::<[u32; 2]>(),
            None => facts.bytes(dtype),
        };
        let bytes_read = read.saturating_add(table);
        Cost { flops: flops.saturating_mul(others), bytes_read, ..Cost::default() }
    }

    /// The launches that it takes on an input of that shape: long rows are another kernel's, unless there are so many other
    /// indices that a thread can take a row at each. None without rows.
    #[must_use]
    pub fn launches(&self, domain: &[usize]) -> usize {
        let both = self.shares_rows(domain) && self.facts().long < self.facts().rows;
        1 + usize::from(both)
    }

    /// Whether long rows are shared by threads.
    pub(crate) fn shares_rows(&self, domain: &[usize]) -> bool {
        let others = self.others(domain);
        let Facts { long, longest, rows, .. } = *self.facts();
        // Where nearly all are long, and there are many, a few threads for each keep a device busy.
        let usual = long > rows / 2 && longest <= MOST_USUAL && rows >= MANY_ROWS;
        long > 0 && others < MANY && !usual && !self.takes_segments(domain)
    }

    /// Whether devices take columns a segment at a time into their local memory: for one index of the other axes, where rows name
    /// columns far apart, which a cache does not hold.
    fn takes_segments(&self, domain: &[usize]) -> bool {
        self.others(domain) == 1 && self.facts().takes_segments()
    }

    /// The indices of the other axes.
    fn others(&self, domain: &[usize]) -> usize {
        let own = self.axis()..self.axis().saturating_add(self.columns().len());
        let others = domain.iter().enumerate().filter(|(axis, _)| !own.contains(axis));
        others.fold(1, |all: usize, (_, extent)| all.saturating_mul(*extent))
    }

    /// Fails unless its weights are numbers of the dtype.
    pub(crate) fn check(&self, verb: &'static str, dtype: DType) -> Result<()> {
        if !dtype.is_complex() && !self.is_real() {
            return check::argument(verb, format!("weights are complex, arrays {dtype}"));
        }
        let largest = self.facts().largest;
        if matches!(fit(largest, dtype), Fit::TooLarge | Fit::NotFinite) {
            let why = format!("a weight of {largest:e} is not a finite number of {dtype}");
            return check::argument(verb, why);
        }
        Ok(())
    }
}
