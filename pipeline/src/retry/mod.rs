//! Work on a batch that goes on when memory runs out: again, in smaller pieces, on another device.
//!
//! ```
//! use arrayspan_pipeline::retry::{RecoveryPolicy, with_retry};
//! use arrayspan_bridge::{Array, Error, devices::Device};
//!
//! let shots = Array::from_vec((0..600).map(|i| i as f32).collect(), [100, 6])?;
//! // Runs on the device named, on as many shots at once as fit; results stay in order.
//! let outcome = with_retry(&shots, Device::cpu(), &RecoveryPolicy::default(), |piece, _stream| {
//!     Ok::<_, Error>(piece.view().to_vec::<f32>()?.iter().sum::<f32>())
//! });
//! let outcome = outcome.map_err(|failed| failed.error)?;
//! assert_eq!(outcome.results().sum::<f32>(), 179_700.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! # What the work must keep to
//! It may be run again after it has failed midway, on the same elements or fewer, and on another device:
//! * it reads its piece and what it has captured, and returns what it computes;
//! * it works on the stream it is given, and on that stream's device;
//! * what it adds to, it declares: [`with_checkpoint`] puts that back before the work runs again.
//!
//! Where it fails for another reason than memory, and where its device is lost, it is not run again.

mod fallback;
mod outcome;
mod policy;
mod run;
mod splittable;

pub use arrayspan_bridge::Checkpoint;
pub use outcome::{Done, Failed, Outcome, RetryStep};
pub use policy::RecoveryPolicy;
pub use run::{with_checkpoint, with_retry};
pub use splittable::{ArrayPiece, Splittable};
