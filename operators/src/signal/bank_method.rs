//! Which way filters at places are applied.

use arrayspan_bridge::SharedArray;

use super::Convolution;
use super::bank::{Bank, Places, expected};
use super::bank_direct;
use crate::{Error, Operator, Result, Space, number};

const BLOCKS: &str = "filters at places are not applied by blocks; Direct and Whole can be used";

/// The convolution along all axes of `space` with filters, `[places…, taps…]` along these. Waits for them.
pub(super) fn operator(
    name: &'static str,
    space: Space,
    filters: &SharedArray,
    places: &[&[usize]],
    method: Convolution,
) -> Result<Operator> {
    let taps = filters.shape().get(places.len()..).unwrap_or_default();
    let places = Places::of(name, &space, places, taps)?;
    let direct = match method {
        Convolution::Auto => bank_direct::is_cheaper(&places),
        Convolution::Direct => true,
        Convolution::Fourier | Convolution::Whole => false,
        Convolution::Blocks => return Error::parameter(name, BLOCKS),
    };
    let shape = Places::filters(&places);
    let taps = expected(name, "the filters", &filters.view(), &shape, &space)?;
    number::filter(name, "the filters", &taps, space.dtype())?;
    if direct {
        return bank_direct::operator(name, space, &places, &taps);
    }
    Bank::new(name, space, places)?.convolution(&taps, filters.device())
}
