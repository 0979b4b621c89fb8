#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub use arrayspan_bridge as bridge;
#[cfg(feature = "torch")]
pub use arrayspan_bridge::torch;
pub use arrayspan_devices as devices;
pub use arrayspan_kernels as kernels;
pub use arrayspan_operators as operators;
pub use arrayspan_pipeline as pipeline;
pub use arrayspan_solvers as solvers;
/// The versions of these crates whose types the interface has.
pub use {ndarray, num_complex};

/// How operators are written, step by step.
#[doc = include_str!("../docs/write-an-operator.md")]
pub mod guide {}

/// What most programs need.
pub mod prelude {
    pub use arrayspan_bridge::{Array, Crossing, DType, Layout, Relayout, SharedArray, Transfer};
    pub use arrayspan_bridge::{View, ViewMut};
    pub use arrayspan_devices::{Device, DeviceKind, Stream};
    pub use arrayspan_kernels::{Executor, Update, on, on_stream};
    pub use arrayspan_operators::prelude::*;
    pub use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace, OnLost};
    pub use arrayspan_solvers::{Cgls, Observer, Progress, Solution, Stop, Stopped};
}
