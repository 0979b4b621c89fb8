//! Where PyLops 2.8.0 is wrong: the list of `docs/pylops.md`, for what there is here. Comments say what PyLops gives.
#![allow(clippy::float_cmp, reason = "small integers and halves are exact")]

use std::f64::consts::FRAC_PI_2;

use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_devices::Device;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{adjoint, check_adjoint};
use arrayspan_solvers::{Cgls, Lsqr, Solver, Stop};
use num_complex::Complex64;

fn space(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float64).unwrap()
}

fn array(numbers: &[f64]) -> Array {
    Array::from_slice(numbers, [numbers.len()]).unwrap()
}

fn numbers(array: &Array) -> Vec<f64> {
    array.to_vec::<f64>().unwrap()
}

#[test]
fn the_adjoint_of_a_complex_filter_conjugates_it() {
    let (one, i) = (Complex64::new(1.0, 0.0), Complex64::i());
    let vector = Space::new([3], DType::Complex128).unwrap();
    let delay = Convolve1D::new(vector, 0, &[Complex64::ZERO, i], 0).unwrap();
    let y = Array::from_slice(&[Complex64::ZERO, one, Complex64::ZERO], [3]).unwrap();
    // PyLops: i.
    assert_eq!(delay.adjoint(&y).unwrap().to_vec::<Complex64>().unwrap()[0], -i);
    for (shape, axis) in [(&[11][..], 0), (&[7, 5], 0), (&[7, 5], 1)] {
        let space = Space::new(shape, DType::Complex128).unwrap();
        let filter = [one - i, 2.0 * i, one];
        let operator = Convolve1D::new(space, axis, &filter, 1).unwrap();
        assert!(check_adjoint(&operator).unwrap().holds(), "{shape:?} along {axis}");
    }
}

#[test]
fn filters_of_each_trace_have_an_adjoint_along_every_axis() {
    for (shape, axis, taps) in [(&[7, 2], 0, [3, 2]), (&[2, 7], 1, [2, 3]), (&[17, 2], 0, [11, 2])]
    {
        let filters = Space::new(taps, DType::Float64).unwrap();
        let filters = Array::from_vec((0..filters.len()).map(|at| at as f64 - 1.5).collect(), taps);
        let traces = Convolve1D::each(space(shape), axis, filters.unwrap(), 1).unwrap();
        assert!(check_adjoint(&traces).unwrap().holds(), "{shape:?} along {axis}");
    }
}

#[test]
fn the_axes_of_a_filter_are_those_that_are_named() {
    let filter = Array::from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]).unwrap();
    let turned = Array::from_slice(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0], [3, 2]).unwrap();
    let method = Convolution::Direct;
    let a = ConvolveND::new(space(&[5, 4]), &[1, 0], filter, &[0, 1], method).unwrap();
    let b = ConvolveND::new(space(&[5, 4]), &[0, 1], turned, &[1, 0], method).unwrap();
    let x = Array::from_vec((0..20).map(f64::from).collect(), [5, 4]).unwrap();
    // PyLops: other numbers.
    assert_eq!(numbers(&a.forward(&x).unwrap()), numbers(&b.forward(&x).unwrap()));
}

#[test]
fn filters_that_change_from_place_to_place_are_conjugated() {
    let complex = |shape: &[usize]| {
        let len = shape.iter().product::<usize>() as i32;
        let number = |at| Complex64::new(f64::from(at % 5) - 1.5, f64::from(at % 3) + 0.5);
        Array::from_vec((0..len).map(number).collect(), shape).unwrap()
    };
    let space = |shape: &[usize]| Space::new(shape, DType::Complex128).unwrap();
    let places = [1, 4];
    let operators = [
        NonStationaryConvolve1D::new(space(&[7]), 0, complex(&[2, 3]), places),
        NonStationaryConvolve2D::new(space(&[7, 5]), complex(&[2, 2, 3, 3]), [&places; 2]),
        NonStationaryFilters1D::new(complex(&[7]), 3, places),
        NonStationaryFilters2D::new(complex(&[7, 5]), [3, 3], [&places; 2]),
        // PyLops: an error for a single place.
        NonStationaryConvolve1D::new(space(&[7]), 0, complex(&[1, 3]), [2]),
    ];
    for operator in operators {
        let operator = operator.unwrap();
        assert!(check_adjoint(&operator).unwrap().holds(), "{operator:?}");
    }
}

