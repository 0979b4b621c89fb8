//! The transpose: entries sorted by their columns.

use num_complex::Complex64;

use super::{Table, Weights};

/// The transpose, each weight changed; by counting the entries of each column. Those of a column stay in the order of
/// their rows, so that what is added does not depend on anything else.
pub(super) fn transposed(table: &Table, change: impl Fn(Complex64) -> Complex64) -> Table {
    let mut starts = vec![0; table.columns + 1];
    let entries = table.entries();
    (0..entries).for_each(|at| starts[table.indices.get(at) + 1] += 1);
    for column in 0..table.columns {
        starts[column + 1] += starts[column];
    }
    let mut next = starts.clone();
    let mut indices = vec![0; entries];
    let weighted = !matches!(table.weights, Weights::Ones);
    let mut weights = vec![Complex64::ONE; if weighted { entries } else { 0 }];
    for row in 0..table.rows {
        for at in table.span(row) {
            let to = &mut next[table.indices.get(at)];
            indices[*to] = row;
            if weighted {
                weights[*to] = change(table.weights.get(at));
            }
            *to += 1;
        }
    }
    Table::new(table.rows, starts, indices, weights)
}
