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
    let columns = turned(rows, extent);
    [direction(rows, extent, others, weights), direction(&columns, rows.len(), others, weights)]
}

/// The columns that rows of a product name, each once.
pub(super) fn product(outer: &[Vec<usize>], inner: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let row = |row: &Vec<usize>| {
        let mut named: Vec<usize> =
            row.iter().flat_map(|middle| &inner[*middle]).copied().collect();
        named.sort_unstable();
        named.dedup();
        named
    };
    outer.iter().map(row).collect()
}

/// The rows that columns name.
pub(super) fn turned(rows: &[Vec<usize>], extent: usize) -> Vec<Vec<usize>> {
    let mut columns = vec![Vec::new(); extent];
    for (number, row) in rows.iter().enumerate() {
        for column in row {
            columns[*column].push(number);
        }
    }
    columns
}

/// One launch that reads what is named, and the table: as many places for each row, unless rows are too uneven. Of a vector whose
/// elements are picked in their order, or brought back, a bit for each, and a number for 32 of them.
fn direction(rows: &[Vec<usize>], columns: usize, others: usize, weights: Option<DType>) -> Moves {
    let written = rows.len() * others;
    let mut named: Vec<usize> = rows.iter().flatten().copied().collect();
    let entries = named.len();
    if entries == 0 {
        return Moves::one(0, written);
    }
    let rising = named.is_sorted_by(|one, next| one < next);
    named.sort_unstable();
    named.dedup();
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    // Of an index, and of a weight.
    let index = size_of::<i32>();
    let each = index + weights.map_or(0, DType::bytes);
    let even = longest * rows.len();
    let most = rows.len().max(columns);
    let picks = others == 1 && longest == 1 && rising && weights.is_none();
    let table = if picks && entries == rows.len().min(columns) {
        most.div_ceil(32) * 8
    } else if longest <= 8 && even <= 2 * (rows.len() + entries) {
        even * each
    } else {
        entries * each + (rows.len() + 1) * index
    };
    Moves { table, ..Moves::one(named.len() * others, written) }
}
