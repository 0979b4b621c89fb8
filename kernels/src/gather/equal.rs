//! Which sparse matrices are the same.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Entries, Gather};

/// Entries are compared in the order of their rows. Where all else is the same that may take the table of a transpose; if there
/// is no memory for it, the two count as different.
impl PartialEq for Gather {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        (a.axis, &a.rows, &a.columns, &a.facts) == (b.axis, &b.rows, &b.columns, &b.facts)
            && (same_transposes(&a.entries, &b.entries) || same_tables(self, other))
    }
}

/// Whether two are transposes of the same.
fn same_transposes(a: &Entries, b: &Entries) -> bool {
    let (Entries::Turned(a), Entries::Turned(b)) = (a, b) else { return false };
    a.conj == b.conj && same_tables(&a.of, &b.of)
}

fn same_tables(a: &Gather, b: &Gather) -> bool {
    a.table().ok().zip(b.table().ok()).is_some_and(|(a, b)| std::ptr::eq(a, b) || a == b)
}

/// Weights are finite, so equality is an equivalence.
impl Eq for Gather {}

/// Of its extents and what is known of its entries: tables may be longer than one likes to read for a look into a map.
impl Hash for Gather {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let facts = self.facts();
        let of_weights = facts.weights_sums[0];
        (self.axis(), self.rows(), self.columns(), facts.entries, facts.checksum, of_weights)
            .hash(state);
    }
}
