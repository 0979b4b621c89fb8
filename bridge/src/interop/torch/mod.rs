//! libtorch, through `tch`: tensors become arrays and arrays tensors, without a copy, on the CPU and on CUDA.
//!
//! ```
//! use arrayspan_bridge::torch::{self, TorchOptions};
//! use arrayspan_bridge::{Array, Crossing};
//!
//! let array = Array::from_vec(vec![1.0_f32, 2.0, 3.0], [3])?;
//! let (tensor, crossing) = torch::export(array, TorchOptions::default())?;
//! assert_eq!(crossing, Crossing::ZeroCopy);
//! let (array, crossing) = torch::import(tensor + 1.0, TorchOptions::default())?;
//! assert_eq!(crossing, Crossing::ZeroCopy);
//! assert_eq!(array.view().as_slice::<f32>()?, [2.0, 3.0, 4.0]);
//! # Ok::<(), arrayspan_bridge::Error>(())
//! ```
//!
//! # Who may write
//! An [`Array`](crate::Array) is alone with its memory, a tensor often is not: views, clones and graphs share
//! storages. [`import`] counts the holders, takes a tensor that is alone as it is and copies any other;
//! [`import_shared`] takes it as it is if the caller promises that nobody writes. The other way torch knows no
//! read-only tensors: [`export`] takes an `Array`, [`export_shared`] copies what others can read too, and
//! [`lend`] leaves it to the caller's promise.
//!
//! # Streams
//! Torch puts its work on the stream that is current on the calling thread ([`current_stream`]). Import makes our
//! later work wait for what is on it then, export makes it wait for our work; the host never waits. Neither the
//! current device nor the current stream of torch are changed.
//!
//! An imported tensor is dropped once all our work that uses it is *done*, whatever the streams. So torch's allocator,
//! which gives memory out again in the order of the stream it was first used on, finds it idle and needs to know
//! nothing of our streams. One that is handed back while our work is under way is recorded on the stream it is handed
//! back on.
//!
//! An exported array is given back by torch as soon as the last tensor over it is dropped, although kernels that use
//! it may still be queued, and torch forgets for memory that is not its own on which streams it was used
//! (`record_stream` does nothing). So at that moment our memory is told of every stream such a kernel can be on:
//! the one of the export, torch's default stream, those of [`with_stream`] and [`record_stream`], and the one current
//! on the thread that drops the tensor. It is released after all that is on them.
//!
//! # Gradients
//! An array cannot carry gradients. A function of arrays that is linear can be a part of torch's graph all the same: a
//! [`LinearFunction`] and its adjoint make a [`Differentiable`], which takes tensors and gives tensors, and through which
//! torch's backward passes go.
//!
//! # CUDA
//! `libtorch_cuda` is opened at run time, by the first call here that needs it; programs link without it. Torch
//! remembers for good that it has no CUDA if it was asked before, so a program that makes CUDA tensors with tch
//! calls [`load_cuda`] or [`device`] first. Then torch's cache is one of those that arrayspan asks for memory when it
//! runs out ([`devices::reclaim`](arrayspan_devices::reclaim)).

mod borrowed;
mod cache;
mod differentiable;
mod export;
mod exported;
mod import;
mod inspect;
mod linear;
mod load;
mod memory;
mod options;
mod record;
mod shim;
mod stream;

pub use differentiable::Differentiable;
pub use export::{export, export_shared, lend};
pub use import::{import, import_shared};
pub use linear::LinearFunction;
pub use load::{device, load_cuda};
pub use memory::{attempt, empty_cache, memory_statistics};
pub use options::{Gradients, TorchOptions};
pub use record::record_stream;
pub use stream::{current_stream, with_stream};
/// The tch whose tensors cross here.
pub use tch;
