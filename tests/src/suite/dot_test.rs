//! `⟨A x, y⟩ = ⟨x, Aᴴ y⟩`, or its real part

use super::{Case, Cell, Direction, Run, Values, Verdict};

/// `⟨A x, y⟩ = ⟨x, Aᴴ y⟩` up to rounding, for the arrangements that are the case's. Of operators that are linear over the real
/// numbers only, the real parts are the same.
///
/// # Errors
/// When it does not hold.
pub fn law(cell: &Cell, case: &Case) -> Verdict {
    let operator = case.build(cell)?;
    let x = Values::random(operator.domain(), 1);
    let y = Values::random(operator.range(), 2);
    for arrangements in cell.arrangements(case) {
        let run = |direction| Run::new(cell, &*operator, direction).arranged(arrangements);
        let ax = run(Direction::Forward).of(&x)?;
        let ahy = run(Direction::Adjoint).of(&y)?;
        let (left, right) = (ax.dot(&y), x.dot(&ahy));
        let apart = left - right;
        let size = (ax.norm() * y.norm()).max(x.norm() * ahy.norm());
        let bound = cell.tolerance(x.numbers.len().max(y.numbers.len())) * size;
        let linear = operator.properties().complex_linear;
        let difference = if linear { apart.norm() } else { apart.re.abs() };
        // Written so that NaN fails.
        if !matches!(difference.partial_cmp(&bound), Some(order) if order.is_le()) {
            return Err(format!(
                "{arrangements:?}: ⟨Ax,y⟩ = {left} and ⟨x,Aᴴy⟩ = {right} differ by {difference:.3e}, \
                 allowed {bound:.3e}"
            )
            .into());
        }
    }
    Ok(())
}
