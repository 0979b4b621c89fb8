//! Rows whose goal is the rate of memory: every axis, three dtypes, sizes of real data.

use arrayspan::prelude::*;

use crate::data::array;
use crate::measure::{Failure, Way, wavelet};
use crate::rows::{Goal, Row, convolution, named, operator};

/// Sizes of real data: odd, long rows, three axes.
const SHAPES: [&[usize]; 3] = [&[7919, 8191], &[4096, 16385], &[257, 389, 641]];

const DTYPES: [DType; 3] = [DType::Float32, DType::Float64, DType::Complex64];

/// The rows whose goal is the rate of memory.
pub(crate) fn rates(rows: &mut Vec<Row>) -> Result<(), Failure> {
    long_filters(rows)?;
    let goal = Goal::Share(0.8);
    for shape in SHAPES {
        for dtype in DTYPES {
            let (space, at) = (Space::new(shape, dtype)?, named(shape, dtype));
            let axes = 0..shape.len() as isize;
            for axis in axes.clone() {
                let of = space.clone();
                let first = move || {
                    let (scheme, edge) = (Scheme::Centered3, Edge::Reduced);
                    Ok(FirstDerivative::new(of.clone(), axis, 1.0, scheme, edge)?)
                };
                let name = format!("first_derivative axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 2), goal, Way::Forward, first.clone()));
                let name = format!("first_derivative_adjoint axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 2), goal, Way::Adjoint, first));
                let of = space.clone();
                let convolve = move || {
                    let wavelet = wavelet(21);
                    Ok(Convolve1D::new(of.clone(), axis, &wavelet, wavelet.len() / 2)?)
                };
                let name = format!("convolve1d_21 axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 21), Goal::None, Way::Forward, convolve));
                let of = space.clone();
                let diagonal = move || {
                    let weights = array(&[of.shape()[axis as usize]], of.dtype())?;
                    Ok(Diagonal::along(of.clone(), axis, weights)?)
                };
                let name = format!("diagonal_along axis {axis} {at}");
                rows.push(operator(name, &space, (2.0, 0), goal, Way::Forward, diagonal));
            }
            let of = space.clone();
            let diagonal = move || {
                let weights = array(of.shape(), of.dtype())?.into_shared();
                Ok(Diagonal::new(of.clone(), weights)?)
            };
            rows.push(operator(
                format!("diagonal {at}"),
                &space,
                (3.0, 0),
                goal,
                Way::Forward,
                diagonal,
            ));
            let of = space.clone();
            let laplacian = move || {
                let along = |axis| Along { axis, step: 1.0, weight: 1.0 };
                let terms: Vec<Along> = axes.clone().map(along).collect();
                Ok(Laplacian::new(of.clone(), &terms, Scheme::Centered3, Edge::Zero)?)
            };
            let taps = 2 * shape.len() + 1;
            let name = format!("laplacian {at}");
            rows.push(operator(name, &space, (2.0, taps), goal, Way::Forward, laplacian.clone()));
            let of = space.clone();
            let stacked = move || {
                let (scheme, edge) = (Scheme::Centered3, Edge::Reduced);
                let first = FirstDerivative::new(of.clone(), 0, 1.0, scheme, edge)?;
                Ok(vstack([first, laplacian()?])?)
            };
            let name = format!("vstack_derivative_laplacian_adjoint {at}");
            rows.push(operator(name, &space, (3.0, taps + 2), goal, Way::Adjoint, stacked));
            let of = space.clone();
            let poststack = move || {
                Ok(PoststackLinearModelling::new(of.clone(), &wavelet(41), Scheme::Centered3)?)
            };
            let name = format!("poststack41 {at}");
            rows.push(operator(name, &space, (2.0, 43), Goal::None, Way::Forward, poststack));
        }
    }
    Ok(())
}

/// Filters of other lengths than those that have goals.
fn long_filters(rows: &mut Vec<Row>) -> Result<(), Failure> {
    let space = Space::new([7919, 8191], DType::Float32)?;
    for taps in [21, 65, 301, 1001] {
        for axis in [0, 1] {
            rows.push(convolution(&space, taps, axis, Goal::None));
        }
    }
    Ok(())
}
