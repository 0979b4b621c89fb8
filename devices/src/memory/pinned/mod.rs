//! Host memory whose pages are locked, so that devices copy from and to it themselves, at the full rate of the bus.

mod block;
mod buddy;
mod pool;
pub(super) mod ranges;
mod registration;
mod statistics;

pub(super) use block::{PinnedBlock, is_locked};
pub(crate) use pool::PinnedPool;
#[cfg(test)]
pub(super) use ranges::is_closing;
pub(crate) use registration::Registration;
pub use statistics::PinnedStatistics;
