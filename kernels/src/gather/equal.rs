//! Which sparse matrices are the same.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::{Entries, Gather, Inner};

/// Entries are compared in the order of their rows. Where all else is the same that may take the table of a transpose; if there
/// is no memory for it, the two count as different. That two are the same is remembered: operators with tables that are equal look each
/// time that they are applied for what a device has of them.
impl PartialEq for Gather {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        if Arc::ptr_eq(&self.0, &other.0) || a.same.is(&other.0) || b.same.is(&self.0) {
            return true;
        }
        let same = (a.axis, &a.rows, &a.columns, &a.facts)
            == (b.axis, &b.rows, &b.columns, &b.facts)
            && (same_transposes(&a.entries, &b.entries) || same_tables(self, other));
        if same {
            a.same.keep(&other.0);
        }
        same
    }
}

/// A matrix that was found to be the same, if any was. It keeps the place of the other one from being another's, but none of
/// its entries.
#[derive(Debug, Default)]
pub(super) struct Same(Mutex<Weak<Inner>>);

impl Same {
    /// Whether it is this one.
    pub(super) fn is(&self, other: &Arc<Inner>) -> bool {
        std::ptr::eq(self.0.lock().as_ptr(), Arc::as_ptr(other))
    }

    fn keep(&self, other: &Arc<Inner>) {
        *self.0.lock() = Arc::downgrade(other);
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
