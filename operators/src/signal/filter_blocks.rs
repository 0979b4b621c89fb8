//! Convolutions along an axis by Fourier transforms of blocks.

use arrayspan_bridge::DType;
use arrayspan_kernels::Filter as Taps;

use super::filter::Filter;
use super::filter_pass::Pass;
use crate::{Operator, Result, Space};

/// From so many taps on a pass with transforms takes less than one with products: along the last axis of 32-bit numbers, along others, and of
/// 64-bit numbers. They take as long for 130 and 160 taps along both on an H200, for 180 and 320 on two cores of a host, and of 64-bit
/// numbers on an H100 for 350 to 700 (`cargo test --release -p arrayspan-kernels --test filter_times -- --ignored --nocapture`).
const LONG_ROWS: usize = 192;
const LONG_COLUMNS: usize = 256;
const LONG_WIDE: usize = 512;

/// Whether blocks have room for the filter.
pub(super) fn hold(filter: &Filter, space: &Space) -> bool {
    Taps::takes(&filter.taps, space.dtype())
}

/// Whether that takes less time than products.
pub(super) fn is_cheaper(filter: &Filter, space: &Space) -> bool {
    let behind = space.shape().iter().skip(filter.axes[0] + 1);
    let least = match (space.dtype().real(), behind.product::<usize>()) {
        (DType::Float32, 1) => LONG_ROWS,
        (DType::Float32, _) => LONG_COLUMNS,
        _ => LONG_WIDE,
    };
    filter.taps.len() >= least
}

/// Of a filter that they [`hold`].
pub(super) fn operator(name: &'static str, space: Space, filter: &Filter) -> Result<Operator> {
    let taps = Taps::new(filter.axes[0], &filter.taps, filter.offsets[0])?;
    Ok(Operator::new(Pass::new(name, space, taps)))
}
