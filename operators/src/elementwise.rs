//! Updates, as the elementwise expressions that operators give to `map`.

use arrayspan_bridge::ViewMut;
use arrayspan_kernels::{Executor, Expression, Update, constant, previous};

use crate::Result;

/// `alpha · result + beta · previous`, which reads nothing where `beta` is 0. Factors of 1 are left out: multiplying a
/// complex infinity by them would give NaN.
#[must_use]
pub fn updated(result: Expression, update: Update) -> Expression {
    let unscaled = Update::set().alpha;
    let new = if update.alpha == unscaled { result } else { constant(update.alpha) * result };
    match update {
        Update { .. } if !update.reads() => new,
        Update { beta, .. } if beta == unscaled => new + previous(),
        Update { beta, .. } => new + constant(beta) * previous(),
    }
}

/// `y ← beta · y`: the update where an operator has no entries.
pub(crate) fn scale(on: &dyn Executor, y: ViewMut<'_>, update: Update) -> Result<()> {
    if y.layout().is_empty() || update.beta == Update::add().beta {
        return Ok(());
    }
    let scaled = constant(update.beta);
    let scaled = if update.reads() { scaled * previous() } else { scaled };
    Ok(on.map(&scaled, &[], y)?)
}
