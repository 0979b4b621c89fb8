//! Functions that are minimised by their proximal operators, and methods that do so.
//!
//! A [`Proximal`] function has a value and a proximal operator, and one of its convex conjugate; who writes one of their own needs no
//! more. What the methods ask for, and where they help:
//!
//! | problem | asked for | method |
//! |---|---|---|
//! | `min f(x) + g(x)` | the gradient of `f`, `prox` of `g` | [`ProximalGradient`] |
//! | `min f(x) + g(A x)` | `prox` of `f` and of the conjugate of `g` | [`ChambollePock`] |
//! | the same | `prox` of both, or a sum of squares for `f`, which is solved by conjugate gradients | [`Admm`] |
//!
//! | function | value |
//! |---|---|
//! | [`L1`], [`L2`], [`L21`], [`Nuclear`], [`Tv`] | norms: of elements, of all, of groups along an axis, of singular values, of differences |
//! | [`SquaredL2`] | a misfit, `w/2 ‖A x - b‖²` |
//! | [`Bounds`], [`Simplex`], [`L1Ball`], [`Equal`] | 0 in a set, infinity elsewhere |
//! | [`Blocks`], [`Composed`] | sums of functions of parts; functions scaled and shifted |

mod admm;
mod applied;
mod arithmetic;
mod blocks;
mod bounds;
mod chambolle_pock;
mod composed;
mod equal;
mod functional;
mod l1;
mod l1_ball;
mod l2;
mod l21;
mod minimizer;
mod minimizing;
mod nuclear;
mod proximal_gradient;
mod quadratic;
mod radial;
mod saved;
mod scratch;
mod shared;
mod simplex;
mod smooth;
mod squared_l2;
mod threshold;
mod tv;

pub use admm::Admm;
pub use blocks::Blocks;
pub use bounds::Bounds;
pub use chambolle_pock::{ChambollePock, Steps};
pub use composed::Composed;
pub use equal::Equal;
pub use functional::{Misfit, Proximal};
pub use l1::L1;
pub use l1_ball::L1Ball;
pub use l2::L2;
pub use l21::L21;
pub use minimizer::{Composite, Minimizer, Split};
pub use minimizing::Minimizing;
pub use nuclear::Nuclear;
pub use proximal_gradient::ProximalGradient;
pub use saved::SavedMinimizing;
pub use scratch::Scratch;
pub use simplex::Simplex;
pub use smooth::Smooth;
pub use squared_l2::SquaredL2;
pub use tv::Tv;
