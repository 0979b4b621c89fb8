//! Methods that look for the solution in Krylov spaces.
//!
//! | problem | method |
//! |---|---|
//! | least squares, any `A` | [`Cgls`]; [`Lsqr`] where `A` is ill-conditioned |
//! | the same, with gradients that never rise | [`Lsmr`] |
//! | `A x = y`, self-adjoint and positive | [`Cg`] |
//! | `A x = y`, self-adjoint | [`Minres`] |
//! | as [`Cgls`] and [`Cg`], where a reduction is slow | [`SingleReductionCgls`], [`SingleReductionCg`] |
//! | `A x = y`, any square `A` | [`Gmres`]; [`BiCgStab`] in less memory |

mod bicgstab;
mod breakdown;
mod cg;
mod cgls;
mod gmres;
mod golub_kahan;
mod lsmr;
mod lsqr;
mod minres;
mod single_reduction_cg;
mod single_reduction_cgls;
mod step;

pub use bicgstab::BiCgStab;
pub use cg::Cg;
pub use cgls::Cgls;
pub use gmres::Gmres;
pub use lsmr::Lsmr;
pub use lsqr::Lsqr;
pub use minres::Minres;
pub use single_reduction_cg::SingleReductionCg;
pub use single_reduction_cgls::SingleReductionCgls;
