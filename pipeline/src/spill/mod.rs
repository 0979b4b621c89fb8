//! Arrays that may wait on the host while others need the memory of their device.
//!
//! ```
//! use arrayspan_bridge::{Array, DType, devices::Device};
//! use arrayspan_pipeline::spill::Spillable;
//!
//! let stream = Device::best().stream()?;
//! let mut array = Spillable::new(Array::empty([1000], DType::Float32, &stream)?);
//! // Whoever runs out of memory now may have it moved to the host. To use it is to bring it back.
//! let held = array.get()?;
//! assert_eq!(held.shape(), [1000]);
//! drop(held);
//! let array: Array = array.into_array()?;
//! # Ok::<(), arrayspan_bridge::Error>(())
//! ```

mod place;
mod reclaim;
mod slot;
mod spillable;
mod statistics;

pub use spillable::{Spillable, SpillableGuard, SpillableGuardMut};
pub use statistics::{SpillStatistics, statistics};
