//! Convolutions along an axis by Fourier transforms of blocks.

use arrayspan_kernels::Filter as Taps;

use super::filter::Filter;
use super::filter_pass::Pass;
use crate::{Operator, Result, Space};

/// From so many taps on a pass with transforms takes less than one with products: on one H100 they take as long for 350 to 700 taps
/// (`cargo test --release -p arrayspan-kernels --test filter_times -- --ignored --nocapture`).
const LONG: usize = 512;

/// Whether blocks have room for the filter.
pub(super) fn hold(filter: &Filter, space: &Space) -> bool {
    Taps::takes(&filter.taps, space.dtype())
}

/// Whether that takes less time than products.
pub(super) fn is_cheaper(filter: &Filter) -> bool {
    filter.taps.len() >= LONG
}

/// Of a filter that they [`hold`].
pub(super) fn operator(name: &'static str, space: Space, filter: &Filter) -> Result<Operator> {
    let taps = Taps::new(filter.axes[0], &filter.taps, filter.offsets[0])?;
    Ok(Operator::new(Pass::new(name, space, taps)))
}
