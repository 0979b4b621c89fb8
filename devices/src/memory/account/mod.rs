//! Who holds what: statistics of devices, streams and named scopes, limits on scopes, live blocks with the line
//! that allocated them, and a history that can be looked at.
//!
//! Counting is always on and costs a few relaxed atomics. Lists of blocks ([`record_sites`]) and histories
//! ([`Device::record`](crate::Device::record)) are off until asked for, and cost one atomic load then.
//!
//! ```
//! use arrayspan_devices::{Device, Memory, account};
//!
//! let device = Device::cpu();
//! let block = Memory::allocate(1 << 20, &device.stream()?)?;
//! assert!(device.statistics().live_bytes >= 1 << 20);
//! println!("{}", account::summary());
//! # drop(block);
//! # Ok::<(), arrayspan_devices::Error>(())
//! ```

mod action;
mod allocation_record;
mod ask;
mod charge;
mod events;
mod figures;
mod history;
mod html;
mod json;
mod leaks;
mod level;
pub mod nvtx;
mod report;
mod scope;
mod sites;
mod snapshot;
mod summary;

pub use action::Action;
pub(crate) use allocation_record::{AllocationRecord, allocate, allocate_at, enter_anyway, lend};
pub use charge::{Charge, Charged};
pub use figures::Figures;
pub(crate) use history::{History, reserved};
pub(crate) use leaks::from_environment;
pub use leaks::{LeakCheck, Mark, leaks_since, mark};
pub(crate) use level::Full;
pub use report::{
    DeviceMemoryReport, LibraryReport, MemoryReport, PinnedReport, ScopeReport, report, report_json,
};
pub use scope::{Entered, Scope, ScopeHandle};
pub use sites::{LiveBlock, live_blocks, record_sites};
pub use snapshot::{HeldBlock, MemoryEvent, Snapshot};
pub use summary::summary;
