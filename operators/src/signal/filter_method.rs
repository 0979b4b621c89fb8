//! Which way a filter is applied.

use arrayspan_kernels::Convolution as Taps;
use num_complex::Complex64;

use super::Convolution;
use super::convolve1d::Convolve1D;
use super::filter::Filter;
use super::filter_pass::Pass;
use super::filter_spectral::{self, Kept};
use crate::number::{ONE, ZERO};
use crate::{Error, Form, Formula, Identity, Operator, Result, Space};

const BLOCKS: &str = "a filter that is no product of one along each axis is not applied by blocks; Direct, Whole and Auto can be used";

/// The convolution. What it needs of the filter's spectrum lies on a device, or wherever it is applied.
pub(super) fn operator(
    name: &'static str,
    space: Space,
    filter: &Filter,
    method: Convolution,
    kept: Kept,
) -> Result<Operator> {
    if filter.taps.iter().all(|tap| *tap == ZERO) {
        return Operator::of(name, space.clone(), space, Form::Zero);
    }
    if !matches!(method, Convolution::Fourier | Convolution::Whole)
        && let Some(factors) = filter.factors(space.dtype())
    {
        return product(name, &space, filter, &factors, method);
    }
    let direct = match method {
        Convolution::Auto => !filter_spectral::is_cheaper(filter, &space, kept),
        Convolution::Direct => true,
        Convolution::Fourier | Convolution::Whole => false,
        Convolution::Blocks => return Error::parameter(name, BLOCKS),
    };
    if direct {
        let Filter { axes, extents, offsets, taps } = filter;
        let taps = Taps::new(axes, extents, taps, offsets)?;
        return Ok(Operator::new(Pass::new(name, space, taps)));
    }
    filter_spectral::operator(name, &space, filter, kept)
}

/// One convolution along each axis after the other.
fn product(
    name: &'static str,
    space: &Space,
    filter: &Filter,
    factors: &[Vec<Complex64>],
    method: Convolution,
) -> Result<Operator> {
    let mut product = Formula::from(Identity::new(space.clone())?);
    for (at, factor) in factors.iter().enumerate().rev() {
        // A single tap of one changes nothing.
        if factor[..] == [ONE] {
            continue;
        }
        let (axis, offset) = (filter.axes[at] as isize, filter.offsets[at]);
        let one = Convolve1D::by(space.clone(), axis, factor, offset, method);
        product = one.map_err(|error| error.of(name))?.after(product);
    }
    Ok(product.build()?.named(name))
}
