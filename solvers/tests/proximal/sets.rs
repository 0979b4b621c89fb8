//! Projections onto sets, and what sets say of arrays.

use arrayspan_bridge::DType;
use arrayspan_solvers::proximal::{Bounds, Equal, L1Ball, Proximal, Simplex};
use num_complex::Complex64;

use super::support::{Random, array, epsilon, values};
use super::{reals, wide};

/// The projection onto the simplex by sorting.
fn sorted(x: &[f64], radius: f64) -> Vec<f64> {
    let mut order = x.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, 0.0);
    for (at, value) in order.iter().enumerate() {
        sum += value;
        let found = (sum - radius) / (at + 1) as f64;
        if *value > found {
            level = found;
        }
    }
    x.iter().map(|x| (x - level).max(0.0)).collect()
}

#[test]
fn projections_onto_the_simplex_are_those_by_sorting() {
    let mut random = Random(31);
    for len in [1, 2, 7, 100, 5003] {
        for radius in [1e-3, 1.0, 50.0] {
            let x: Vec<f64> = (0..len).map(|_| random.next()).collect();
            let f = Simplex::new(radius).unwrap();
            let found = f.proximal(&wide(&x, &[len]), 1.0).unwrap();
            for (found, expected) in reals(&found).iter().zip(sorted(&x, radius)) {
                assert!((found - expected).abs() < 1e-13 * (1.0 + radius), "{len} {radius}");
            }
            assert_eq!(f.at(&found).unwrap(), 0.0, "{len} {radius}");
        }
    }
}

