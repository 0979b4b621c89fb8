//! What every proximal operator obeys, whichever function it is of.

use arrayspan_bridge::{DType, Relayout};
use arrayspan_kernels::on;
use arrayspan_operators::prelude::*;
use arrayspan_solvers::proximal::{
    Blocks, Bounds, Composed, Equal, L1, L1Ball, L2, L21, Nuclear, Proximal, Scratch, Simplex,
    SquaredL2, Tv,
};
use num_complex::Complex64;

use super::support::{Problem, Random, array, distance, epsilon, norm, values};
use super::{DTYPES, reals, wide};

/// All functions of a matrix of that dtype.
fn functions(dtype: DType, shape: [usize; 2], random: &mut Random) -> Vec<Box<dyn Proximal>> {
    let len = shape[0] * shape[1];
    let target = array(dtype, &random.numbers(dtype, len), &shape);
    let weights: Vec<Complex64> = random.numbers(dtype.real(), len);
    let weights: Vec<Complex64> = weights.iter().map(|w| w.norm().into()).collect();
    let weights = array(dtype.real(), &weights, &shape);
    let center = || target.try_clone().unwrap();
    let problem = Problem::new(dtype, [shape[0] + 2, shape[0]], 2.0, true, random);
    let matrix = array(dtype, &problem.matrix, &[shape[0] + 2, shape[0]]).into_shared();
    let a = MatrixMult::new(matrix, &[shape[1]]).unwrap();
    let mut tv = Tv::new(Space::new(shape, dtype).unwrap(), 0.7).unwrap();
    let single = dtype.real() == DType::Float32;
    (tv.iterations, tv.tolerance) = if single { (500, 0.0) } else { (3000, 1e-8) };
    let mut plain = tv.clone();
    plain.isotropic = false;
    let l1 = L1::new(0.8).unwrap();
    let composed = Composed::new(l1.clone()).times(0.3).unwrap().minus(center()).unwrap();
    let mut all: Vec<Box<dyn Proximal>> = vec![
        Box::new(l1.clone()),
        Box::new(L1::weighted(weights)),
        Box::new(L2::new(1.7).unwrap()),
        Box::new(L21::new(0.9, 0).unwrap()),
        Box::new(L21::new(0.9, -1).unwrap()),
        Box::new(SquaredL2::new(0.6).unwrap()),
        Box::new(SquaredL2::new(0.6).unwrap().target(center())),
        Box::new(SquaredL2::new(0.6).unwrap().operator(a).with_iterations(30)),
        Box::new(Nuclear::new(0.5).unwrap()),
        Box::new(L1Ball::new(0.9).unwrap()),
        Box::new(Equal),
        Box::new(tv),
        Box::new(plain),
        Box::new(composed.scaled(-2.0).unwrap()),
    ];
    if shape[0] > 1 {
        let parts = Blocks::default().and(1, L2::new(0.4).unwrap());
        all.push(Box::new(parts.and(shape[0] - 1, l1)));
    }
    if !dtype.is_complex() {
        all.push(Box::new(Bounds::new(-0.3, 0.4).unwrap()));
        all.push(Box::new(Bounds::new(0.0, f64::INFINITY).unwrap()));
        all.push(Box::new(Simplex::new(1.3).unwrap()));
    }
    all
}

const SHAPES: [[usize; 2]; 5] = [[1, 1], [5, 3], [3, 7], [1, 4], [11, 2]];

/// The least of `step f(z) + ½ ‖z - x‖²` is where it says: no step to anywhere makes it less.
#[test]
fn proximal_operators_minimise_what_they_say() {
    for dtype in DTYPES {
        let mut random = Random(21);
        for shape in SHAPES {
            let len = shape[0] * shape[1];
            for f in functions(dtype, shape, &mut random) {
                let numbers = random.numbers(dtype, len);
                let (x, step) = (array(dtype, &numbers, &shape), 0.8);
                let found = values(&f.proximal(&x, step).unwrap());
                let objective = |z: &[Complex64]| {
                    let value = f.at(&array(dtype, z, &shape)).unwrap();
                    let apart: f64 = z.iter().zip(&numbers).map(|(z, x)| (z - x).norm_sqr()).sum();
                    step * value + 0.5 * apart
                };
                let least = objective(&found);
                assert!(least.is_finite(), "{dtype} {shape:?} {f:?}");
                let slack = 40.0 * epsilon(dtype) * (1.0 + least);
                for size in [1e-3, 1e-1, 1.0] {
                    for _ in 0..4 {
                        let to = random.numbers(dtype, len);
                        let z: Vec<_> = found.iter().zip(&to).map(|(x, d)| x + size * d).collect();
                        assert!(objective(&z) >= least - slack, "{dtype} {shape:?} {f:?} {size}");
                    }
                    // Towards x, towards zero, and along itself.
                    for (towards, from) in [(&numbers, 1.0 - size), (&found, 1.0 - size)] {
                        let share = if from == 0.0 { 1.0 } else { size };
                        let z: Vec<_> = found
                            .iter()
                            .zip(towards)
                            .map(|(x, t)| (1.0 - share) * x + share * t * 0.9)
                            .collect();
                        assert!(objective(&z) >= least - slack, "{dtype} {shape:?} {f:?} {size}");
                    }
                }
            }
        }
    }
}

