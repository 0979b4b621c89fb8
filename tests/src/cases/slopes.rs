//! Slopes, by a formula that the golden data use, too.

/// Slopes of which none moves whole samples: `((7 i + 3 j) mod 11) / 4 - 1.1`.
pub(super) fn varied([rows, columns]: [usize; 2]) -> Vec<f64> {
    let slope = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        ((7 * row + 3 * column) % 11) as f64 / 4.0 - 1.1
    };
    (0..rows * columns).map(slope).collect()
}

/// Slopes that are the same in all rows.
pub(super) fn of_columns([rows, columns]: [usize; 2]) -> Vec<f64> {
    let first = varied([1, columns]);
    (0..rows * columns).map(|at| first[at % columns]).collect()
}
