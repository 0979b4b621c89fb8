//! What applying a sparse matrix along an axis costs.

use arrayspan_bridge::DType;

use crate::suite::Moves;

/// Forward and adjoint of a matrix whose rows name these of `extent` columns, for each of `others` other indices, with weights of a
/// dtype or without.
pub(super) fn moves(
    rows: &[Vec<usize>],
    extent: usize,
    others: usize,
    weights: Option<DType>,
) -> [Moves; 2] {
    let mut columns = vec![Vec::new(); extent];
    for (number, row) in rows.iter().enumerate() {
        for column in row {
            columns[*column].push(number);
        }
    }
    [direction(rows, others, weights), direction(&columns, others, weights)]
}

/// One launch that reads what is named, and the table: as many places for each row, unless rows are too uneven.
fn direction(rows: &[Vec<usize>], others: usize, weights: Option<DType>) -> Moves {
    let written = rows.len() * others;
    let mut named: Vec<usize> = rows.iter().flatten().copied().collect();
    let entries = named.len();
    if entries == 0 {
        return Moves::one(0, written);
    }
    named.sort_unstable();
    named.dedup();
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    // Of an index, and of a weight.
    let index = size_of::<i32>();
    let each = index + weights.map_or(0, DType::bytes);
    let even = longest * rows.len();
    let table = if longest <= 8 && even <= 2 * (rows.len() + entries) {
        even * each
    } else {
        entries * each + (rows.len() + 1) * index
    };
    Moves { table, ..Moves::one(named.len() * others, written) }
}
