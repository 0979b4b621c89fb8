//! `DLPack`: arrays from and to any library that speaks it, without a copy.
//!
//! A [`Capsule`] owns one managed tensor and calls its deleter exactly once. What comes from outside is
//! validated before it is used: [`SharedArray::from_dlpack`](crate::SharedArray::from_dlpack) and
//! [`Array::from_dlpack`](crate::Array::from_dlpack) trust nothing but pointers, for which the caller of
//! [`Capsule::from_raw`] has vouched. Both structs of the standard, [`Versioned`] and [`Legacy`], go in
//! and out. What is checked, field by field, and which test shows it, is in [`docs/dlpack.md`](https://github.com/arrayspan/arrayspan/blob/main/docs/dlpack.md).
//!
//! ```
//! use arrayspan_bridge::dlpack::{Capsule, Versioned};
//! use arrayspan_bridge::{Array, Crossing, Transfer};
//!
//! let array = Array::from_vec(vec![1.0_f32, 2.0, 3.0], [3])?;
//! let raw = array.into_dlpack::<Versioned>(None)?.into_raw();
//! // … `raw` travels to another library; here it comes back.
//! // SAFETY: the struct is well formed, and no one else uses it or its memory.
//! let capsule = unsafe { Capsule::from_raw(raw)? };
//! let (array, crossing) = Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, None)?;
//! assert_eq!(crossing, Crossing::ZeroCopy);
//! assert_eq!(array.view().as_slice::<f32>()?, [1.0, 2.0, 3.0]);
//! # Ok::<(), arrayspan_bridge::Error>(())
//! ```
//!
//! # Streams
//! The structs carry no stream, so it is agreed beside them. On import, the stream given is the one the
//! producer has made its data safe on: our work on any other stream waits for it. On export it is the
//! one the consumer will use: it waits for our work. Without a stream, an imported array must be ready for
//! everybody, and an export waits on the host until it is.

mod abi;
mod capsule;
mod export;
mod fields;
mod import;
mod options;
mod packed;
mod refuse;
mod validate;

pub use abi::{Legacy, Managed, Versioned};
pub use capsule::Capsule;
pub use options::{ImportOptions, UnknownFlags};
pub use packed::Packed;
