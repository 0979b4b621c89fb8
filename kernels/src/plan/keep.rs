//! Calls that are kept to be enqueued at once, in fewer passes.

use arrayspan_bridge::devices::Stream;
use parking_lot::Mutex;

use super::fuse;
use crate::verb::Call;
use crate::{Error, Executor, Result};

/// Keeps calls that are made of it.
#[derive(Debug)]
struct Keep<'a> {
    on: &'a dyn Executor,
    calls: Mutex<Vec<(usize, Call<'static>)>>,
}

/// Has `on`, which launches nothing, execute what `work` asks for, in fewer passes over memory.
pub(crate) fn fused<E: From<Error>>(
    on: &dyn Executor,
    work: impl FnOnce(&dyn Executor) -> Result<(), E>,
) -> Result<(), E> {
    let keep = Keep { on, calls: Mutex::default() };
    work(&keep)?;
    for (_, mut call) in fuse::fused(keep.calls.into_inner()) {
        on.execute(&mut call)?;
    }
    Ok(())
}

impl Executor for Keep<'_> {
    fn stream(&self) -> &Stream {
        self.on.stream()
    }

    fn records(&self) -> bool {
        true
    }

    fn execute(&self, call: &mut Call<'_>) -> Result<()> {
        call.expect_device(self.on.device())?;
        // SAFETY: it is executed by what launches nothing, before `fused` returns: nothing is read or written through it.
        let call = unsafe { call.outliving() };
        self.calls.lock().push((0, call));
        Ok(())
    }
}
