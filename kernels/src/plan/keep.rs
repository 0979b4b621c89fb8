//! Calls that are kept to be enqueued at once, in fewer passes.

use arrayspan_bridge::View;
use arrayspan_bridge::devices::Stream;
use parking_lot::Mutex;

use super::{Arrays, fuse, shown};
use crate::needed::Needed;
use crate::verb::Call;
use crate::{Error, Executor, Result};

/// Keeps calls that are made of it.
#[derive(Debug)]
struct Keep<'a> {
    on: &'a dyn Executor,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Each with the number of its section.
    calls: Vec<(usize, Call<'static>)>,
    section: usize,
}

impl<'a> Keep<'a> {
    fn new(on: &'a dyn Executor) -> Self {
        Self { on, kept: Mutex::default() }
    }

    /// The calls in fewer passes.
    fn fused(self) -> Vec<(usize, Call<'static>)> {
        fuse::fused_in_sections(self.kept.into_inner().calls)
    }
}

/// Runs what `work` asks for on `on`, in fewer passes over memory, once `work` has ended.
pub(crate) fn run_fused<A: Arrays, E: From<Error>>(
    on: &dyn Executor,
    arrays: &mut A,
    views: &[View<'_>],
    work: impl FnOnce(&dyn Executor, &mut A) -> Result<(), E>,
) -> Result<(), E> {
    let keep = Keep::new(on);
    work(&keep, arrays)?;
    let calls = keep.fused();
    let needed = Needed::by_all(calls.iter().map(|(_, call)| call.verb()));
    // Borrowed until all calls are made.
    let shown = shown(arrays);
    if let Some(at) = Needed::missing_of(&needed, &shown, views) {
        return Err(needed[at].missing().into());
    }
    for (_, mut call) in calls {
        on.execute(&mut call)?;
    }
    drop(shown);
    Ok(())
}

/// Has `on`, which launches nothing, execute what `work` asks for, in fewer passes over memory.
pub(crate) fn fused<E: From<Error>>(
    on: &dyn Executor,
    work: impl FnOnce(&dyn Executor) -> Result<(), E>,
) -> Result<(), E> {
    let keep = Keep::new(on);
    work(&keep)?;
    for (_, mut call) in keep.fused() {
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
        // SAFETY: `fused` has it executed by what launches nothing, before it returns: nothing is read or written through it.
        // `run_fused` executes it once it has found every operand's memory borrowed again, exclusively if it is written; or shared,
        // which nobody can write as long as this call holds its handle.
        let call = unsafe { call.outliving() };
        let mut kept = self.kept.lock();
        let section = kept.section;
        kept.calls.push((section, call));
        Ok(())
    }

    fn begin_section(&self) {
        self.kept.lock().section += 1;
    }
}