#[test]
fn slices_of_one_row_are_multiplied() {
    let kernel = Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [2, 1, 2]).unwrap();
    let slices = Fredholm1::new(kernel, 2).unwrap();
    let x = Array::from_vec((0..8).map(f64::from).collect(), [2, 2, 2]).unwrap();
    // PyLops: an error.
    assert_eq!(numbers(&slices.forward(&x).unwrap()), [4.0, 7.0, 36.0, 43.0]);
}

#[test]
fn the_first_slope_of_a_chirp_is_that_of_the_first_axis() {
    let x = Array::from_vec((0..60).map(f64::from).collect(), [5, 4, 3]).unwrap();
    let flat = ChirpRadon3D::new(space(&[5, 4, 3]), [0.5, 0.0]).unwrap();
    let y = numbers(&flat.forward(&x).unwrap());
    // Without slopes along the second axis, all of its indices have the same sums. PyLops: those of the first one.
    let all = y.chunks(12).all(|rows| {
        rows.chunks(3).all(|row| row.iter().zip(rows).all(|(a, b)| (a - b).abs() < 1e-9))
    });
    assert!(all, "{y:?}");
}

#[test]
fn a_filter_longer_than_the_axis_is_refused_when_it_is_made() {
    for shape in [&[5][..], &[5, 3]] {
        // PyLops makes an operator that fails when it is applied to models of two axes.
        let error = Convolve1D::new(space(shape), 0, &[1.0; 9], 4);
        let text = error.map(drop).map_err(|error| error.to_string());
        assert!(text.as_ref().is_err_and(|text| text.contains("9 taps")), "{text:?}");
    }
}

#[test]
fn repeated_indices_of_a_restriction_add_up() {
    let picked = Restriction::new(space(&[4]), 0, [1, 3, 3, 1, 1]).unwrap();
    let x = picked.adjoint(array(&[1.0, 10.0, 100.0, 1000.0, 10000.0])).unwrap();
    assert_eq!(numbers(&x), [0.0, 11001.0, 0.0, 110.0]);
    assert!(check_adjoint(&picked).unwrap().holds());
}

#[test]
fn the_sum_of_a_vector_is_a_number() {
    let sum = SumAlong::new(space(&[4]), -1).unwrap();
    // PyLops: the vector itself.
    let found = sum.forward(array(&[1.0, 2.0, 3.0, 4.0])).unwrap();
    assert_eq!((found.shape(), found.item::<f64>().unwrap()), (&[][..], 10.0));
    assert!(check_adjoint(&sum).unwrap().holds());
}

#[test]
fn five_point_derivatives_of_few_samples_have_the_adjoint_of_what_they_do() {
    for len in 1..9 {
        for edge in [Edge::Zero, Edge::Reduced] {
            let space = space(&[len]);
            let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered5, edge).unwrap();
            assert!(check_adjoint(&slope).unwrap().holds(), "{len} samples, {edge:?}");
        }
    }
    let slope =
        FirstDerivative::new(space(&[3]), 0, 1.0, Scheme::Centered5, Edge::Reduced).unwrap();
    // PyLops: [-1, 0, 1], although its forward is the difference of the ends by two.
    assert_eq!(numbers(&slope.adjoint(array(&[0.0, 1.0, 0.0])).unwrap()), [-0.5, 0.0, 0.5]);
}

