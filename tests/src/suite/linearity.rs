//! `A (a x + b z) = a A x + b A z`

use num_complex::Complex64;

use super::{Case, Cell, Direction, Run, Values, Verdict};

/// `A (a x + b z) = a A x + b A z` up to rounding, also for `Aᴴ`, with complex factors for complex dtypes, real ones of
/// operators that are linear over the real numbers only.
///
/// # Errors
/// When it does not hold.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    let complex = cell.dtype.is_complex() && operator.properties().complex_linear;
    let imaginary = if complex { 1.0 } else { 0.0 };
    let a = Complex64::new(0.75, 0.5 * imaginary);
    let b = Complex64::new(-1.5, 0.25 * imaginary);
    for direction in Direction::BOTH {
        let run = Run::new(cell, &*operator, direction).arranged(cell.arrangements(case)[0]);
        let (from, to) = direction.spaces(&*operator);
        let (x, z) = (Values::random(from, 3), Values::random(from, 4));
        let separate = run.of(&x)?.combined(a, &run.of(&z)?, b);
        let together = run.of(&x.combined(a, &z, b))?;
        // The argument is rounded once more, so its size counts as well as the result's.
        let size = separate.norm() + run.of(&x)?.norm() + run.of(&z)?.norm();
        let bound = cell.tolerance(from.len().max(to.len())) * size;
        together.expect_near(&separate, bound, &format!("{direction:?} of a sum"))?;
    }
    Ok(())
}
