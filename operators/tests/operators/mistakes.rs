//! Operators that break laws, one each.

use arrayspan_operators::author::*;
use num_complex::Complex64;

use crate::support::Opaque;

/// `y = c x`, c = 2 or 2i, with something wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wrong {
    Nothing,
    /// The adjoint multiplies by something else.
    Adjoint,
    /// Both directions give absolute values.
    Linear,
    /// The update is ignored.
    Update,
    /// The old output is multiplied by `beta`, even by 0.
    Reads,
    /// Only contiguous arrays are taken.
    Strides,
    /// Factors on the device are not taken for what they are.
    Loaded,
    /// Less workspace is asked for than is taken.
    Little,
    /// The workspace is taken for zeros.
    Dirty,
    /// The result is not a number.
    NaN,
}

/// An operator with a mistake.
pub(crate) fn scaled(space: &Space, wrong: Wrong) -> Opaque {
    let real = !space.dtype().is_complex();
    let factor = if real { Complex64::from(2.0) } else { Complex64::new(0.0, 2.0) };
    let own = space.clone();
    let scaled = Opaque::new("Scaled", [space; 2], move |adjoint, on, x, y, update| {
        let factor = match (adjoint, wrong) {
            (true, Wrong::Adjoint) => factor * 1.001,
            (true, _) => factor.conj(),
            (false, _) => factor,
        };
        run(wrong, &own, factor, (on, x, y, update))
    });
    let workspace = match wrong {
        Wrong::Little => 1,
        Wrong::Dirty => scratch_bytes(space),
        _ => 0,
    };
    Opaque { workspace, ..scaled }
}

fn run(
    wrong: Wrong,
    space: &Space,
    factor: Complex64,
    (on, x, mut y, update): (Context<'_>, View<'_>, ViewMut<'_>, Update<'_>),
) -> Result<()> {
    let (mut scratch, on) = match wrong {
        Wrong::Little | Wrong::Dirty => {
            let (scratch, on) = on.scratch(space)?;
            (Some(scratch), on)
        }
        _ => (None, on),
    };
    let result = constant(factor) * input(0);
    let result = match wrong {
        Wrong::Linear => result.abs(),
        Wrong::NaN => result * constant(f64::NAN),
        _ => result,
    };
    if wrong == Wrong::Strides {
        x.as_slice::<f64>()?;
        y.as_mut_slice::<f64>()?;
    }
    if let Some(scratch) = scratch.as_mut() {
        let sum = if wrong == Wrong::Dirty { input(0) + previous() } else { input(0) };
        on.map(&sum, std::slice::from_ref(&x), scratch.reborrow())?;
    }
    let x = scratch.as_ref().map_or(x, |scratch| scratch.view());
    match (wrong, update.known()) {
        (Wrong::Update, _) | (Wrong::Loaded, None) => Ok(on.map(&result, &[x], y)?),
        (Wrong::Reads, Some([alpha, beta])) => {
            let whole = constant(alpha) * result + constant(beta) * previous();
            Ok(on.map(&whole, &[x], y)?)
        }
        _ => Ok(on.map_updated(&result, &[x], y, update)?),
    }
}

/// An operator whose adjoint does what it does itself.
pub(crate) fn same(operator: Operator) -> Opaque {
    let spaces = [operator.domain().clone(), operator.range().clone()];
    Opaque::new("Same", [&spaces[0], &spaces[1]], move |_, on, x, y, update| {
        operator.enqueue(on, x, y, update)
    })
}
