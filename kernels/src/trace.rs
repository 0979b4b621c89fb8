//! Counts what verbs cost while another executor runs them.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use parking_lot::Mutex;

use crate::verb::Call;
use crate::{Cost, Executor, Result};

/// Passes every verb on and counts what it costs, so that cost can be tested.
#[derive(Debug)]
pub struct Trace {
    inner: Arc<dyn Executor>,
    steps: Mutex<Vec<(&'static str, Cost)>>,
}

impl Trace {
    /// Counts the verbs that `inner` runs.
    #[must_use]
    pub fn of(inner: Arc<dyn Executor>) -> Self {
        Self { inner, steps: Mutex::default() }
    }

    /// The verbs so far, in order, and what each cost.
    #[must_use]
    pub fn steps(&self) -> Vec<(&'static str, Cost)> {
        self.steps.lock().clone()
    }

    /// The sum over all verbs since the last call of this.
    #[must_use]
    pub fn take(&self) -> Cost {
        self.steps.lock().drain(..).fold(Cost::default(), |mut sum, (_, cost)| {
            sum += cost;
            sum
        })
    }
}

impl Executor for Trace {
    fn stream(&self) -> &Stream {
        self.inner.stream()
    }

    fn records(&self) -> bool {
        self.inner.records()
    }

    fn beside(&self, other: &Arc<dyn Executor>) -> Option<&dyn Executor> {
        self.inner.beside(other)
    }

    fn execute(&self, call: &mut Call<'_>) -> Result<()> {
        self.steps.lock().push((call.name(), call.cost()));
        self.inner.execute(call)
    }
}
