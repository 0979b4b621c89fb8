//! A step along a direction, and the next direction, in one pass.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Executor, Expression, input, previous};

use crate::Result;

/// `x ← x + length · p`, then `p ← turn(z, p)`, in one pass over the space of models, of which five values are moved. Numbers on
/// the device are the inputs of the expressions; in that of `turn` the vectors are what it is given.
pub(super) fn step_and_turn<const N: usize>(
    on: &dyn Executor,
    [x, p]: [&mut Array; 2],
    z: &Array,
    numbers: [View<'_>; N],
    length: Expression,
    turn: impl FnOnce(Expression, Expression) -> Expression,
) -> Result<()> {
    let mut inputs = Vec::with_capacity(N + 1);
    inputs.extend(numbers);
    inputs.push(z.view());
    // Behind the inputs stands what `x` and `p` held.
    let held = input(N + 2);
    let outputs =
        [(previous() + length * held, x.view_mut()), (turn(input(N), previous()), p.view_mut())];
    Ok(on.map_many(&inputs, outputs)?)
}

/// What the direction before is multiplied by in the next one: `new/old`, and zero once the step is, so that the direction is the
/// gradient then and stays as it is. Of the numbers `length`, `new` and `old`.
pub(super) fn ratio() -> Expression {
    let [length, new, old] = [0, 1, 2].map(input);
    new.div_or_zero(old) * length.clone().div_or_zero(length)
}
