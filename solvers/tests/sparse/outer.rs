//! Methods that solve problems within: where they end, and what they refuse. (Golden data: the conformance suite.)

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{
    Edge, FirstDerivative, Gradient, Identity, LinearMap, MatrixMult, Operator, Scheme, Space,
};
use arrayspan_solvers::sparse::{
    Constraint, Irls, Mp, Omp, Reweighted, Shrunk, Spgl1, SplitBregman,
};
use arrayspan_solvers::{Cgls, Error, Fista, Lsqr, Solver, Stop, Stopped};
use num_complex::Complex64;

use super::support::{self, Problem, Random, array, norm, values};
use super::{adjoint, violation};

fn space(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float64).unwrap()
}

fn variation(len: usize, weight: f64) -> Shrunk {
    let operator =
        FirstDerivative::new(space(&[len]), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    Shrunk { operator, weight, isotropic: false }
}

/// Two levels, each pulled towards the other by the weight over its length.
#[test]
fn total_variation_of_a_step_is_what_calculus_says() {
    let y: Vec<f64> = (0..12).map(|i| if i < 4 { 1.0 } else { 5.0 }).collect();
    for (weight, mu) in [(0.7, 1.0), (1.3, 2.0)] {
        let solver = SplitBregman {
            l1: vec![variation(12, weight)],
            mu,
            iterations: 3000,
            tolerance: 1e-13,
            ..SplitBregman::default()
        };
        let a = Identity::new(space(&[12])).unwrap();
        let solution = solver.solve(&a, Array::from_slice(&y, [12]).unwrap()).unwrap();
        assert_eq!(solution.stopped, Stopped::Stagnation);
        for (i, x) in solution.x.to_vec::<f64>().unwrap().into_iter().enumerate() {
            let pull = weight * weight / mu;
            let expected = if i < 4 { 1.0 + pull / 4.0 } else { 5.0 - pull / 8.0 };
            assert!((x - expected).abs() < 1e-6, "weight {weight}: {x}, {expected}");
        }
    }
}

/// The isotropic variation of an image does not know a plane's direction, the anisotropic one does.
#[test]
fn isotropic_variation_shrinks_lengths() {
    let gradient = Gradient::new(space(&[9, 9]), &[1.0, 1.0], Scheme::Forward, Edge::Zero).unwrap();
    let y: Vec<f64> = (0..81).map(|i| f64::from(i / 9 + i % 9)).collect();
    let y = Array::from_slice(&y, [9, 9]).unwrap();
    let variation = |isotropic| {
        let l1 = vec![Shrunk { operator: gradient.clone(), weight: 0.5, isotropic }];
        let solver = SplitBregman { l1, iterations: 400, ..SplitBregman::default() };
        let x = solver.solve(&Identity::new(space(&[9, 9])).unwrap(), &y).unwrap().x;
        let x = x.to_vec::<f64>().unwrap();
        let cost = |isotropic: bool| {
            let mut sum = 0.0;
            for i in 0..9 {
                for j in 0..9 {
                    let at = i * 9 + j;
                    let down = if i < 8 { x[at + 9] - x[at] } else { 0.0 };
                    let right = if j < 8 { x[at + 1] - x[at] } else { 0.0 };
                    sum += if isotropic { down.hypot(right) } else { down.abs() + right.abs() };
                }
            }
            let image = y.to_vec::<f64>().unwrap();
            let misfit: f64 = x.iter().zip(&image).map(|(x, y)| (x - y).powi(2)).sum();
            0.5 * misfit + 0.25 * sum
        };
        [cost(true), cost(false)]
    };
    let [round, square] = [variation(true), variation(false)];
    // Each is the best of its own kind.
    assert!(round[0] < square[0] - 1e-6, "{round:?} {square:?}");
    assert!(square[1] < round[1] - 1e-6, "{round:?} {square:?}");
}

#[test]
fn a_line_is_found_among_outliers() {
    let mut random = Random(9);
    for dtype in [DType::Float32, DType::Float64, DType::Complex128] {
        let mut problem = Problem::new(dtype, [40, 4], 1.5, true, &mut random);
        let truth = problem.solution(0.0).0;
        for at in [3, 17, 30] {
            problem.y[at] += 50.0;
        }
        let solver = Irls { iterations: 60, epsilon: 1e-6, ..Irls::default() };
        let x = values(&solver.solve(&problem.operator(), problem.data()).unwrap().x);
        let off = support::distance(&x, &truth);
        let plain = support::distance(&problem.solution(0.0).0, &truth);
        assert!(off < 1e-3 && plain > 0.1, "{dtype}: {off:e}, {plain}");
    }
}

#[test]
fn few_elements_are_found_by_every_method_that_looks_for_few() {
    for dtype in [DType::Float64, DType::Complex128, DType::Float32] {
        let mut problem = Problem::new(dtype, [40, 70], 1.2, false, &mut Random(4));
        let mut truth = vec![Complex64::ZERO; 70];
        for (at, value) in [(5, 3.0), (20, -2.0), (66, 2.5)] {
            truth[at] = value.into();
        }
        problem.y = problem.forward(&truth).iter().map(|v| support::rounded(dtype, *v)).collect();
        let (a, y) = (problem.operator(), problem.data());
        let near = |x: &Array, bound: f64, what: &str| {
            let off = support::distance(&values(x), &truth);
            assert!(off < bound, "{dtype} {what}: {off:e}");
        };
        let tight = 1e4 * support::epsilon(dtype);
        let omp = Omp { residual: 1e-5, ..Omp::default() }.solve(&a, &y).unwrap();
        assert_eq!((omp.iterations, omp.stopped), (3, Stopped::Residual), "{dtype}");
        near(&omp.x, tight.max(1e-7), "omp");
        let normalize = Omp { residual: 1e-5, normalize: true, ..Omp::default() };
        near(&normalize.solve(&a, &y).unwrap().x, tight.max(1e-7), "normalized omp");
        let mp = Mp { iterations: 400, residual: 1e-4, ..Mp::default() }.solve(&a, &y).unwrap();
        assert_eq!(mp.stopped, Stopped::Residual, "{dtype}");
        near(&mp.x, 1e-2, "mp");
        let irls = Irls {
            kind: Reweighted::Model,
            iterations: 50,
            damping: 1e-4,
            least_squares: Cgls { stop: Stop::after(200), ..Cgls::default() },
            ..Irls::default()
        };
        near(&irls.solve(&a, &y).unwrap().x, 1e-2, "irls");
        let spgl1 = Spgl1 { tolerance: 1e-5, ..Spgl1::default() }.solve(&a, &y).unwrap();
        assert_eq!(spgl1.stopped, Stopped::Residual, "{dtype} after {}", spgl1.iterations);
        near(&spgl1.x, 1e-2, "spgl1");
    }
}

#[test]
fn a_chosen_column_is_not_chosen_again_and_orthogonal_ones_are_not_chosen() {
    let problem = Problem::new(DType::Float64, [4, 3], 1.2, false, &mut Random(4));
    let (a, y) = (problem.operator(), problem.data());
    let found = Omp { iterations: 50, ..Omp::default() }.solve(&a, &y).unwrap();
    assert!(matches!(found.stopped, Stopped::Precision | Stopped::Gradient), "{found:?}");
    assert!(support::distance(&values(&found.x), &problem.solution(0.0).0) < 1e-7);
    let zero = array(DType::Float64, &[Complex64::ZERO; 4], &[4]);
    let found = Omp::default().solve(&a, &zero).unwrap();
    assert_eq!((found.iterations, norm(&values(&found.x)).to_bits()), (0, 0));
    let mut hurt = problem.clone();
    hurt.y[1] = f64::NAN.into();
    assert_eq!(Mp::default().solve(&a, hurt.data()).unwrap().stopped, Stopped::NotFinite);
}

/// By the conditions of optimality of the lasso whose weight is that of the constraint.
#[test]
fn projected_gradients_meet_their_constraint_and_its_conditions() {
    for dtype in [DType::Float64, DType::Complex128] {
        for size in [[20, 40], [40, 20]] {
            let problem = Problem::new(dtype, size, 1.5, false, &mut Random(11));
            let (a, y) = (problem.operator(), problem.data());
            let one = |x: &[Complex64]| x.iter().map(|x| x.norm()).sum::<f64>();
            let least = {
                let stop = Stop { gradient: 1e-12, ..Stop::after(500) };
                let solver = Lsqr { stop, ..Lsqr::default() };
                *arrayspan_solvers::Solver::solve(&solver, &a, &y)
                    .unwrap()
                    .residuals
                    .last()
                    .unwrap()
            };
            let tolerance = 1e-9;
            let sigma = 0.5 * (least + norm(&problem.y));
            let constraint = Constraint::Misfit(sigma);
            let solver = Spgl1 { constraint, iterations: 5000, tolerance };
            let found = solver.solve(&a, &y).unwrap();
            assert_eq!(found.stopped, Stopped::Residual, "{dtype} {size:?}");
            let x = values(&found.x);
            let left = *found.residuals.last().unwrap();
            assert!((left - sigma).abs() < 1e-7, "{dtype} {size:?}: {left}, {sigma}");
            let image = problem.forward(&x);
            let r: Vec<_> = problem.y.iter().zip(image).map(|(y, image)| y - image).collect();
            let weight = 2.0 * adjoint(&problem, &r).iter().map(|g| g.norm()).fold(0.0, f64::max);
            // Elements at the rounding level of a projection.
            let x: Vec<_> =
                x.into_iter().map(|x| if x.norm() < 1e-6 { 0.0.into() } else { x }).collect();
            let off = violation(&problem, &x, weight);
            assert!(off < 1e-3, "{dtype} {size:?}: {off:e}");

            // The lasso with that norm leaves that misfit.
            let lasso = Spgl1 { constraint: Constraint::Norm(one(&x)), ..solver };
            let again = lasso.solve(&a, &y).unwrap();
            assert_eq!(again.stopped, Stopped::Gradient, "{dtype} {size:?}");
            assert!((again.residuals.last().unwrap() / sigma - 1.0).abs() < 1e-5);
            assert!(one(&values(&again.x)) <= one(&x) * (1.0 + 1e-9));
        }
    }
}

#[test]
fn constraints_that_ask_nothing_or_too_much_are_named() {
    let problem = Problem::new(DType::Float64, [30, 5], 1.5, false, &mut Random(11));
    let (a, y) = (problem.operator(), problem.data());
    let solve = |constraint| Spgl1 { constraint, ..Spgl1::default() }.solve(&a, &y).unwrap();
    let nothing = solve(Constraint::Misfit(1e9));
    assert_eq!((nothing.iterations, nothing.stopped), (0, Stopped::Residual));
    assert_eq!(norm(&values(&solve(Constraint::Norm(0.0)).x)).to_bits(), 0);
    // No model explains all.
    let all = solve(Constraint::Misfit(0.0));
    assert!(!matches!(all.stopped, Stopped::Residual | Stopped::NotFinite), "{:?}", all.stopped);
    let off = support::distance(&values(&all.x), &problem.solution(0.0).0);
    assert!(off < 1e-3, "{off:e} {:?}", all.stopped);
    let failed = Spgl1 { tolerance: -1.0, ..Spgl1::default() }.solve(&a, &y);
    assert!(matches!(failed, Err(Error::Parameter { solver: "Spgl1", .. })));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let a: Operator = Identity::new(space(&[6])).unwrap();
    let y = Array::zeros([6], DType::Float64, Device::cpu()).unwrap();
    let why = |solver: &SplitBregman| match solver.solve(&a, &y) {
        Err(Error::Parameter { solver: "SplitBregman", why }) => why,
        other => panic!("{other:?}"),
    };
    let good = SplitBregman { l1: vec![variation(6, 1.0)], ..SplitBregman::default() };
    assert!(why(&SplitBregman::default()).contains("no term"));
    assert!(why(&SplitBregman { mu: 0.0, ..good.clone() }).contains("mu"));
    assert!(why(&SplitBregman { inner: 0, ..good.clone() }).contains("inner"));
    assert!(why(&SplitBregman { l1: vec![variation(6, -1.0)], ..good.clone() }).contains("weight"));
    let other = SplitBregman { l1: vec![variation(7, 1.0)], ..good };
    assert!(other.solve(&a, &y).is_err());
    let failed = Irls { epsilon: 0.0, ..Irls::default() }.solve(&a, &y);
    assert!(matches!(failed, Err(Error::Parameter { solver: "Irls", .. })), "{failed:?}");
    let short = Array::zeros([5], DType::Float64, Device::cpu()).unwrap();
    for failed in [
        Irls::default().solve(&a, &short).map(drop),
        Omp::default().solve(&a, &short).map(drop),
        Spgl1::default().solve(&a, &short).map(drop),
    ] {
        assert!(matches!(failed, Err(Error::Shape { argument: "data", .. })), "{failed:?}");
    }
}

/// Norms and thresholds have no unit of their own.
#[test]
fn data_of_every_size_are_solved_as_those_near_one() {
    let problem = Problem::new(DType::Float32, [24, 16], 1.5, false, &mut Random(5));
    let (a, plain) = (problem.operator(), problem.y.clone());
    let gradient = FirstDerivative::new(
        Space::new([16], DType::Float32).unwrap(),
        0,
        1.0,
        Scheme::Forward,
        Edge::Zero,
    );
    let gradient = gradient.unwrap();
    let solve = |scale: f64| {
        let y = Problem { y: plain.iter().map(|y| y * scale).collect(), ..problem.clone() }.data();
        let bregman = |isotropic| {
            // A weight is a threshold, of the data's unit.
            let l1 = vec![Shrunk { operator: gradient.clone(), weight: 0.2 * scale, isotropic }];
            // What weighs the norm is the square of the weight, and the least-squares problem has the weight itself.
            let solver = SplitBregman { l1, mu: scale, iterations: 5, ..SplitBregman::default() };
            solver.solve(&a, &y).unwrap().x
        };
        let irls = Irls { iterations: 5, epsilon: 1e-2 * scale, ..Irls::default() };
        let sigma = 0.9 * scale * norm(&plain);
        let spgl1 =
            Spgl1 { constraint: Constraint::Misfit(sigma), tolerance: 1e-5, ..Spgl1::default() };
        [
            bregman(false),
            bregman(true),
            irls.solve(&a, &y).unwrap().x,
            Omp { iterations: 5, ..Omp::default() }.solve(&a, &y).unwrap().x,
            Mp { iterations: 5, ..Mp::default() }.solve(&a, &y).unwrap().x,
            spgl1.solve(&a, &y).unwrap().x,
        ]
        .map(|x| values(&x).into_iter().map(|x| x / scale).collect::<Vec<_>>())
    };
    let expected = solve(1.0);
    for scale in [1e-20, 1e20] {
        for (method, (found, expected)) in solve(scale).iter().zip(&expected).enumerate() {
            let off = support::distance(found, expected);
            assert!(off < 1e-3, "{scale:e}, method {method}: {off:e}");
        }
    }
}

#[test]
fn models_and_data_without_elements_have_an_end() {
    for [rows, columns] in [[0, 3], [3, 0], [1, 1]] {
        let matrix = array(DType::Float64, &vec![2.0.into(); rows * columns], &[rows, columns]);
        let Ok(a) = MatrixMult::new(matrix.into_shared(), &[]) else { continue };
        let y = array(DType::Float64, &vec![3.0.into(); rows], &[rows]);
        let l1 = vec![Shrunk {
            operator: Identity::new(a.domain().clone()).unwrap(),
            weight: 0.1,
            isotropic: false,
        }];
        let fista = Fista { stop: Stop::after(50), ..Fista::default() };
        for (method, solution) in [
            Solver::solve(&fista, &a, &y),
            SplitBregman { l1, iterations: 3, ..SplitBregman::default() }.solve(&a, &y),
            Irls::default().solve(&a, &y),
            Omp::default().solve(&a, &y),
            Mp::default().solve(&a, &y),
            Spgl1::default().solve(&a, &y),
        ]
        .into_iter()
        .enumerate()
        {
            let solution = solution.unwrap();
            let what = format!("{rows} x {columns}, method {method}: {solution:?}");
            assert_ne!(solution.stopped, Stopped::NotFinite, "{what}");
            assert_eq!(solution.x.shape(), [columns], "{what}");
            for x in values(&solution.x) {
                assert!(rows == 0 && x.norm() == 0.0 || (x.re - 1.5).abs() < 0.1, "{what}");
            }
        }
    }
}