#[test]
fn a_laplacian_has_its_scheme_along_all_axes() {
    let shape = [7, 5];
    let both = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let laplacian = Laplacian::new(space(&shape), &both, Scheme::Forward, Edge::Zero).unwrap();
    let second =
        |axis| SecondDerivative::new(space(&shape), axis, 1.0, Scheme::Forward, Edge::Zero);
    let sum = (second(0).unwrap() + second(1).unwrap()).build().unwrap();
    let x = (0..35).map(|i| f64::from(i * i % 13)).collect();
    let x = Array::from_vec(x, shape).unwrap();
    let [found, expected] = [&laplacian, &sum].map(|a| numbers(&a.forward(&x).unwrap()));
    assert_eq!(found, expected);
}

#[test]
fn columns_of_an_operator_are_an_operator_that_can_be_combined() {
    let slope = FirstDerivative::new(space(&[7]), 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let columns = Restriction::new(space(&[7]), 0, [1, 3]).unwrap();
    let some = slope.after(adjoint(&columns)).build().unwrap();
    assert_eq!((some.domain().shape(), some.range().shape()), (&[2][..], &[7][..]));
    // PyLops: TypeError for each of these.
    let normal = adjoint(&some).after(&some).build().unwrap();
    let stacked = vstack![&some, &some].unwrap();
    for operator in [&normal, &stacked, &block_diagonal![&some, &some].unwrap()] {
        assert!(check_adjoint(operator).unwrap().holds());
    }
    let x = array(&[1.0, 1.0]);
    // Column 1 is -½ in row 2, column 3 is ½ in row 2 and -½ in row 4.
    assert_eq!(numbers(&normal.forward(&x).unwrap()), [0.0, 0.25]);
}

#[test]
fn what_is_remembered_of_the_adjoint_is_not_what_was_given_to_the_operator() {
    let slope = FirstDerivative::new(space(&[4]), 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let remembered = MemoizeOperator::new(&slope, 10).unwrap();
    let x = array(&[1.0, 4.0, 9.0, 16.0]);
    let y = remembered.forward(&x).unwrap();
    // PyLops: x.
    let found = numbers(&remembered.adjoint(&y).unwrap());
    assert_eq!(found, numbers(&slope.adjoint(&y).unwrap()));
    // PyLops: that of 1e-9, which `allclose` takes for the same.
    let small = [1e-9, 5e-9].map(|x| array(&[0.0, 0.0, x, 0.0]));
    let [one, five] = small.map(|x| numbers(&remembered.forward(x).unwrap())[1]);
    assert_eq!((one, five), (0.5e-9, 2.5e-9));
}

#[test]
fn curves_reach_the_last_sample_and_are_on_the_nearest_one() {
    let radon = |interpolation| {
        let (p, h) = ([0.0, 0.75], [0.0, 1.0]);
        Radon2D::new(space(&[2, 4]), 1.0, &p, &h, RadonKind::Linear, interpolation).unwrap()
    };
    // PyLops: zeros, the last sample being left out.
    let last = array(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).reshaped(&[2, 4]).unwrap();
    let y = radon(Interpolation::Linear).forward(&last).unwrap();
    assert_eq!(numbers(&y), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    // PyLops: at the second offset on sample 0, at three quarters of a sample before the first one.
    let first = array(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).reshaped(&[2, 4]).unwrap();
    let y = radon(Interpolation::Nearest).forward(&first).unwrap();
    assert_eq!(numbers(&y), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn rays_have_angles_in_radians_and_the_precision_of_the_image() {
    let rays = CT2D::new(space(&[2, 2]), 2, 1.0, &[FRAC_PI_2], BeamGeometry::Parallel).unwrap();
    let image = array(&[1.0, 2.0, 3.0, 4.0]).reshaped(&[2, 2]).unwrap();
    // PyLops: the same of the angle that its documentation has in degrees, rounded to 32 bits.
    let y = numbers(&rays.forward(&image).unwrap());
    assert!((y[0] - 7.0).abs() < 1e-14 && (y[1] - 3.0).abs() < 1e-14, "{y:?}");
    assert!(check_adjoint(&rays).unwrap().holds());
}

#[test]
fn positions_on_the_last_sample_may_be_and_may_repeat() {
    for kind in [Interpolation::Linear, Interpolation::Nearest] {
        // PyLops: a ValueError for repeated ones, and 2.999... in the place of 3.
        let at = Interp::new(space(&[4]), 0, [3.0, 1.0, 3.0], kind).unwrap();
        assert_eq!(numbers(&at.forward(array(&[1.0, 2.0, 4.0, 8.0])).unwrap()), [8.0, 2.0, 8.0]);
        assert!(check_adjoint(&at).unwrap().holds());
    }
}

#[test]
fn float32_stays_float32() {
    let shape = [5, 4];
    let model = Space::new(shape, DType::Float32).unwrap();
    let x = Array::ones(shape, DType::Float32, Device::cpu()).unwrap();
    let axes = Direction::constant([0.6, 0.8]);
    let direction = FirstDirectionalDerivative::new(
        model.clone(),
        &axes,
        &[1.0, 1.0],
        Scheme::Centered3,
        Edge::Zero,
    );
    // PyLops: float64 of both. Taps of 32 bits are taken as those of 64 are.
    let wide = Convolve1D::new(model.clone(), 0, &[0.25_f64, 0.5, 0.25], 1).unwrap();
    let narrow = Convolve1D::new(model, 0, &[0.25_f32, 0.5, 0.25], 1).unwrap();
    for operator in [&direction.unwrap(), &wide, &narrow] {
        assert_eq!(operator.forward(&x).unwrap().dtype(), DType::Float32);
    }
    let [a, b] = [&wide, &narrow].map(|a| a.forward(&x).unwrap().to_vec::<f32>().unwrap());
    assert_eq!(a, b);
}

#[test]
fn damping_from_a_start_vector_is_by_its_square() {
    // Diagonal, so that the solution is a fraction: x = a y / (a² + damping²).
    let (weights, damping) = ([1.0, 2.0, 3.0, 4.0], 2.0);
    let a = Diagonal::new(space(&[4]), array(&weights)).unwrap();
    let solver = Cgls { damping, stop: Stop::after(4), ..Cgls::default() };
    let start = Some(array(&[1.0; 4]));
    let x = solver.solve_from(&a, array(&[1.0; 4]), start, &mut ()).unwrap().x;
    for (x, weight) in numbers(&x).iter().zip(weights) {
        let expected = weight / (weight * weight + damping * damping);
        // PyLops is off by a tenth after as many iterations as there are unknowns.
        assert!((x - expected).abs() < 1e-12, "{x}, not {expected}");
    }
}

#[test]
fn residuals_of_damped_bidiagonalisation_are_those_of_its_solution() {
    let (weights, damping) = ([1.0, 2.0, 3.0, 4.0], 2.0);
    let a = Diagonal::new(space(&[4]), array(&weights)).unwrap();
    let y = || array(&[1.0, -1.0, 2.0, 0.5]);
    for iterations in 1..4 {
        let solver = Lsqr { damping, stop: Stop::after(iterations), ..Lsqr::default() };
        let solution = solver.solve(&a, y()).unwrap();
        let image = numbers(&a.forward(&solution.x).unwrap());
        let data = numbers(&y());
        let left = data.iter().zip(image).map(|(y, image)| (y - image).powi(2));
        // PyLops: 1.3310, 1.2044, 1.1401 in place of 1.3128, 1.1902, 1.1371: the norm of an older x is taken off.
        let expected = left.sum::<f64>().sqrt();
        assert!((solution.residuals[iterations] - expected).abs() < 1e-13);
    }
}

#[test]
fn seislets_predict_whole_traces_at_both_ends() {
    let section: Vec<f64> = (0..16).map(|at| f64::from(at / 2 % 2)).collect();
    let linear = SeisletBasis::Linear;
    let seislet = Seislet::new(space(&[8, 2]), [0.0; 16], [1.0; 2], 1, linear).unwrap();
    let section = Array::from_vec(section, [8, 2]).unwrap();
    // PyLops: 0.25, 0.5, 0.5, 0.75.
    assert_eq!(numbers(&seislet.forward(section).unwrap())[8..], [0.5; 8]);
    assert!(Seislet::new(space(&[2, 3]), [0.0; 6], [1.0; 2], 0, linear).is_ok());
}

#[test]
fn sprayed_waves_stay_where_slopes_end() {
    let slopes: Vec<f64> = (0..25).map(|at| if at < 10 { 1.0 } else { 0.0 }).collect();
    let sprayer = PWSprayer2D::new(space(&[5, 5]), slopes, 9, 1.0).unwrap();
    let mut spike = [0.0; 25];
    spike[0] = 1.0;
    let y = numbers(&sprayer.forward(Array::from_slice(&spike, [5, 5]).unwrap()).unwrap());
    // PyLops: elements 0, 6, 12, 18, 24.
    let met: Vec<usize> = (0..25).filter(|at| y[*at] != 0.0).collect();
    assert_eq!(met, [0, 6, 12, 13, 14]);
}

#[test]
fn radial_lines_are_within_spectra_that_are_not_square() {
    for shape in [[32, 64], [64, 32]] {
        let KSpace::Points(points) = KSpace::radial(shape, 8, 63).unwrap() else { panic!() };
        // PyLops: rows from -16 on, or columns.
        let image = Space::new(shape, DType::Complex64).unwrap();
        assert!(MRI2D::new(image, &KSpace::Points(points)).is_ok());
    }
}

#[test]
fn neither_end_of_a_single_window_is_tapered() {
    let same = |shape: &[usize]| Identity::new(space(shape)).unwrap();
    let line = Sliding1D::new(same(&[5]), 7, Windows::new(5, 2)).unwrap();
    let ones = |shape: &[usize]| Array::ones(shape, DType::Float64, Device::cpu()).unwrap();
    // PyLops: an error, or with `savetaper=False` the last sample is 0.
    let y = line.forward(ones(&[1, 5])).unwrap();
    assert_eq!(numbers(&y), [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let windows = [Windows::new(4, 2), Windows::new(2, 0)];
    let patches = Patch2D::new(same(&[4, 2]), [4, 4], windows).unwrap();
    // PyLops: the first row is 0.
    assert_eq!(numbers(&patches.forward(ones(&[1, 2, 4, 2])).unwrap()), [1.0; 16]);
}

#[test]
fn curvelets_are_where_frequencies_are_and_have_an_adjoint_and_an_inverse() {
    let two = Curvelets { scales: 2, ..Curvelets::default() };
    let x =
        Array::from_vec((0..396).map(|at| f64::from(at * at % 17)).collect(), [18, 22]).unwrap();
    let transform = UDCT::new(space(&[18, 22]), &two).unwrap();
    let back = transform.adjoint(transform.forward(&x).unwrap()).unwrap();
    // PyLops: windows are half a bin off, and samples by up to a half of their deviation.
    let pairs = numbers(&back).into_iter().zip(numbers(&x));
    assert!(pairs.into_iter().all(|(back, x)| (back - x).abs() < 1e-12));
    // PyLops: coefficients of 4 x 5 and 9 x 5 samples, of which the adjoint is none.
    assert!(UDCT::new(space(&[18, 22]), &Curvelets::default()).is_err());
    // PyLops: the inverse.
    let wavelets = Curvelets { finest: FinestScale::Wavelets, ..two };
    assert!(check_adjoint(&UDCT::new(space(&[18, 22]), &wavelets).unwrap()).unwrap().holds());
}
