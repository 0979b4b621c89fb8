//! The trait of what runs the verbs.

mod elementwise;
mod linear;
mod reduce;

use std::fmt::Debug;
use std::sync::Arc;

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, DType};

use crate::Result;
use crate::verb::Call;

/// Runs the verbs: on the host, on a GPU, or by passing them on and counting ([`Trace`](crate::Trace)). One per device and
/// stream.
///
/// Implementors are given checked calls. Callers use the methods of `dyn Executor`, one for each verb.
pub trait Executor: Debug + Send + Sync {
    /// The queue its work goes to.
    fn stream(&self) -> &Stream;

    /// Runs a checked call whose arguments live on this executor's device: enqueues it on
    /// [`stream`](Self::stream) and does not wait.
    ///
    /// # Errors
    /// When the device fails.
    fn execute(&self, call: &mut Call<'_>) -> Result<()>;

    /// Whether it keeps calls to be run later, as in [`Plan::record`](crate::Plan::record). Then work that is queued on
    /// the stream past it is not where its caller thinks it is, and no part of the plan.
    fn records(&self) -> bool {
        false
    }

    /// What does for `other`, an executor of another device or stream, what this does: beside one that records, one that
    /// records for `other`, into the same plan. `None` beside all that run what they are given: there `other` itself is
    /// used.
    fn beside(&self, other: &Arc<dyn Executor>) -> Option<&dyn Executor> {
        let _ = other;
        None
    }
}

impl dyn Executor + '_ {
    /// Where its work runs.
    #[must_use]
    pub fn device(&self) -> Device {
        self.stream().device()
    }

    /// A row-major array on this executor's device, with unspecified content.
    ///
    /// # Errors
    /// Out of memory.
    #[track_caller]
    pub fn empty(&self, shape: &[usize], dtype: DType) -> Result<Array> {
        Ok(Array::empty(shape, dtype, self.stream())?)
    }

    pub(crate) fn run(&self, mut call: Call<'_>) -> Result<()> {
        call.expect_device(self.device())?;
        tracing::trace!(verb = call.name(), device = %self.device());
        self.execute(&mut call)
    }
}