/// `x = prox(x, step) + step prox*(x / step, 1 / step)`, also where the second one has a formula of its own.
#[test]
fn the_operator_of_the_conjugate_is_that_of_moreau() {
    for dtype in DTYPES {
        let mut random = Random(22);
        for shape in SHAPES {
            for f in functions(dtype, shape, &mut random) {
                let x = random.numbers(dtype, shape[0] * shape[1]);
                for step in [0.25, 4.0] {
                    let near = values(&f.proximal(&array(dtype, &x, &shape), step).unwrap());
                    let shorter: Vec<_> = x.iter().map(|x| x / step).collect();
                    let dual = f.proximal_conjugate(&array(dtype, &shorter, &shape), 1.0 / step);
                    let dual = values(&dual.unwrap());
                    let sum: Vec<_> = near.iter().zip(&dual).map(|(a, b)| a + step * b).collect();
                    let off = distance(&sum, &x);
                    assert!(off < 200.0 * epsilon(dtype), "{dtype} {shape:?} {f:?}: {off:e}");
                }
            }
        }
    }
}

#[test]
fn no_proximal_operator_brings_two_points_further_apart() {
    for dtype in DTYPES {
        let mut random = Random(23);
        for shape in SHAPES {
            for f in functions(dtype, shape, &mut random) {
                let len = shape[0] * shape[1];
                let [a, b] = [random.numbers(dtype, len), random.numbers(dtype, len)];
                let prox =
                    |x: &[Complex64]| values(&f.proximal(&array(dtype, x, &shape), 0.6).unwrap());
                let apart = |a: &[Complex64], b: &[Complex64]| {
                    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
                };
                let (before, after) = (apart(&a, &b), apart(&prox(&a), &prox(&b)));
                assert!(after <= before * (1.0 + 1e-3), "{dtype} {shape:?} {f:?}");
            }
        }
    }
}

/// Inputs with gaps and outputs with gaps are as good as any.
#[test]
fn arrays_may_be_views_of_others() {
    let dtype = DType::Float64;
    let mut random = Random(24);
    let on = on(super::Device::cpu()).unwrap();
    let shape = [5, 3];
    for f in functions(dtype, shape, &mut random) {
        let numbers = random.numbers(dtype, 15);
        let expected = reals(&f.proximal(&array(dtype, &numbers, &shape), 0.5).unwrap());
        // The transposed one, every other element.
        let mut spread = vec![Complex64::ZERO; 30];
        for (at, number) in numbers.iter().enumerate() {
            spread[(at % 3) * 10 + 2 * (at / 3)] = *number;
        }
        let from = array(dtype, &spread, &[3, 10]);
        let mut to = array(dtype, &vec![Complex64::ZERO; 30], &[3, 10]);
        let mut scratch = Scratch::default();
        let step = scratch.number(&*on, 0.5).unwrap();
        let from = from.view().stepped(1, 2).unwrap().permuted(&[1, 0]).unwrap();
        let out = to.view_mut().stepped(1, 2).unwrap().permuted(&[1, 0]).unwrap();
        f.prox(&*on, &mut scratch, from, step.view(), out).unwrap();
        let to = reals(&to);
        for (at, expected) in expected.iter().enumerate() {
            let found = to[(at % 3) * 10 + 2 * (at / 3)];
            assert!((found - expected).abs() < 1e-9, "{f:?}: {found} is not {expected}");
        }
        let gaps = (0..3).flat_map(|row| (0..5).map(move |at| row * 10 + 2 * at + 1));
        assert!(gaps.into_iter().all(|gap| to[gap] == 0.0), "{f:?} wrote between");
    }
}

