use arrayspan_kernels::{Cost, Trace, Update};
use arrayspan_operators::{LinearMap, LinearOperator, Operator};

use super::{host, random};

/// What it costs when it is applied, or its adjoint is.
pub(crate) fn traced(a: &Operator, adjoint: bool) -> Cost {
    let trace = Trace::of(host());
    let (mut x, mut y) = (random(a.domain(), 1), random(a.range(), 2));
    if adjoint {
        a.apply_adjoint(&trace, y.view(), x.view_mut(), Update::set()).unwrap();
    } else {
        a.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    }
    trace.take()
}
