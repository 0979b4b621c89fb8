//! Chains that are one pass, and do nothing that is thrown away: bytes and launches of each.

use arrayspan_bridge::DType;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;

use crate::support::{check, traced};

const ROWS: usize = 257;
const COLUMNS: usize = 31;
/// The bytes of a row.
const ROW: usize = 4 * COLUMNS;

fn space() -> Space {
    Space::new([ROWS, COLUMNS], DType::Float32).unwrap()
}

fn convolution() -> Operator {
    let taps: Vec<f64> = (0..7).map(|tap| 1.0 / f64::from(1 + tap)).collect();
    Convolve1D::new(space(), 0, &taps, 3).unwrap()
}

#[test]
fn rows_that_a_restriction_drops_are_not_convolved() {
    let few: Vec<usize> = (5..250).step_by(35).collect();
    let picked = Restriction::new(space(), 0, &*few).unwrap();
    let fused = picked.after(convolution()).build().unwrap();
    let cost = traced(&fused, false);
    // Seven rows of data, each of seven rows of the model that no other one reads, and the table: an index and a weight each.
    let (entries, rows) = (7 * few.len(), few.len());
    assert_eq!((cost.launches, cost.bytes_written), (1, rows * ROW), "{}", fused.describe());
    assert_eq!(cost.bytes_read, entries * ROW + entries * (4 + 4), "{}", fused.describe());
    let small = Space::new([11, 2], DType::Float64).unwrap();
    let smooth = Smoothing::new(small.clone(), &[(0, 3)]).unwrap();
    check(&Restriction::new(small, 0, [9, 0, 4]).unwrap().after(smooth).build().unwrap());
}

#[test]
fn neighbouring_rows_that_a_restriction_keeps_are_convolved_alone() {
    let picked = Restriction::new(space(), 0, (100..104).collect::<Vec<_>>()).unwrap();
    let fused = picked.after(convolution()).build().unwrap();
    let cost = traced(&fused, false);
    assert_eq!((cost.launches, cost.bytes_written), (1, 4 * ROW), "{}", fused.describe());
    // Ten rows of the model, and a table of seven entries for each of four rows.
    assert_eq!(cost.bytes_read, 10 * ROW + 28 * (4 + 4), "{}", fused.describe());
}

#[test]
fn a_padding_after_a_flip_is_one_copy() {
    let flip = Flip::new(space(), &[0]).unwrap();
    let (above, below, right) = (3, 2, 5);
    let pad = Pad::new(space(), &[(above, below), (0, right)]).unwrap();
    let both = pad.after(&flip).build().unwrap();
    let (alone, cost) = (traced(&pad, false), traced(&both, false));
    assert_eq!(cost, alone, "{}", both.describe());
    // What is kept is read once, and written among zeros on three sides.
    let whole = 4 * (above + ROWS + below) * (COLUMNS + right);
    assert_eq!((cost.launches, cost.bytes_read, cost.bytes_written), (1, ROWS * ROW, whole));
    let back = traced(&both, true);
    assert_eq!((back.launches, back.bytes_read, back.bytes_written), (1, ROWS * ROW, ROWS * ROW));
    let small = Space::new([5, 3], DType::Float64).unwrap();
    let flip = Flip::new(small.clone(), &[0, 1]).unwrap();
    check(&Pad::new(small, &[(1, 0), (2, 1)]).unwrap().after(flip).build().unwrap());
}

#[test]
fn normal_operators_of_derivatives_and_their_sums_with_the_identity_are_bands() {
    let slope = FirstDerivative::new(space(), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
    let normal = adjoint(&slope).after(&slope).build().unwrap();
    let damped = (Identity::new(space()).unwrap() + 0.25 * &normal).build().unwrap();
    for (a, taps) in [(&normal, 5), (&damped, 5)] {
        for turned in [false, true] {
            let cost = traced(a, turned);
            let (read, written) = (cost.bytes_read, cost.bytes_written);
            assert_eq!(
                (cost.launches, read, written),
                (1, ROWS * ROW, ROWS * ROW),
                "{}",
                a.describe()
            );
        }
        assert!(a.is_self_adjoint() && a.is_positive());
        // Zeros between the taps count.
        let band = format!("forward: stencil of {taps} taps along axis 0");
        let three = "forward: stencil of 3 taps along axis 0";
        let described = a.describe();
        assert!(described.contains(&band) || described.contains(three), "{described}");
    }
    let small = Space::new([7, 2], DType::Complex128).unwrap();
    let slope =
        FirstDerivative::new(small.clone(), 0, 0.5, Scheme::Centered5, Edge::Reduced).unwrap();
    check(&(Identity::new(small).unwrap() + 0.25 * adjoint(&slope).after(&slope)).build().unwrap());
}
