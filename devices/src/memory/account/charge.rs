//! What a block is counted for, and how another one comes to be counted for the same.

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use super::level::Level;
use super::scope::{self, Counting, ScopeHandle};

/// What a block is counted for: the scope it was allocated in, if any, and the line that did.
#[derive(Clone, Debug, Default)]
pub struct Charge {
    pub(super) scope: Option<Arc<Level>>,
    pub(super) site: Option<&'static Location<'static>>,
}

impl Charge {
    /// The scope.
    #[must_use]
    pub fn scope(&self) -> Option<ScopeHandle> {
        self.scope.clone().map(ScopeHandle::of)
    }

    /// Until the guard is dropped, what this thread allocates counts for the same, whatever scopes the thread is in: for
    /// one that moves a block of another.
    pub fn enter(&self) -> Charged {
        self.count(false)
    }

    /// As [`enter`](Self::enter), for a block that only waits until there is room elsewhere: it counts for the scope, but no
    /// limit of a scope refuses it, nor anything else because of it.
    pub fn enter_waiting(&self) -> Charged {
        self.count(true)
    }

    fn count(&self, waits: bool) -> Charged {
        let Self { scope, site } = self.clone();
        Charged { id: scope::count_for(Counting { scope, site, waits }), not_send: PhantomData }
    }
}

/// While it lives, its thread allocates on behalf of another. Stays on its thread.
#[derive(Debug)]
#[must_use = "the thread allocates on behalf of another only while the guard lives"]
pub struct Charged {
    id: u64,
    not_send: PhantomData<*const ()>,
}

impl Drop for Charged {
    fn drop(&mut self) {
        scope::leave(self.id);
    }
}