#[test]
fn singular_values_keep_their_digits_however_far_they_are_apart() {
    // Rotations and singular values over ten decades.
    let n = 6;
    for (dtype, least, scale) in [
        (DType::Float64, 1e-10, 1.0),
        (DType::Float32, 1e-4, 1.0),
        (DType::Float32, 1e-4, 1e25),
        (DType::Float32, 1e-4, 1e-25),
        (DType::Float64, 1e-10, 1e120),
    ] {
        let (t, sine) = (0.7_f64.cos(), 0.7_f64.sin());
        let sigma = |k: usize| least_of(least, k, n) * scale;
        let rotated = |values: &[f64]| {
            let mut x = vec![vec![0.0; n]; n];
            (0..n).for_each(|k| x[k][k] = values[k]);
            for k in 0..n - 1 {
                for row in &mut x {
                    let (a, b) = (row[k], row[k + 1]);
                    (row[k], row[k + 1]) = (t * a - sine * b, sine * a + t * b);
                }
                let (above, below) = x.split_at_mut(k + 1);
                for (a, b) in above[k].iter_mut().zip(&mut below[0]) {
                    (*a, *b) = (sine * *a - t * *b, t * *a + sine * *b);
                }
            }
            x.concat().into_iter().map(Complex64::from).collect::<Vec<_>>()
        };
        let values_of: Vec<f64> = (0..n).map(sigma).collect();
        let x = array(dtype, &rotated(&values_of), &[n, n]);
        let level = 2.0 * least * scale;
        let shrunk: Vec<f64> = values_of.iter().map(|s| (s - level).max(0.0)).collect();
        let found = Nuclear::new(level).unwrap().proximal(&x, 1.0).unwrap();
        let off = distance(&values(&found), &rotated(&shrunk));
        assert!(off < 40.0 * epsilon(dtype), "{dtype} {scale:e}: {off:e}");
        let sum = Nuclear::new(1.0).unwrap().at(&x).unwrap();
        let expected: f64 = values_of.iter().sum();
        assert!((sum / expected - 1.0).abs() < 40.0 * epsilon(dtype), "{dtype} {scale:e}");
    }
}

fn least_of(least: f64, k: usize, n: usize) -> f64 {
    least.powf(k as f64 / (n - 1) as f64)
}

#[test]
fn matrices_of_low_rank_of_zeros_and_of_nothing_have_singular_values() {
    let f = Nuclear::new(1.0).unwrap();
    let ones = wide(&[1.0; 12], &[3, 4]);
    assert!((f.at(&ones).unwrap() - 12.0_f64.sqrt()).abs() < 1e-14);
    let less = 1.0 - 1.0 / 12.0_f64.sqrt();
    for value in reals(&f.proximal(&ones, 1.0).unwrap()) {
        assert!((value - less).abs() < 1e-14);
    }
    let zeros = wide(&[0.0; 6], &[2, 3]);
    assert_eq!(
        (f.at(&zeros).unwrap(), reals(&f.proximal(&zeros, 1.0).unwrap())),
        (0.0, vec![0.0; 6])
    );
    let nothing = wide(&[], &[0, 3]);
    assert_eq!(f.at(&nothing).unwrap(), 0.0);
    assert_eq!(f.proximal(&nothing, 1.0).unwrap().shape(), [0, 3]);
    let bad = wide(&[1.0, f64::NAN], &[1, 2]);
    assert!(reals(&f.proximal(&bad, 1.0).unwrap())[1].is_nan());
    assert!(f.at(&bad).unwrap().is_nan());
}

#[test]
fn groups_and_elements_of_any_size_lose_no_digits_to_squares() {
    for scale in [1e-30, 1e30] {
        for rows in [2, 5, 13] {
            let mut random = Random(25);
            let numbers = random.numbers(DType::Float32, rows * 3);
            let large: Vec<_> = numbers.iter().map(|x| x * scale).collect();
            let prox = |numbers: &[Complex64], weight: f64| {
                let x = array(DType::Float32, numbers, &[rows, 3]);
                let f = L21::new(weight, 0).unwrap();
                (values(&f.proximal(&x, 1.0).unwrap()), f.at(&x).unwrap())
            };
            let ((expected, value), (found, large)) =
                (prox(&numbers, 0.2), prox(&large, 0.2 * scale));
            let found: Vec<_> = found.iter().map(|x| x / scale).collect();
            assert!(distance(&found, &expected) < 1e-6, "{scale:e} {rows}");
            assert!((large / scale / scale / value - 1.0).abs() < 1e-6, "{scale:e} {rows}");
        }
    }
}

#[test]
fn the_gap_ends_total_variation_where_it_is_asked_to() {
    let mut random = Random(26);
    let space = Space::new([30, 20], DType::Float64).unwrap();
    let x = array(DType::Float64, &random.numbers(DType::Float64, 600), &[30, 20]);
    let mut f = Tv::new(space, 0.5).unwrap();
    (f.iterations, f.tolerance) = (100_000, 1e-9);
    let exact = values(&f.proximal(&x, 1.0).unwrap());
    let mut offs = Vec::new();
    for tolerance in [1e-1, 1e-3, 1e-6] {
        f.tolerance = tolerance;
        let found = values(&f.proximal(&x, 1.0).unwrap());
        let off = norm(&found.iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<_>>());
        let size = norm(&values(&x));
        assert!(off <= tolerance * size, "{tolerance:e}: {:e}", off / size);
        offs.push(off);
    }
    assert!(offs[0] > 10.0 * offs[1] && offs[1] > 10.0 * offs[2], "it goes on for long: {offs:?}");
}
