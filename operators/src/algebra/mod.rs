//! Operators made of operators: products, sums, multiples, adjoints and stacks.
//!
//! Scalars and adjoints cost nothing: they live in the [`Operator`] handle and go into the [`Update`] of the
//! operator itself. Sums and stacks let their parts write into the same array one after the other.
//!
//! [`Update`]: arrayspan_kernels::Update

mod adjoint;
mod block_diagonal;
mod hstack;
mod operator;
mod partition;
mod product;
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

use crate::{Error, LinearMap, Result};

/// The device that the parts of a composition live on, if any is bound to one.
fn common_device(operation: &'static str, parts: &[Operator]) -> Result<Option<Device>> {
    let mut devices = parts.iter().filter_map(LinearMap::device);
    let Some(left) = devices.next() else { return Ok(None) };
    match devices.find(|&right| right != left) {
        None => Ok(Some(left)),
        Some(right) => Err(Error::Devices { operation, left, right }),
    }
}

/// The workspace that parts take one after the other.
fn shared_workspace(parts: &[Operator]) -> usize {
    parts.iter().map(LinearMap::workspace).max().unwrap_or(0)
}
