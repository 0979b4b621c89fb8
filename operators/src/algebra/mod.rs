//! Operators made of operators: products, sums, multiples, adjoints and stacks.
//!
//! Scalars and adjoints cost nothing: they live in the [`Operator`] handle and go into the [`Update`] of the
//! operator itself. Sums and stacks let their parts write into the same array one after the other. Sums and products
//! are trees that nothing walks by recursion, so they may be of any depth.
//!
//! [`Update`]: arrayspan_kernels::Update

mod adjoint;
mod block_diagonal;
mod formula;
mod hstack;
mod operator;
mod pair;
mod partition;
mod product;
mod run;
mod scaled;
mod sum;
mod vstack;

pub use adjoint::adjoint;
pub use block_diagonal::block_diagonal;
pub use hstack::hstack;
pub use operator::Operator;
pub use vstack::vstack;

pub(crate) use product::product;

use arrayspan_bridge::devices::Device;

use crate::number::Gain;
use crate::{Error, LinearMap, Result};
use operator::Facts;

/// The device that the parts of a composition live on, if any is bound to one.
fn common_device(operation: &'static str, parts: &[Operator]) -> Result<Option<Device>> {
    let mut devices = parts.iter().filter_map(LinearMap::device);
    let Some(left) = devices.next() else { return Ok(None) };
    match devices.find(|&right| right != left) {
        None => Ok(Some(left)),
        Some(right) => Err(Error::Devices { operation, left, right }),
    }
}

/// What is known of a stack of these parts: as `operation` asked for it.
///
/// # Errors
/// [`Error::Parameter`] when too many are within each other: they are walked by recursion.
fn stacked(operation: &'static str, parts: &[Operator]) -> Result<Facts> {
    let levels = 1 + parts.iter().map(Operator::levels).max().unwrap_or(0);
    if levels > MOST_LEVELS {
        let why = format!("{levels} stacks within each other; at most {MOST_LEVELS} can be");
        return Error::parameter(operation, why);
    }
    let gains = [false, true].map(|adjoint| {
        let gains = parts.iter().map(|part| part.gain(adjoint));
        gains.reduce(Gain::union).unwrap_or(Gain::ONE)
    });
    Ok(Facts { gains, levels })
}

/// Stacks and block diagonals that may be within each other.
const MOST_LEVELS: usize = 64;

/// The workspace that parts take one after the other.
fn shared_workspace(parts: &[Operator]) -> usize {
    parts.iter().map(LinearMap::workspace).max().unwrap_or(0)
}
