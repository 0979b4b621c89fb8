//! Arrays of 16-bit floats: `Float32` is computed of them, and rounded once for each pass.

use arrayspan_bridge::DType;
use arrayspan_kernels::Update;
use arrayspan_operators::Error;
use num_complex::Complex64;

use super::{Case, Cell, Direction, Run, Values, Verdict};

/// What the host gives in 64 bits for the same numbers comes out, but for one rounding to 16 bits in each pass over the arrays and one
/// of the arrays that an operator holds; or the operator is refused when it is made, and the error names the dtype.
///
/// # Errors
/// When results differ by more, or something else is refused.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = match case.build(cell) {
        Err(error) if is_refusal(&error, cell.dtype) => return Ok(()),
        built => built?,
    };
    let reference = cell.reference();
    let there = case.build(&reference)?;
    for direction in Direction::BOTH {
        let (from, to) = direction.spaces(&*operator);
        let [x, y] = [(from, 9), (to, 10)];
        let [x, y] = [x, y].map(|(space, seed)| Values::random(space, seed).held_by(cell.dtype));
        let expected = Run::new(&reference, &*there, direction).of(&x)?;
        if largest(&expected) > LARGEST {
            continue;
        }
        for arrangements in cell.arrangements(case) {
            let run = Run::new(cell, &*operator, direction).arranged(arrangements);
            for update in [Update::set(), Update::new(0.75, -1.25)] {
                let set = update == Update::set();
                let (alpha, beta) = if set { (1.0, 0.0) } else { (0.75, -1.25) };
                let wanted = expected.combined(alpha.into(), &y, Complex64::from(beta));
                let size = expected.norm() + f64::abs(beta) * y.norm();
                let single = Cell { dtype: DType::Float32, ..*cell };
                let computed = single.tolerance(from.len().max(to.len()));
                let bound = (ROUNDINGS * rounding(cell.dtype) + computed) * size;
                let found = if set { run.of(&x)? } else { run.update(&x, &y, update)? };
                let what = format!("{direction:?}, {update:?}, {arrangements:?}");
                found.expect_near(&wanted, bound, &what)?;
            }
        }
    }
    Ok(())
}

/// Whether some case of an operator takes 16-bit floats.
#[must_use]
pub fn takes(cell: &Cell, cases: &[Case]) -> bool {
    cases.iter().any(|case| case.build(cell).is_ok())
}

/// The arrays that an operator holds, two passes, and what they write.
const ROUNDINGS: f64 = 3.0;

/// Beyond it `Float16` holds no numbers.
const LARGEST: f64 = 65_504.0;

/// The largest part of a number that is lost where it is rounded.
fn rounding(dtype: DType) -> f64 {
    if dtype == DType::Float16 { 0.5_f64.powi(11) } else { 0.5_f64.powi(8) }
}

fn largest(values: &Values) -> f64 {
    values.numbers.iter().map(|number| number.norm()).fold(0.0, f64::max)
}

/// Whether an operator or an array that it holds is refused on account of the dtype, which the error names.
fn is_refusal(error: &Error, dtype: DType) -> bool {
    matches!(error, Error::Parameter { why, .. } if why.contains(&dtype.to_string()))
}
