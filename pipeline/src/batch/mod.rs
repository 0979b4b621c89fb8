//! Batches over several devices at once: uploaded, computed and downloaded with overlap, returned in order.
//!
//! Each device has a few *slots*, each a thread of its own, and a stream for uploads, one for computing and one for
//! downloads. A slot takes a batch, enqueues its upload, its computing and the download of the result, waits for that,
//! and takes the next. Slots take turns, on the device: while one computes, another uploads the next batch and a third
//! downloads the last. A thread that has to move bytes itself (those of
//! ordinary, pageable memory) does not keep the others from computing and downloading. One thread more takes batches from
//! the input, which may wait as long as it likes.
//!
//! ```
//! use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace};
//! use arrayspan_bridge::devices::Device;
//! use arrayspan_bridge::{Array, Error};
//!
//! let inputs = (0..8).map(|i| ndarray::Array2::<f32>::from_elem((3, 4), i as f32));
//! let copy = |x: &Array, on: &BatchPlace| {
//!     let mut y = Array::empty(x.shape(), x.dtype(), &on.stream)?; // enqueued, not waited for
//!     y.view_mut().copy_from(&x.view(), &on.stream)?;
//!     Ok::<_, Error>(y)
//! };
//! let mut run = inputs.across([Device::cpu(), Device::best()]).assign(Assignment::RoundRobin).map(copy)?;
//! for (i, result) in run.by_ref().enumerate() {
//!     assert_eq!(result?.view().as_ndarray::<f32>()?[[2, 3]], i as f32); // in input order, on the CPU
//! }
//! println!("{}", run.report());
//! # Ok::<(), Error>(())
//! ```

mod assignment;
mod coordinator;
mod feed;
mod options;
mod plan;
mod recover;
mod report;
mod run;
mod schedule;
mod slot;
mod spans;
mod streams;
mod turns;
mod worker;

pub use assignment::Assignment;
pub use options::OnLost;
pub use plan::{Across, Batches};
pub use report::{BatchDeviceReport, BatchReport};
pub use run::Run;
pub use slot::BatchPlace;
