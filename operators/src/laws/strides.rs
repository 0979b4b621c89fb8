//! Results do not depend on the strides of arrays.

use arrayspan_kernels::Update;

use super::near;
use super::trial::{Arrangement, Direction, Stop, Trial};
use super::values::{combined, norm};

/// Input and output; each arrangement on each side.
const PAIRS: [[Arrangement; 2]; 4] = [
    [Arrangement::ColumnMajor, Arrangement::Stepped],
    [Arrangement::Stepped, Arrangement::Reversed],
    [Arrangement::Reversed, Arrangement::RowMajor],
    [Arrangement::RowMajor, Arrangement::ColumnMajor],
];

pub(super) fn hold(trial: Trial<'_>) -> Result<(), Stop> {
    for direction in Direction::BOTH {
        let [from, to] = direction.spaces(trial.operator);
        let (x, y) = (trial.random(from, 7), trial.random(to, 8));
        let plain = trial.result(direction, &x)?;
        let expected = combined((1.0.into(), &plain), (1.0.into(), &y));
        let size = norm(&plain) + norm(&y);
        for pair in PAIRS {
            let found = trial.update(direction, &x, &y, Update::add(), pair)?;
            let [input, output] = pair;
            let name = direction.name();
            let what = || format!("y + {name} x with {input:?} input and {output:?} output");
            near(trial, direction, [&found, &expected], size, what)?;
        }
    }
    Ok(())
}
