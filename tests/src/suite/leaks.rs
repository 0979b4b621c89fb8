//! Nothing leaks.

use arrayspan_devices::{Device, Statistics, drain};
use arrayspan_kernels::Update;

use super::{Case, Cell, Direction, Run, Values, Verdict};

/// What arrayspan holds on a device once nothing is under way.
///
/// # Errors
/// A failure of work that was.
pub fn held(device: Device) -> arrayspan_devices::Result<Statistics> {
    device.stream()?.synchronize()?;
    drain();
    device.check()?;
    Ok(device.statistics())
}

/// Applying an operator, also with wrong arguments, leaves as many live bytes and blocks as before.
///
/// Counts a whole device, so nothing else of the process may use it meanwhile. The first application does not
/// count: it may fill caches, and nor does a second one that lets caches go of what others left, or fills what the first one
/// had let go.
///
/// # Errors
/// When something is left.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let used = || -> std::result::Result<_, Box<dyn std::error::Error + Send + Sync>> {
        use_once(cell, case)?;
        let Statistics { live_bytes, live_blocks, .. } = held(cell.device)?;
        Ok((live_bytes, live_blocks))
    };
    let (mut before, mut after) = (used()?, used()?);
    if before != after {
        // A cache has let go what operators before this one had left there, or did so in the first application and was filled
        // again in the second. What leaks does so each time.
        (before, after) = (after, used()?);
    }
    if before == after {
        return Ok(());
    }
    Err(format!("(live bytes, blocks) were {before:?} before and are {after:?} after").into())
}

fn use_once(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    for direction in Direction::BOTH {
        let (from, to) = direction.spaces(&*operator);
        let (x, y) = (Values::random(from, 12), Values::random(to, 13));
        let run = Run::new(cell, &*operator, direction).arranged(cell.arrangements(case)[0]);
        run.of(&x)?;
        let mut wrong = x.clone();
        wrong.shape.push(1);
        if run.update(&wrong, &y, Update::add()).is_ok() {
            return Err("an array of the wrong shape was accepted".into());
        }
    }
    Ok(())
}
