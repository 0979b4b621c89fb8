//! What an application costs is known beforehand.

use arrayspan_kernels::{Trace, Update};
use arrayspan_operators::{LinearMap, Space};

use super::{Arrangement, Case, Cell, Direction, Moves, Values, Verdict, devices};

/// Launches and bytes are those of the case's formula; adding to the output reads it once more and costs
/// nothing else, unless the case says so.
///
/// # Errors
/// When they are not, or the case has no formula.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    let Some(setting) = case.expected_moves() else {
        return Err("the case does not say what it costs".into());
    };
    for (index, direction) in Direction::BOTH.into_iter().enumerate() {
        let moves = setting[index];
        expect(cell, &*operator, direction, Update::set(), (moves, 0, 0))?;
        let output = direction.spaces(&*operator).1.len();
        let adding = case.expected_moves_adding();
        let numbers = case.expected_numbers_adding();
        let moves = adding.map_or((moves, output, numbers), |adding| (adding[index], 0, numbers));
        expect(cell, &*operator, direction, Update::add(), moves)?;
    }
    Ok(())
}

fn expect(
    cell: &Cell,
    operator: &dyn LinearMap,
    direction: Direction,
    update: Update,
    (moves, again, numbers): (Moves, usize, usize),
) -> Verdict {
    let place = |space: &Space, seed| {
        let values = Values::random(space, seed);
        devices::place(&values, space.dtype(), cell.device, Arrangement::RowMajor)
    };
    let (from, to) = direction.spaces(operator);
    let (x, mut y) = (place(from, 10)?, place(to, 11)?);
    let trace = Trace::of(cell.executor()?);
    direction.apply(operator, &trace, x.view(), y.view_mut(), update)?;
    let steps = trace.steps();
    let cost = trace.take();
    // Input and output may be of different dtypes; the output may be read, too.
    let (read, written) = (from.dtype().bytes(), to.dtype().bytes());
    let read = moves.read * read + again * written + moves.table;
    let expected = [moves.launches, read, moves.written * written + numbers];
    let found = [cost.launches, cost.bytes_read, cost.bytes_written];
    if found == expected {
        return Ok(());
    }
    let beta = update.beta.number().re;
    Err(format!(
        "{direction:?} with beta {beta}: [launches, bytes read, bytes written] is {found:?}, expected \
         {expected:?}; steps: {steps:?}"
    )
    .into())
}
