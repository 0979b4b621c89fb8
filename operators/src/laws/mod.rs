//! What holds for every linear operator, tried on one: for authors, and for whoever doubts.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::kernels::bridge::DType;
//! use arrayspan_operators::{laws, prelude::*};
//! let space = Space::new([7, 5], DType::Complex64)?;
//! let report = laws::check(&Roll::new(space, 0, 3)?)?;
//! assert!(report.holds(), "{report}");
//! # Ok(()) }
//! ```

mod arguments;
mod linearity;
mod properties;
mod report;
mod strides;
pub(crate) mod trial;
mod update;
pub(crate) mod values;
mod workspace;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::Executor;
use num_complex::Complex64;

pub use report::{Finding, Law, Report};

use crate::check::{check_adjoint_on, formula};
use crate::{LinearMap, Result};
use trial::{Direction, Stop, Trial};
use values::{index_of, norm, not_finite, text, tolerance};

/// Tries every [`Law`] on an operator with random arrays, where the operator's arrays are, or on the CPU if it has none.
///
/// Waits for the device. Some forty applications, and vectors on the host. An error at an edge is a larger part of a small
/// array, so small spaces with extents that differ tell most; Float64 tells more than Float32.
///
/// # Errors
/// Out of memory, spaces that cannot be computed with. What the operator does wrong is told by the report, and that it
/// fails where it should not, too.
pub fn check(operator: &dyn LinearMap) -> Result<Report> {
    let on =
        arrayspan_kernels::on(operator.devices().map_or(Device::cpu(), |devices| devices.domain))?;
    check_on(operator, &*on, 1)
}

/// As [`check`], where `on` computes, with the arrays of a seed.
///
/// # Errors
/// As [`check`].
pub fn check_on(operator: &dyn LinearMap, on: &dyn Executor, seed: u64) -> Result<Report> {
    for space in [operator.domain(), operator.range()] {
        space.computable(operator.name())?;
    }
    let trial = Trial { operator, on, seed };
    let mut findings = Vec::with_capacity(Law::ALL.len());
    for law in Law::ALL {
        let tried = match law {
            Law::Adjoint => adjoint(trial),
            Law::Linearity => linearity::hold(trial),
            Law::Properties => properties::hold(trial),
            Law::Update => update::hold(trial),
            Law::Strides => strides::hold(trial),
            Law::Arguments => arguments::hold(trial),
            Law::Workspace => workspace::hold(trial),
        };
        let why = match tried {
            Ok(()) => None,
            Err(Stop::Broken(why)) => Some(why),
            Err(Stop::Refused(what, error)) => Some(format!("{what}: {error}")),
            Err(Stop::Failed(error)) => return Err(error),
        };
        findings.push(Finding { law, why });
    }
    Ok(Report { operator: formula(operator), findings })
}

fn adjoint(trial: Trial<'_>) -> Result<(), Stop> {
    // Says which direction fails, if one does.
    for direction in Direction::BOTH {
        trial.result(direction, &trial.random(direction.spaces(trial.operator)[0], 1))?;
    }
    let check = check_adjoint_on(trial.operator, trial.on, trial.seed)?;
    match &check.why {
        None => Ok(()),
        Some(why) => {
            let [left, right] = check.products.map(text);
            let (difference, allowed) = (check.difference, check.tolerance);
            Err(Stop::Broken(format!(
                "{why}: ⟨A x, y⟩ = {left}, ⟨x, Aᴴ y⟩ = {right}, {difference:.1e} of their usual size apart, \
                 allowed {allowed:.1e}"
            )))
        }
    }
}

/// Fails unless two results of a direction agree up to the rounding of numbers of this `size`, a norm.
fn near(
    trial: Trial<'_>,
    direction: Direction,
    [found, expected]: [&[Complex64]; 2],
    size: f64,
    what: impl FnOnce() -> String,
) -> Result<(), Stop> {
    let [from, to] = direction.spaces(trial.operator);
    let single = [from, to].iter().any(|space| space.dtype().real() == DType::Float32);
    let dtype = if single { DType::Float32 } else { DType::Float64 };
    let bound = tolerance(dtype, from.len().max(to.len())) * size;
    let differences: Vec<Complex64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    let distance = norm(&differences);
    let not_finite = not_finite(&differences);
    if not_finite.is_none() && distance <= bound {
        return Ok(());
    }
    let sizes = differences.iter().map(|difference| difference.norm()).enumerate();
    let worst = sizes.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(at, _)| at);
    let at = not_finite.map_or(worst, |(at, _)| at);
    let index = index_of(to.shape(), at);
    let [found, expected] =
        [found, expected].map(|all| all.get(at).map_or_else(String::new, |&v| text(v)));
    let all = match not_finite {
        None => format!("; all differ by {distance:.1e}, allowed {bound:.1e}"),
        Some(_) => String::new(),
    };
    Err(Stop::Broken(format!("{}: {found} at {index:?}, expected {expected}{all}", what())))
}
