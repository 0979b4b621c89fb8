//! What an application costs is known beforehand.

use arrayspan_kernels::{Executor, Trace, Update};

use super::{Arrangement, Case, Cell, Direction, Values, Verdict, devices};

/// Launches and bytes are those of the case's formula; adding to the output reads it once more and costs
/// nothing else.
///
/// # Errors
/// When they are not, or the case has no formula.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    let Some(moves) = case.expected_moves() else {
        return Err("the case does not say what it costs".into());
    };
    let trace = Trace::of(cell.executor()?);
    let on: &dyn Executor = &trace;
    for (direction, moves) in Direction::BOTH.into_iter().zip(moves) {
        let (from, to) = direction.spaces(&*operator);
        for update in [Update::set(), Update::add()] {
            let place = |space, seed| {
                let values = Values::random(space, seed);
                devices::place(&values, cell.dtype, cell.device, Arrangement::RowMajor)
            };
            let (x, mut y) = (place(from, 10)?, place(to, 11)?);
            trace.take();
            direction.apply(&*operator, on, x.view(), y.view_mut(), update)?;
            let steps = trace.steps();
            let cost = trace.take();
            let bytes = cell.dtype.bytes();
            let previous = if update.reads() { to.len() } else { 0 };
            let expected =
                [moves.launches, (moves.read + previous) * bytes, moves.written * bytes];
            let found = [cost.launches, cost.bytes_read, cost.bytes_written];
            if found != expected {
                return Err(format!(
                    "{direction:?} with beta {}: [launches, bytes read, bytes written] is {found:?}, \
                     expected {expected:?}; steps: {steps:?}",
                    update.beta.re
                )
                .into());
            }
        }
    }
    Ok(())
}
