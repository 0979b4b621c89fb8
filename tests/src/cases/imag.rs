//! `Imag`: of vectors and of several axes.

use arrayspan_bridge::DType;
use arrayspan_operators::Imag;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads and writes each value once; of real numbers there is nothing to read.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape: &[usize]| case(shape, dtype);
    vec![
        case(&[11]).golden("imag/vector"),
        case(&[5, 3]).golden("imag/matrix"),
        case(&[1, 13, 2]),
        case(&[1]),
    ]
}

fn case(shape: &[usize], dtype: DType) -> Case {
    let len = shape.iter().product();
    let name = format!("{shape:?}");
    let shape = shape.to_vec();
    let case = Case::new(name, move |cell: &_| Imag::new(space(cell, &shape)?));
    if dtype.is_complex() {
        return case.moves(Moves::one(len, len), Moves::one(len, len));
    }
    // Of real numbers it is zero.
    let (zeros, nothing) = (Moves::one(0, len), Moves::one(0, 0));
    case.moves(zeros, zeros).moves_adding(nothing, nothing)
}
