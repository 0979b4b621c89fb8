//! What an operator says of itself.

use arrayspan_bridge::DType;

use super::near;
use super::trial::{Direction, Stop, Trial};
use super::values::{dot, norm, tolerance};

/// Vectors that the sign of `⟨A x, x⟩` is tried on.
const TRIED: u64 = 8;

pub(super) fn hold(trial: Trial<'_>) -> Result<(), Stop> {
    let (operator, said) = (trial.operator, trial.operator.properties());
    if !said.self_adjoint && !said.positive {
        return Ok(());
    }
    let space = operator.domain();
    if space != operator.range() {
        let (range, why) = (operator.range(), "is said to be its own adjoint, or positive");
        return Err(Stop::Broken(format!("from {space} to {range} it {why}")));
    }
    let single = space.dtype().real() == DType::Float32;
    let dtype = if single { DType::Float32 } else { DType::Float64 };
    for number in 0..TRIED {
        let x = trial.random(space, 20 + number);
        let there = trial.result(Direction::Forward, &x)?;
        let size = norm(&there) + norm(&x);
        if number == 0 {
            let back = trial.result(Direction::Adjoint, &x)?;
            let what = || "A x of an operator said to be its own adjoint".to_owned();
            near(trial, Direction::Forward, [&there, &back], size, what)?;
        }
        let product = dot(&x, &there).re;
        let below = -tolerance(dtype, x.len()) * norm(&there) * norm(&x);
        if said.positive && product < below {
            let why = format!("⟨A x, x⟩ = {product:e} of an operator said to be positive");
            return Err(Stop::Broken(why));
        }
    }
    Ok(())
}
