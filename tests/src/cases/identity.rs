//! `Identity`: square, truncating, padding, and both at once.

use arrayspan_bridge::DType;
use arrayspan_operators::Identity;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads what is kept and writes all.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("identity/{key}");
    vec![
        case(&[7], &[7]).golden(golden("square")),
        case(&[5, 7], &[3, 4]).golden(golden("truncating")),
        case(&[3, 4], &[5, 7]).golden(golden("padding")),
        // Along one axis each: PyLops refuses.
        case(&[5, 3, 2], &[3, 7, 2]),
        case(&[13, 17], &[13, 17]),
        case(&[1, 3], &[1, 5]).golden(golden("single")),
        case(&[1, 5], &[1, 1]),
        case(&[1], &[1]),
    ]
}

fn case(domain: &[usize], range: &[usize]) -> Case {
    let name = format!("{domain:?} to {range:?}");
    let (setting, adding) = (
        [moves(domain, range, false), moves(range, domain, false)],
        [moves(domain, range, true), moves(range, domain, true)],
    );
    let (domain, range) = (domain.to_vec(), range.to_vec());
    let make = move |cell: &_| Identity::rectangular(space(cell, &domain)?, space(cell, &range)?);
    Case::new(name, make).moves(setting[0], setting[1]).moves_adding(adding[0], adding[1])
}

/// One pass: what both have, among the zeros of what only the output has, which adding leaves alone.
fn moves(from: &[usize], to: &[usize], adding: bool) -> Moves {
    let kept: usize = from.iter().zip(to).map(|(from, to)| from.min(to)).product();
    if adding { Moves::one(2 * kept, kept) } else { Moves::one(kept, to.iter().product()) }
}
