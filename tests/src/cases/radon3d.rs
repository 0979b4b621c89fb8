//! `Radon3D`: planes, paraboloids and hyperboloids, between samples and on them.

use arrayspan_bridge::DType;
use arrayspan_operators::{Interpolation, Radon3D, RadonKind};

use super::{radon2d, space};
use crate::suite::Case;

/// One launch that reads the table.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    use Interpolation::{Linear as Between, Nearest};
    use RadonKind::{Hyperbolic, Linear, Parabolic};
    let golden = |key: &str, case: Case| case.golden(format!("radon3d/{key}"));
    vec![
        golden("planes", case(dtype, [Linear; 2], Between, 13)),
        golden("paraboloids", case(dtype, [Parabolic; 2], Between, 13)),
        golden("hyperboloids", case(dtype, [Hyperbolic; 2], Between, 13)),
        golden("nearest", case(dtype, [Linear; 2], Nearest, 13)),
        case(dtype, [Parabolic, Linear], Between, 1),
    ]
}

fn case(dtype: DType, kinds: [RadonKind; 2], interpolation: Interpolation, samples: usize) -> Case {
    let (y, x) = places(kinds);
    let counts = [y[0].len() * x[0].len(), y[1].len() * x[1].len()];
    let [forward, adjoint] = radon2d::moves(dtype, kinds[0], counts, samples);
    let name = format!("{kinds:?}, {interpolation:?}, {samples} samples");
    let make = move |cell: &_| {
        let space = space(cell, &[y[0].len(), x[0].len(), samples])?;
        Radon3D::new(space, 0.5, [&y[0], &x[0]], [&y[1], &x[1]], kinds, interpolation)
    };
    Case::new(name, make).moves(forward, adjoint)
}

/// Slownesses and offsets along both axes.
fn places([kind, other]: [RadonKind; 2]) -> ([Vec<f64>; 2], [Vec<f64>; 2]) {
    let scaled = |places: Vec<f64>, by: f64| places.into_iter().map(|place| place * by).collect();
    let [p, h] = radon2d::places(kind);
    let [q, g] = radon2d::places(other);
    ([p, h[1..4].to_vec()], [scaled(q[..2].to_vec(), 0.625), g[..4].to_vec()])
}
