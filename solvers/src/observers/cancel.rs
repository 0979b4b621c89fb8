//! Stopping from another thread.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Observer, Progress};

/// Stops a run when any of its clones is told to: from another thread, or from a signal handler.
///
/// ```
/// use arrayspan_solvers::observers::Cancel;
///
/// let mut cancel = Cancel::default();
/// let button = cancel.clone();
/// std::thread::spawn(move || button.cancel());
/// // solver.solve_from(&a, &y, None, &mut cancel)? ends at the next check with `Stopped::Observer`.
/// # let _ = &mut cancel;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the run at its next check, and all later runs at their first.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been told to.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Observer for Cancel {
    fn observe(&mut self, _: &Progress<'_>) -> ControlFlow<()> {
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
