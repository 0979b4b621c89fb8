//! Copies between pageable host memory and devices, in chunks by way of page-locked buffers.
//!
//! A device reads and writes page-locked memory only. For other memory a driver copies by a buffer of its own, on one
//! thread of the host, which is three to six times slower than the bus. Here several threads fill one part of a buffer
//! while the device empties another. Below a threshold the driver's own way is quicker, and taken.

mod buffer;
mod bytes;
mod moving;
mod pages;
mod pipeline;
mod settings;
mod share;
mod task;
mod workers;

pub(crate) use buffer::StagingBuffers;
pub(super) use buffer::{StagingBuffer, both, one};
pub(super) use pipeline::{download, relay, upload};
pub use settings::{Settings, configure, settings};
