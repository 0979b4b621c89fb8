//! What the cases of convolutions along several axes share.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolution, Operator, Result, Space};

use super::{fourier, golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// A filter along axes, ascending ones first: its extents and offsets.
pub(super) type Along = (isize, usize, usize);

/// What makes the operator of a space and a filter.
pub(super) type Make =
    fn(Space, &[isize], &Values, &Cell, &[usize], Convolution) -> Result<Operator>;

/// How it is done, as the moves tell it.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    /// Sums of products, in one pass.
    Products,
    /// Transforms to so many points along each axis.
    Points([usize; 3]),
    /// A band along so many axes, one after the other.
    Factors(usize),
}

/// A case with golden data, and the filter with them.
pub(super) fn golden(
    dtype: DType,
    key: &str,
    shape: &[usize],
    along: &[Along],
    by: By,
    make: Make,
) -> Case {
    let method = match by {
        By::Products => Convolution::Direct,
        By::Points(_) => Convolution::Fourier,
        By::Factors(_) => Convolution::Auto,
    };
    let [forward, adjoint] = moves(dtype, shape, along, by);
    let name = format!("{key}: {along:?} of {shape:?}, {method:?}");
    let (shape, key) = (shape.to_vec(), key.to_owned());
    let (axes, offsets): (Vec<isize>, Vec<usize>) =
        along.iter().map(|&(axis, _, offset)| (axis, offset)).unzip();
    let of_key = key.clone();
    let made = move |cell: &Cell| {
        let filter = golden_array(cell, &of_key, "filter")?;
        make(space(cell, &shape)?, &axes, &filter, cell, &offsets, method)
    };
    Case::new(name, made).moves(forward, adjoint).golden(key)
}

fn moves(dtype: DType, shape: &[usize], along: &[Along], by: By) -> [Moves; 2] {
    let len: usize = shape.iter().product();
    let axis = |axis: isize| axis.rem_euclid(shape.len() as isize) as usize;
    match by {
        By::Factors(axes) => {
            let one = Moves::one(len, len);
            let all = (1..axes).fold(one, |all, _| all.then(one));
            [all, all]
        }
        By::Products => [Moves::one(len, len); 2],
        By::Points(points) => {
            let mut axes: Vec<usize> = along.iter().map(|along| axis(along.0)).collect();
            axes.sort_unstable();
            let (mut extents, mut lens, mut response) = (shape.to_vec(), vec![len], 1);
            for (at, &axis) in axes.iter().enumerate().rev() {
                let half = at + 1 == axes.len() && !dtype.is_complex();
                extents[axis] = if half { points[at] / 2 + 1 } else { points[at] };
                response *= extents[axis];
                lens.push(extents.iter().product());
            }
            [fourier::filtered(dtype, &lens, response); 2]
        }
    }
}
