//! `Fredholm1`: wide and tall matrices, one and several right-hand sides, one slice, one row.

use arrayspan_bridge::DType;
use arrayspan_operators::Fredholm1;

use super::golden_array;
use crate::suite::{Case, Cell, Moves};

/// One batch of products, which reads the kernel and each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    vec![
        golden([3, 5, 4], 2, "wide"),
        golden([2, 4, 7], 3, "tall"),
        golden([5, 3, 3], 1, "vectors"),
        golden([1, 2, 11], 2, "one_slice"),
        golden([3, 1, 5], 1, "one_row"),
    ]
}

fn golden([slices, rows, columns]: [usize; 3], others: usize, key: &str) -> Case {
    let key = format!("fredholm1/{key}");
    let kernel = slices * rows * columns;
    let (model, data) = (slices * columns * others, slices * rows * others);
    let of_key = key.clone();
    let make = move |cell: &Cell| {
        let kernel = cell.array(&golden_array(cell, &of_key, "kernel")?)?;
        Fredholm1::new(kernel.into_shared(), others)
    };
    let case = Case::new(key.clone(), make).golden(key);
    case.moves(Moves::one(kernel + model, data), Moves::one(kernel + data, model))
}
