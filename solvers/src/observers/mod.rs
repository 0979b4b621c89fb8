//! Observers that are ready: the callbacks of PyLops, and others.
//!
//! | PyLops | here |
//! |---|---|
//! | `CostToDataCallback(rtol)` | [`ResidualToData`], or [`Stop::residual`](crate::Stop::residual) |
//! | `CostToInitialCallback(rtol)` | [`ResidualToInitial`] |
//! | `CostNanInfCallback()` | nothing: each run ends with [`Stopped::NotFinite`](crate::Stopped::NotFinite) by itself |
//! | `MetricsCallback(xtrue, Op, which)` | [`Metrics`] |
//! | a function, called with `x` | a closure, called with [`Progress`](crate::Progress) |
//! | `show=True` | `ProgressBar`, with the feature `progress`; a closure that prints |
//! | - | [`Snapshots`], [`Cancel`], [`Recorder`]; any [`Condition`](crate::Condition) |
//!
//! ```
//! use arrayspan_bridge::{Array, DType};
//! use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
//! use arrayspan_solvers::observers::{Metrics, ResidualToInitial};
//! use arrayspan_solvers::{Cgls, Observer, Solver, Stopped};
//!
//! let space = Space::new([64], DType::Float64)?;
//! let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
//! let truth = Array::from_vec((0..64).map(|i| f64::from(i * i % 7)).collect(), [64])?;
//! let y = a.forward(&truth)?;
//! let mut metrics = Metrics::new(truth.into_shared()).every(2);
//! let mut enough = ResidualToInitial(1e-3);
//! let mut both: [&mut dyn Observer; 2] = [&mut metrics, &mut enough];
//! let solution = Cgls::default().solve_from(&a, &y, None, &mut both)?;
//! assert_eq!(solution.stopped, Stopped::Observer);
//! let mse: Vec<f64> = metrics.seen().iter().map(|(_, metrics)| metrics.mse).collect();
//! assert!(mse.last() < mse.first());
//! # Ok::<(), arrayspan_solvers::Error>(())
//! ```

mod cancel;
mod metrics;
#[cfg(feature = "progress")]
mod progress_bar;
mod recorder;
mod snapshots;
mod tolerance;

pub use cancel::Cancel;
pub use metrics::{Measured, Metrics};
#[cfg(feature = "progress")]
pub use progress_bar::ProgressBar;
pub use recorder::Recorder;
pub use snapshots::Snapshots;
pub use tolerance::{ResidualToData, ResidualToInitial};
