//! The transpose, whose table is made when somebody reads it: an operator has two directions, and may be applied in one only.

use std::sync::OnceLock;

use arrayspan_bridge::devices::vectors::filled;
use num_complex::Complex64;

use super::Gather;
use super::table::{Table, Weights};
use crate::Result;

/// The transpose of a sparse matrix.
#[derive(Debug)]
pub(super) struct Transpose {
    /// One that is not such a transpose itself.
    pub(super) of: Gather,
    /// Whether weights are conjugated; not if they are real.
    pub(super) conj: bool,
    table: OnceLock<Table>,
}

impl Transpose {
    pub(super) fn new(of: Gather, conj: bool) -> Self {
        Self { of, conj, table: OnceLock::new() }
    }

    /// The table, made if this is the first call. Its memory follows the number of columns.
    pub(super) fn table(&self) -> Result<&Table> {
        if let Some(made) = self.table.get() {
            return Ok(made);
        }
        let made = transposed(self.of.table()?, self.conj)?;
        Ok(self.table.get_or_init(|| made))
    }
}

/// The transpose, by counting the entries of each column. Those of a column stay in the order of their rows, so that what is
/// added does not depend on anything else.
fn transposed(table: &Table, conj: bool) -> Result<Table> {
    let entries = table.entries();
    // Behind `starts[column + 1]` each column's next entry goes. When all are there, that is where the next column begins.
    let mut starts = filled(table.columns.saturating_add(2), 0)?;
    (0..entries).for_each(|at| starts[table.indices.get(at) + 2] += 1);
    for column in 0..table.columns {
        starts[column + 2] += starts[column + 1];
    }
    let mut indices = filled(entries, 0)?;
    let weighted = !matches!(table.weights, Weights::Ones);
    let mut weights = filled(if weighted { entries } else { 0 }, Complex64::ONE)?;
    for row in 0..table.rows {
        for at in table.span(row) {
            let to = &mut starts[table.indices.get(at) + 1];
            indices[*to] = row;
            if weighted {
                let weight = table.weights.get(at);
                weights[*to] = if conj { weight.conj() } else { weight };
            }
            *to += 1;
        }
    }
    starts.pop();
    Ok(Table::new(table.rows, starts, indices, weights))
}