/// Elements of very different sizes, ties, and elements beside which the radius is nothing.
#[test]
fn hard_cases_have_the_sum_that_is_asked_for() {
    let powers: Vec<f64> = (0..60).map(|k| 0.5_f64.powi(k)).collect();
    let steep: Vec<f64> = (0..60).map(|k| 2.0_f64.powi(k - 30)).collect();
    let harmonic: Vec<f64> = (1..500).map(|k| -1.0 / f64::from(k)).collect();
    let large: Vec<f64> = (0..40).map(|k| 1e8 + f64::from(k % 7) / 4.0).collect();
    for (name, x) in [
        ("powers", powers),
        ("steep", steep),
        ("harmonic", harmonic),
        ("large", large),
        ("ties", vec![3.0; 33]),
        ("negative", vec![-1e12, -1e12, -1e12 - 1.0]),
    ] {
        for dtype in [DType::Float64, DType::Float32] {
            let numbers: Vec<Complex64> = x.iter().map(|&x| x.into()).collect();
            let x = array(dtype, &numbers, &[x.len()]);
            for radius in [1.0, 0.125, 1000.0] {
                for f in [
                    Box::new(Simplex::new(radius).unwrap()) as Box<dyn Proximal>,
                    Box::new(L1Ball::new(radius).unwrap()),
                ] {
                    let found = f.proximal(&x, 1.0).unwrap();
                    assert_eq!(f.at(&found).unwrap(), 0.0, "{name} {dtype} {f:?}");
                    let rounded = reals(&x);
                    let sizes: Vec<f64> = if f.name() == "L1Ball" {
                        rounded.iter().map(|x| x.abs()).collect()
                    } else {
                        rounded
                    };
                    let inside = f.name() == "L1Ball" && sizes.iter().sum::<f64>() <= radius;
                    let expected = if inside { sizes } else { sorted(&sizes, radius) };
                    for (found, expected) in reals(&found).iter().zip(expected) {
                        // Sorting rounds elements that are large beside the radius.
                        let off = (found.abs() - expected).abs();
                        let bound = 64.0 * epsilon(dtype) * radius + 4e-16 * 1e12;
                        assert!(off <= bound, "{name} {dtype} {f:?}: {found} {expected}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_ball_leaves_what_is_inside_as_it_is() {
    let x = [Complex64::new(0.3, 0.4), Complex64::new(0.0, -0.25), Complex64::ZERO];
    for dtype in [DType::Complex64, DType::Complex128] {
        let x = array(dtype, &x, &[3]);
        let f = L1Ball::new(0.8).unwrap();
        let off = |a: &[Complex64], b: &[Complex64]| {
            a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
        };
        let found = f.proximal(&x, 1.0).unwrap();
        assert!(off(&values(&found), &values(&x)) < 2.0 * epsilon(dtype));
        assert_eq!(f.at(&x).unwrap(), 0.0);
        // Half of it is outside: the phases stay.
        let f = L1Ball::new(0.25).unwrap();
        assert_eq!(f.at(&x).unwrap(), f64::INFINITY);
        let found = values(&f.proximal(&x, 1.0).unwrap());
        let expected = [Complex64::new(0.15, 0.2), Complex64::ZERO, Complex64::ZERO];
        assert!(off(&found, &expected) < 2.0 * epsilon(dtype), "{found:?}");
    }
}

#[test]
fn sets_say_zero_inside_infinity_outside_and_nothing_of_what_is_no_number() {
    let outside = f64::INFINITY;
    let bounds = Bounds::new(-1.0, 2.0).unwrap();
    let simplex = Simplex::new(1.0).unwrap();
    let ball = L1Ball::new(1.0).unwrap();
    for (f, x, expected) in [
        (&bounds as &dyn Proximal, vec![-1.0, 2.0], 0.0),
        (&bounds, vec![-1.0, 2.0 + 1e-15], outside),
        (&bounds, vec![-1.0 - 1e-15, 0.0], outside),
        (&bounds, vec![f64::INFINITY, 0.0], outside),
        (&simplex, vec![0.25, 0.75], 0.0),
        (&simplex, vec![-1e-300, 1.0], outside),
        (&simplex, vec![0.25, 0.8], outside),
        (&simplex, vec![0.25, 0.7], outside),
        (&ball, vec![-0.25, 0.75], 0.0),
        (&ball, vec![-0.25, 0.76], outside),
        (&ball, vec![1e300, 1e300], outside),
        (&Equal, vec![0.5, 0.5], 0.0),
        (&Equal, vec![0.5, 0.5 + 1e-15], outside),
    ] {
        assert_eq!(f.at(&wide(&x, &[2])).unwrap(), expected, "{f:?} {x:?}");
    }
    for f in [&bounds as &dyn Proximal, &simplex, &ball, &Equal] {
        let bad = wide(&[f64::NAN, 0.5], &[2]);
        assert!(f.at(&bad).unwrap().is_nan(), "{f:?}");
        assert!(reals(&f.proximal(&bad, 1.0).unwrap()).iter().any(|x| x.is_nan()), "{f:?}");
    }
}

#[test]
fn bounds_of_each_element_are_arrays() {
    let f = Bounds::between(wide(&[0.0, -1.0, -2.0], &[3]), wide(&[1.0], &[1]));
    let x = wide(&[-5.0, -5.0, -5.0, 0.5, 7.0, -1.5], &[2, 3]);
    let found = f.proximal(&x, 1.0).unwrap();
    assert_eq!(reals(&found), [0.0, -1.0, -2.0, 0.5, 1.0, -1.5]);
    assert_eq!((f.at(&x).unwrap(), f.at(&found).unwrap()), (f64::INFINITY, 0.0));
}

/// Bounds that the dtype does not hold are rounded for both, so that what was projected is inside.
#[test]
fn what_was_projected_is_inside_in_every_dtype() {
    let f = Bounds::new(0.1, 0.3).unwrap();
    for dtype in [DType::Float32, DType::Float64] {
        let x = array(dtype, &[(-1.0).into(), 1.0.into(), 0.2.into()], &[3]);
        assert_eq!(f.at(&f.proximal(&x, 1.0).unwrap()).unwrap(), 0.0);
    }
}
