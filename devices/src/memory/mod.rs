//! Blocks of device memory, and the order in which streams may use them.

mod access;
pub mod account;
mod adopted;
mod attempt;
mod block;
mod contest;
mod copy;
mod deleters;
mod duty;
#[cfg(test)]
mod fake;
mod foreign;
mod gate;
mod hand_back;
mod limits;
#[cfg(test)]
mod locked;
mod locked_pages;
#[cfg(test)]
mod lost;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_device;
mod pinned;
pub(crate) mod pool;
mod reaper;
pub(crate) mod recover;
mod recovered;
mod refusal;
mod register;
mod release;
pub mod retry;
mod shortage;
pub mod staging;
#[cfg(test)]
mod stand_in;
mod statistics;
mod steps;
mod together;
#[cfg(test)]
mod transfers;
mod unrecovered;
mod uses;
mod within;

pub use access::Access;
pub use block::Memory;
pub(crate) use deleters::run as run_theirs;
pub(crate) use gate::Gate;
pub use hand_back::Release;
pub(crate) use pinned::PinnedPool;
pub use pinned::PinnedStatistics;
pub use pool::Limit;
pub(crate) use pool::Pool;
pub(crate) use reaper::{settle, settle_after};
pub(crate) use recover::or_recover;
pub(crate) use refusal::print as print_refused;
pub use refusal::{Refusal, Refused};
pub use register::Registered;
pub use release::{drain, drain_for};
pub(crate) use staging::StagingBuffers;
pub(crate) use statistics::Counters;
pub use statistics::Statistics;
pub(crate) use together::queue_on;
