//! One array for every device and every library.
//!
//! An [`Array`] knows its dtype, layout and device at run time. It comes from other libraries and goes to them
//! without a copy where that is possible; every crossing says whether it was ([`Crossing`]). Other layouts, dtypes
//! ([`Conversion`]) and devices take one copy each.
//!
//! ```
//! use arrayspan_bridge::{Array, Crossing, DType, Relayout, Transfer, devices::Device};
//!
//! let section = ndarray::Array2::<f32>::zeros((4, 5));
//! let mut x = Array::from(section); // its memory
//! x.view_mut().as_ndarray_mut::<f32>()?[[1, 2]] = 7.0;
//! assert_eq!((x.shape(), x.dtype(), x.device()), (&[4, 5][..], DType::Float32, Device::cpu()));
//!
//! let (there, crossing) = x.to(Device::best())?; // a copy, wherever that is
//! assert!(matches!(crossing, Crossing::Copied { .. }));
//! assert_eq!(there.view().selected(0, 1)?.to_vec::<f32>()?, [0.0, 0.0, 7.0, 0.0, 0.0]);
//! let (section, crossing) = x.into_ndarray::<f32>(Transfer::ZeroCopyOnly)?; // the memory that came in
//! assert_eq!((section[[1, 2]], crossing), (7.0, Crossing::ZeroCopy));
//! # Ok::<(), arrayspan_bridge::Error>(())
//! ```
//!
//! [`interop`] has the arrays of other libraries, [`dlpack`](mod@dlpack) all that speak `DLPack`, [`convert`](fn@convert) goes from any kind to any
//! other. Arithmetic makes an [`Elementwise`], which the crate `arrayspan-kernels` computes.
//!
//! The features `cuda` and `opencl`, on by default, are the devices of these kinds and the arrays of cudarc and opencl3.
#![cfg_attr(
    not(all(feature = "cuda", feature = "opencl")),
    allow(dead_code, unused_imports, reason = "what only back ends use that were left out")
)]

mod array;
mod as_view;
mod axes;
mod axis;
mod checkpoint;
mod concatenate;
pub mod convert;
mod copy;
mod create;
pub mod declared;
pub mod dlpack;
mod dtype;
pub mod elementwise;
mod error;
pub mod expression;
mod host;
pub mod interop;
pub mod iteration;
mod lanes;
mod layout;
mod lent;
mod operand;
mod owner;
pub mod parallel;
mod pinned;
mod preview;
mod real_view;
mod relayout;
mod scalar;
mod shared;
mod slicing;
mod stack;
mod to;
mod transfer;
mod values;
mod view;

pub use array::Array;
pub use arrayspan_devices as devices;
pub use as_view::AsView;
pub use axes::Axes;
pub use axis::Axis;
pub use checkpoint::Checkpoint;
pub use concatenate::concatenate;
pub use convert::convert;
pub use copy::cast::{Conversion, Overflow, Rounding, Scale};
pub use copy::catalogue;
pub use copy::device::CopyLaunch;
pub use copy::past::{copy_past_caches, goes_past_caches};
pub use dtype::{DType, Element};
pub use elementwise::{AsElementwise, Elementwise, Term};
pub use error::{Error, Result};
pub use expression::Expression;
#[cfg(feature = "torch")]
pub use interop::torch;
pub use lanes::{Beside, Lane, LaneMut, Lanes, LanesMut, PastCaches, RowSlices};
pub use layout::Layout;
pub use lent::LentArray;
pub use operand::{Operand, OperandMut};
pub use relayout::Relayout;
pub use scalar::ScalarView;
pub use shared::SharedArray;
pub use slicing::{AxisSlice, Slices};
pub use stack::{apply_slices, stack};
pub use transfer::{Crossing, Transfer, Why};
pub use view::{CARVE_BYTES, View, ViewMut, carve_bytes};
