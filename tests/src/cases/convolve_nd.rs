//! `ConvolveND`: along two and three axes in any order, odd and even filters, products of filters, complex ones.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolution, ConvolveND, Operator, Result, Space};

use super::convolution::{Along, By, golden};
use crate::suite::{Case, Cell, Values};

/// Products in one pass; transforms to lengths of small factors and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |key: &str, shape: &[usize], along: &[Along], by| {
        golden(dtype, &format!("convolve_nd/{key}"), shape, along, by, make)
    };
    let plane: &[Along] = &[(0, 3, 1), (1, 3, 2)];
    let turned: &[Along] = &[(2, 2, 0), (0, 3, 2)];
    let volume: &[Along] = &[(0, 3, 0), (1, 2, 0), (2, 3, 0)];
    let fibre: &[Along] = &[(0, 1, 0), (1, 3, 1)];
    let mut cases = vec![
        case("plane", &[7, 11], plane, By::Products),
        case("plane", &[7, 11], plane, By::Points([8, 14, 0])),
        case("turned", &[5, 2, 7], turned, By::Products),
        case("turned", &[5, 2, 7], turned, By::Points([7, 8, 0])),
        case("volume", &[5, 3, 6], volume, By::Products),
        case("volume", &[5, 3, 6], volume, By::Points([7, 4, 8])),
        case("factors", &[7, 11], plane, By::Factors(2)),
        case("fibre", &[1, 5], fibre, By::Factors(1)),
    ];
    if dtype.is_complex() {
        cases.push(case("complex", &[7, 11], plane, By::Products));
        cases.push(case("complex", &[7, 11], plane, By::Points([8, 14, 0])));
    }
    cases
}

fn make(
    space: Space,
    axes: &[isize],
    filter: &Values,
    cell: &Cell,
    offsets: &[usize],
    method: Convolution,
) -> Result<Operator> {
    ConvolveND::new(space, axes, cell.array(filter)?.into_shared(), offsets, method)
}
