//! Positions, against their formulas.

use super::curves::Place;
use super::*;

#[test]
fn places_on_hyperbolas_are_those_of_the_square_root() {
    let samples = 50;
    for square in [0.0_f64, 0.2, 1.0, 7.9, 400.0, 2401.0, 2401.5] {
        let path = (square.floor() as i64, square.fract(), false);
        for s in 0..samples {
            let position = ((s * s) as f64 + square).sqrt();
            let found = Paths::on_hyperbola(path, s, samples);
            let expected = (position <= 49.0).then_some(position);
            let found = found.map(|Place { sample, share }| sample as f64 + share);
            assert_eq!(found.is_some(), expected.is_some(), "{s} of {square}");
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!((found - expected).abs() < 1e-12, "{s} of {square}: {found}");
            }
            let nearest = Paths::on_hyperbola((path.0, path.1, true), s, samples);
            let rounded = (position + 0.5).floor();
            let nearest = nearest.map(|place| place.sample as f64);
            assert_eq!(nearest, (rounded <= 49.0).then_some(rounded), "{s} of {square}");
        }
    }
}

#[test]
fn what_is_on_a_sample_but_for_rounding_is_on_it() {
    // 0.1 * 3 is more than 0.3.
    let sums = Projection::shifts(&[1], &[1], 5, |_, _| 10.0 * (0.1 * 3.0), false).unwrap();
    let Paths::Shifts { whole, fraction } = &sums.curves().paths else { panic!("shifts") };
    assert_eq!((whole[0], fraction[0]), (3, 0.0));
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    assert!(Projection::shifts(&[1], &[1, 1], 5, |_, _| 0.0, false).is_err());
    assert!(Projection::shifts(&[], &[], 5, |_, _| 0.0, false).is_err());
    assert!(Projection::hyperbolas(&[1], &[1], 5, |_, _| -1.0, false).is_err());
    assert!(Projection::hyperbolas(&[1], &[1], 1 << 21, |_, _| 1.0, false).is_err());
    let beam = Beam { first: [-9.0, 0.0], step: [0.0, 1.0], rays: Rays::Parallel([1.0, 0.0]) };
    assert!(Projection::beams([5, 4], 3, &[beam], true).is_ok());
    for rays in [Rays::Parallel([0.0, 1.0]), Rays::From([2.0, 2.0]), Rays::From([f64::NAN, 2.0])] {
        assert!(Projection::beams([5, 4], 3, &[Beam { rays, ..beam }], true).is_err(), "{rays:?}");
    }
}
