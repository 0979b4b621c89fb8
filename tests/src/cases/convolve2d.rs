//! `Convolve2D`: along neighbouring axes and others, odd and even filters, products of two filters.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolution, Convolve2D, Error, Operator, Result, Space};

use super::convolution::{Along, By, golden};
use crate::suite::{Case, Cell, Values};

/// Products in one pass; transforms to lengths of small factors and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |key: &str, shape: &[usize], along: &[Along], by| {
        golden(dtype, &format!("convolve2d/{key}"), shape, along, by, make)
    };
    let odd: &[Along] = &[(-2, 5, 2), (-1, 3, 1)];
    let outer: &[Along] = &[(0, 2, 1), (2, 2, 1)];
    let factors: &[Along] = &[(0, 2, 1), (1, 4, 0)];
    vec![
        case("odd", &[11, 6], odd, By::Products),
        case("odd", &[11, 6], odd, By::Points([14, 7, 0])),
        case("outer", &[3, 2, 5], outer, By::Products),
        case("outer", &[3, 2, 5], outer, By::Points([4, 6, 0])),
        case("factors", &[5, 7, 1], factors, By::Factors(2)),
    ]
}

fn make(
    space: Space,
    axes: &[isize],
    filter: &Values,
    cell: &Cell,
    offsets: &[usize],
    method: Convolution,
) -> Result<Operator> {
    let (&[first, second], &[of_first, of_second]) = (axes, offsets) else {
        return Err(Error::Parameter { operator: "cases".into(), why: "not two axes".into() });
    };
    let filter = cell.array(filter)?.into_shared();
    Convolve2D::new(space, [first, second], filter, [of_first, of_second], method)
}
