//! `CausalIntegration`: every integral along every axis, with and without its first result, of one sample and of many.

use arrayspan_bridge::DType;
use arrayspan_operators::{CausalIntegration, Integral};

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads each value once and writes each result once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let kinds = [
        ("full", Integral::Full),
        ("half", Integral::Half),
        ("trapezoidal", Integral::Trapezoidal),
    ];
    let mut cases = Vec::new();
    for (name, integral) in kinds {
        let golden = |key: &str| format!("causal_integration/{name}_{key}");
        cases.push(whole(&[11], 0, 0.5, integral).golden(golden("vector")));
        cases.push(whole(&[1, 4], 0, 0.5, integral).golden(golden("single")));
        for axis in 0..3 {
            let key = golden(&format!("axis{axis}"));
            let counted = if axis == 2 { -1 } else { axis };
            let case = whole(&[5, 3, 7], counted, 0.25, integral);
            cases.push(case.golden(key.clone()));
            let case = without_first(&[5, 3, 7], axis, 0.25, integral);
            cases.push(case.golden(key + "_removefirst"));
        }
    }
    cases.push(whole(&[127, 3], 0, -2.0, Integral::Trapezoidal));
    cases.push(whole(&[3, 127], 1, 0.004, Integral::Half));
    cases.push(without_first(&[1, 4], 0, 1.0, Integral::Full));
    cases
}

fn whole(shape: &[usize], axis: isize, step: f64, integral: Integral) -> Case {
    let all = shape.iter().product();
    let name = format!("{integral:?} of {shape:?} along axis {axis}, step {step}");
    let shape = shape.to_vec();
    let make = move |cell: &_| CausalIntegration::new(space(cell, &shape)?, axis, step, integral);
    Case::new(name, make).moves(Moves::one(all, all), Moves::one(all, all))
}

fn without_first(shape: &[usize], axis: isize, step: f64, integral: Integral) -> Case {
    let all: usize = shape.iter().product();
    let results = all - all / shape[axis as usize];
    let name = format!("{integral:?} of {shape:?} along axis {axis} without the first");
    let read = if results == 0 { 0 } else { all };
    let shape = shape.to_vec();
    let make =
        move |cell: &_| CausalIntegration::without_first(space(cell, &shape)?, axis, step, integral);
    Case::new(name, make).moves(Moves::one(read, results), Moves::one(results, all))
}
