//! The same answer everywhere.

use super::{Case, Cell, Direction, Run, Values, Verdict};

/// Every device, precision and arrangement gives what the host gives in 64 bits without gaps.
///
/// # Errors
/// When results differ by more than rounding.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let reference = cell.reference();
    let (here, there) = (case.build(cell)?, case.build(&reference)?);
    for direction in Direction::BOTH {
        let (from, to) = direction.spaces(&*here);
        let x = Values::random(from, 9);
        let expected = Run::new(&reference, &*there, direction).of(&x)?;
        let bound = cell.tolerance(from.len().max(to.len())) * expected.norm();
        for arrangements in cell.arrangements(case) {
            let found = Run::new(cell, &*here, direction).arranged(arrangements).of(&x)?;
            found.expect_near(&expected, bound, &format!("{direction:?}, {arrangements:?}"))?;
        }
    }
    Ok(())
}
