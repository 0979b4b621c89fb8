//! `A (a x + b z) = a A x + b A z`

use num_complex::Complex64;

use super::near;
use super::trial::{Direction, Stop, Trial};
use super::values::{combined, norm};

pub(super) fn hold(trial: Trial<'_>) -> Result<(), Stop> {
    for direction in Direction::BOTH {
        let spaces = direction.spaces(trial.operator);
        // One that is not complex-linear, as between a real and a complex space, is linear over the real numbers.
        let complex = spaces.iter().all(|space| space.dtype().is_complex())
            && trial.operator.properties().complex_linear;
        let imaginary = if complex { 1.0 } else { 0.0 };
        let a = Complex64::new(0.75, 0.5 * imaginary);
        let b = Complex64::new(-1.5, 0.25 * imaginary);
        let [x, z] = [3, 4].map(|number| trial.random(spaces[0], number));
        let both = [trial.result(direction, &x)?, trial.result(direction, &z)?];
        let apart = combined((a, &both[0]), (b, &both[1]));
        let together = trial.result(direction, &combined((a, &x), (b, &z)))?;
        // The sum of arguments is rounded, so the size of each result counts.
        let size = norm(&apart) + norm(&both[0]) + norm(&both[1]);
        let name = direction.name();
        let what = || format!("{name} (a x + b z) with a = {a}, b = {b}");
        near(trial, direction, [&together, &apart], size, what)?;
    }
    Ok(())
}
