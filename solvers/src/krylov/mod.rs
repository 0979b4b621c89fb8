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

use arrayspan_operators::LinearMap;

use crate::{Error, Result};

pub use bicgstab::BiCgStab;
pub use cg::Cg;
pub use cgls::Cgls;
pub use gmres::Gmres;
pub use lsmr::Lsmr;
pub use lsqr::Lsqr;
pub use minres::Minres;
pub use single_reduction_cg::SingleReductionCg;
pub use single_reduction_cgls::SingleReductionCgls;

/// Fails unless models and data have one space.
fn square(solver: &'static str, a: &dyn LinearMap) -> Result<()> {
    let (domain, range) = (a.domain(), a.range());
    if domain == range {
        return Ok(());
    }
    let why =
        format!("{} has models {domain} and data {range}, which have to be the same", a.name());
    Err(Error::Parameter { solver, why })
}
