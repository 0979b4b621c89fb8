//! Least-squares problems of several parts, as one operator and one right-hand side that solvers take.
//!
//! | PyLops | here | solved by |
//! |---|---|---|
//! | `regularized_inversion` | [`regularized`] | [`Cgls`](crate::Cgls), [`Lsqr`](crate::Lsqr) |
//! | `normal_equations_inversion` | [`normal_equations`] | [`Cg`](crate::Cg) |
//! | `preconditioned_inversion` | [`preconditioned`] | either |

mod normal_equations;
mod preconditioned;
mod regularized;

pub use normal_equations::{NormalEquations, normal_equations};
pub use preconditioned::preconditioned;
pub(crate) use regularized::stacked;
pub use regularized::{Regularized, Term, regularized};
