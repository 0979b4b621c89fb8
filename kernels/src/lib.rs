//! The verbs: a small vocabulary of array primitives, in which every operator and solver is written.
//!
//! A verb is asked of an [`Executor`]; it is checked once, then run by [`Host`] (all cores), [`Gpu`] (CUDA and
//! `OpenCL`, one source), counted by
//! [`Trace`], or kept to be run over and over by [`Plan`]. Arrays are strided and typed at run time; results stay on the
//! device, also single numbers. [`Vector`] and [`VectorMut`] are arithmetic of arrays, which calls verbs; [`user`] has kernels of
//! your own, which CUDA and `OpenCL` devices run.
//!
//! ```
//! use arrayspan_kernels::bridge::{Array, DType, devices::Device};
//! use arrayspan_kernels::{Reduction, Vector, input, on};
//!
//! let x = Array::from_vec(vec![1.0, -2.0, 3.0, -4.0], [2, 2])?;
//! let on = on(Device::cpu())?; // the executor of the device's default stream
//! let mut largest = on.empty(&[2], DType::Float64)?;
//! on.reduce(Reduction::Maximum, &input(0).abs(), &[x.view()], &[1], largest.view_mut())?; // enqueued
//! assert_eq!(largest.to_vec::<f64>()?, [2.0, 4.0]); // waits
//! assert_eq!(x.abs().max_axes(1)?.to_vec::<f64>()?, [2.0, 4.0]); // the same by the vector layer
//! # Ok::<(), arrayspan_kernels::Error>(())
//! ```

mod band;
mod convolution;
mod cost;
mod error;
mod executor;
mod executors;
mod factors;
mod filter;
mod fourier;
mod gather;
mod gpu;
mod graph;
mod host;
mod kept;
mod level;
mod needed;
mod number;
mod plan;
mod program;
mod projection;
mod scan;
mod trace;
mod update;
pub mod user;
mod varying_convolution;
pub mod vector;
pub mod verb;

pub use arrayspan_bridge as bridge;
pub use arrayspan_bridge::expression::{
    self, Binary, Expression, Unary, constant, input, previous,
};
pub use band::{Band, Tap};
pub use convolution::Convolution;
pub use cost::Cost;
pub use error::{Error, Result};
pub use executor::Executor;
pub use executors::{on, on_stream};
pub use filter::Filter;
pub use fourier::{Fourier, Signals};
pub use gather::Gather;
pub use gpu::{Gpu, Transforms, catalogue, warm_up};
pub use graph::Graph;
pub use host::Host;
pub use number::{Fit, computed, fit, widest_real};
pub use plan::{Arrays, Plan};
pub use projection::{Beam, Projection, Rays};
pub use scan::Scan;
pub use trace::Trace;
pub use update::{Factor, Update};
pub use varying_convolution::{Along, VaryingConvolution};
pub use vector::{Vector, VectorMut};
pub use verb::{Coefficients, Reduction, Stencil, StencilTerm};
