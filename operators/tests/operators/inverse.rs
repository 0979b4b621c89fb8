//! Inverses that are operators.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;
use proptest::prelude::*;

use crate::devices::{CPU, other};
use crate::support::{DTYPES, array, assert_close, filled, floats, numbers, random};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// Fails unless both products with the inverse give back what they are given.
fn inverts(a: &Operator) {
    let inverse = a.inverse().unwrap();
    assert_eq!((inverse.domain(), inverse.range()), (a.range(), a.domain()));
    let (x, y) = (random(a.domain(), 1), random(a.range(), 2));
    let dtype = a.domain().dtype();
    let back = inverse.forward(a.forward(&x).unwrap()).unwrap();
    assert_close(&numbers(&back), &numbers(&x), dtype, &format!("{a:?}"));
    let there = a.forward(inverse.forward(&y).unwrap()).unwrap();
    assert_close(&numbers(&there), &numbers(&y), dtype, &format!("{a:?}"));
    let twice = inverse.inverse().unwrap().forward(&x).unwrap();
    assert_close(&numbers(&twice), &numbers(&a.forward(&x).unwrap()), dtype, &format!("{a:?}"));
    let report = laws::check(&inverse).unwrap();
    assert!(report.holds(), "{report}");
}

/// Numbers between 1 and 3 in size.
fn away_from_zero(space: &Space, seed: u64) -> Array {
    let of = numbers(&random(space, seed));
    let of: Vec<Complex64> = of.iter().map(|v| v + 2.0 * v.re.signum()).collect();
    filled(space, &of)
}

/// Near the identity, so that it is far from singular.
fn matrix(n: usize, dtype: DType, seed: u64) -> Array {
    let space = space(&[n, n], dtype);
    let mut all = numbers(&random(&space, seed));
    (0..n).for_each(|i| all[i * n + (i + 1) % n] += 3.0 * n as f64);
    filled(&space, &all)
}

/// Square operators on `[4, 3]` whose inverses are operators.
fn operators(dtype: DType) -> Vec<Operator> {
    let whole = space(&[4, 3], dtype);
    let weights = away_from_zero(&whole, 3).into_shared();
    let along = away_from_zero(&space(&[3], dtype), 4).into_shared();
    vec![
        Identity::new(whole.clone()).unwrap(),
        Diagonal::new(whole.clone(), weights).unwrap(),
        Diagonal::along(whole.clone(), 1, along).unwrap(),
        Flip::new(whole.clone(), &[0, 1]).unwrap(),
        Roll::new(whole.clone(), 0, 3).unwrap(),
        Conj::new(whole.clone()).unwrap(),
        Restriction::new(whole.clone(), 0, [2, 0, 3, 1]).unwrap(),
        MatrixMult::new(matrix(4, dtype, 5), &[3]).unwrap(),
        MatrixMult::along(whole, 1, matrix(3, dtype, 6)).unwrap(),
    ]
}

#[test]
fn inverses_undo_what_operators_do_in_every_dtype() {
    for dtype in DTYPES {
        let all = operators(dtype);
        let factor = Complex64::new(-0.5, if dtype.is_complex() { 2.0 } else { 0.0 });
        for (number, a) in all.iter().enumerate() {
            let b = &all[(number + 1) % all.len()];
            for a in [
                a.clone(),
                (factor * a).build().unwrap(),
                adjoint(a),
                a.conj(),
                a.transpose(),
                a.after(factor * adjoint(b)).build().unwrap(),
                block_diagonal([a, b]).unwrap(),
                a.clone().named("Mine"),
                a.lifted(Lift::Trailing(2)).unwrap(),
            ] {
                inverts(&a);
            }
        }
        inverts(&Transpose::new(space(&[5, 1, 7], dtype), &[2, 0, 1]).unwrap());
        let (a, b) =
            (MatrixMult::new(matrix(3, dtype, 7), &[]), Roll::new(space(&[5], dtype), 0, 2));
        inverts(&Kronecker::new(a.unwrap(), b.unwrap()).unwrap());
    }
}

#[test]
fn the_inverse_of_a_matrix_is_that_of_numpy_in_other_units_too() {
    // numpy.linalg.inv([[0, 2, 1], [1, 1, 0], [3, 0, 1]])
    let inverse = [-0.2, 0.4, 0.2, 0.2, 0.6, -0.2, 0.6, -1.2, 0.4];
    let one = [1.0; 3];
    let wide = [1e-100, 1.0, 1e80];
    let near = [1e-3, 1.0, 1e4];
    for (left, right) in
        [(one, one), (wide, one), (near, near), ([1e-150; 3], one), (one, [1e120; 3])]
    {
        let plain = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];
        let scaled: Vec<f64> = (0..9).map(|at| plain[at] * left[at / 3] * right[at % 3]).collect();
        let a = MatrixMult::new(floats(&[3, 3], &scaled), &[]).unwrap();
        let found = a.inverse().unwrap().to_dense().unwrap().to_vec::<f64>().unwrap();
        for (at, found) in found.into_iter().enumerate() {
            let expected = inverse[at] / right[at / 3] / left[at % 3];
            assert!((found / expected - 1.0).abs() < 1e-13, "{found} at {at}, not {expected}");
        }
    }
}

#[test]
fn the_inverse_of_a_matrix_of_no_rows_is_one_too() {
    for others in [&[][..], &[3]] {
        let a = MatrixMult::new(floats(&[0, 0], &[]), others).unwrap();
        assert_eq!(a.inverse().unwrap().range(), a.domain());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn inverses_of_matrices_are_inverses(n in 1_usize..24, seed in any::<u64>(), complex in any::<bool>()) {
        let dtype = if complex { DType::Complex128 } else { DType::Float64 };
        let a = MatrixMult::new(random(&space(&[n, n], dtype), seed), &[]).unwrap();
        let Ok(inverse) = a.inverse() else { return Ok(()) };
        let entries = numbers(&inverse.to_dense().unwrap());
        let size = entries.iter().map(|v| v.norm()).fold(1.0, f64::max) * n as f64;
        let product = numbers(&a.after(&inverse).build().unwrap().to_dense().unwrap());
        for (at, found) in product.into_iter().enumerate() {
            let one = Complex64::from(f64::from(u8::from(at / n == at % n)));
            prop_assert!((found - one).norm() < 1e-13 * size, "{found} at {at} of {n}, {size:e}");
        }
    }
}

#[test]
fn transforms_whose_inverse_is_the_adjoint_say_so() {
    let wavelet = |name: &str| Wavelet::named(name).unwrap();
    for dtype in DTYPES {
        let whole = space(&[37, 4], dtype);
        for cosines in [Cosines::I, Cosines::II, Cosines::III, Cosines::IV] {
            let a = DCT::new(whole.clone(), &[0, 1], cosines).unwrap();
            inverts(&a);
            inverts(&(2.0 * adjoint(&a)).build().unwrap());
        }
        let whole = space(&[8, 16], dtype);
        for name in ["haar", "db4", "db9"] {
            inverts(&DWT::new(whole.clone(), 0, &wavelet(name), 2).unwrap());
            inverts(&DWT2D::new(whole.clone(), [0, 1], &wavelet(name), 3).unwrap());
        }
        // Zeros behind samples: what was padded comes back.
        for levels in [0, 1, 3] {
            let a = DWT::new(space(&[2, 13], dtype), 1, &wavelet("db2"), levels).unwrap();
            let x = random(a.domain(), 3);
            let back = a.inverse().unwrap().forward(a.forward(&x).unwrap()).unwrap();
            assert_close(&numbers(&back), &numbers(&x), dtype, "padded");
        }
    }
    for axes in [&[0, 1][..], &[1]] {
        for shape in [&[40, 33][..], &[1, 2], &[2, 70]] {
            for cosines in [Cosines::II, Cosines::IV] {
                inverts(&DCT::new(space(shape, DType::Float64), axes, cosines).unwrap());
            }
        }
    }
    let whole = space(&[16], DType::Float64);
    let cosines = DCT::new(whole.clone(), &[0], Cosines::II).unwrap();
    let haar = DWT::new(whole.clone(), 0, &wavelet("haar"), 1).unwrap();
    for a in [&cosines, &haar] {
        let identity = Identity::new(space(&[3], DType::Float64)).unwrap();
        inverts(&Kronecker::new(a, &identity).unwrap());
        inverts(&Kronecker::new(&identity, a).unwrap());
        inverts(&block_diagonal([&cosines, a]).unwrap());
        inverts(&cosines.after(adjoint(a)).build().unwrap());
        inverts(&a.clone().named("another"));
    }
    for name in ["dmey", "bior2.2"] {
        let a = DWT::new(whole.clone(), 0, &wavelet(name), 1).unwrap();
        assert!(matches!(a.inverse(), Err(Error::NoInverse { .. })), "{name}");
    }
}

#[test]
fn inverses_on_the_left_and_on_the_right_do_not_meet() {
    // Three samples become four coefficients: `Wᴴ W = 1`, but not `W Wᴴ`, and so `Wᴴ M⁻¹ W` is not the inverse of `Wᴴ M W`.
    let whole = space(&[3], DType::Float64);
    let wide = DWT::new(whole, 0, &Wavelet::named("haar").unwrap(), 0).unwrap();
    let matrix = [2.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    let matrix = MatrixMult::new(array(&[4, 4], &matrix), &[]).unwrap();
    let back = adjoint(&wide);
    let spoken = |why: &Error| why.to_string().contains("only a right one");
    let square = back.after(&matrix).after(&wide).build().unwrap();
    assert!(spoken(&square.inverse().unwrap_err()));
    let blocks = block_diagonal([&wide, &back]).unwrap();
    assert!(spoken(&blocks.inverse().unwrap_err()));
    // One of both by itself is one.
    let left = matrix.after(&wide).build().unwrap();
    let x = random(left.domain(), 5);
    let there = left.inverse().unwrap().forward(left.forward(&x).unwrap()).unwrap();
    assert_close(&numbers(&there), &numbers(&x), DType::Float64, "left");
    let right = back.after(&matrix).build().unwrap();
    let y = random(right.range(), 6);
    let there = right.forward(right.inverse().unwrap().forward(&y).unwrap()).unwrap();
    assert_close(&numbers(&there), &numbers(&y), DType::Float64, "right");
}

#[test]
fn inverses_live_where_the_operators_do() {
    let Some(other) = other() else { return };
    let whole = space(&[5, 3], DType::Float32);
    let weights = away_from_zero(&whole, 3).into_device(other).unwrap().0;
    let weights = Diagonal::new(whole.clone(), weights).unwrap();
    let square = matrix(5, DType::Float32, 4).into_device(other).unwrap().0;
    let a = MatrixMult::new(square, &[3]).unwrap().after(weights).build().unwrap();
    let inverse = a.inverse().unwrap();
    assert_eq!(inverse.devices(), Some(Devices::both(other)));
    let x = random(&whole, 5);
    let there = x.view().to(other).unwrap().0.view().to_vec::<f32>().unwrap();
    let there = array(&[5, 3], &there).into_device(other).unwrap().0;
    let back = inverse.forward(a.forward(&there).unwrap()).unwrap();
    let back = back.into_device(CPU()).unwrap().0;
    assert_close(&numbers(&back), &numbers(&x), DType::Float32, "there and back");
    let up = ToDevice::new(whole, CPU(), other).unwrap();
    let down = up.inverse().unwrap().forward(up.forward(&x).unwrap()).unwrap();
    assert_eq!((numbers(&down), down.device()), (numbers(&x), CPU()));
    for zero in [0.0_f32, f32::NAN] {
        let weights = array(&[3], &[1.0_f32, zero, 2.0]).into_device(other).unwrap().0;
        let weights = Diagonal::new(space(&[3], DType::Float32), weights).unwrap();
        assert!(matches!(weights.inverse(), Err(Error::NoInverse { .. })));
    }
}

#[test]
fn what_has_no_inverse_says_which_part_has_none_and_why() {
    let whole = space(&[4, 3], DType::Float64);
    let refused = |a: &Operator, operator: &str, why: &str| match a.inverse().unwrap_err() {
        Error::NoInverse { operator: found, why: said } => {
            assert!(found == operator && said.contains(why), "{found}: {said}");
        }
        error => panic!("{error}"),
    };
    let weights =
        |of: [f64; 3]| Diagonal::along(whole.clone(), 1, floats(&[3], &of).into_shared()).unwrap();
    let slope = FirstDerivative::new(whole.clone(), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let identity = Identity::new(whole.clone()).unwrap();
    refused(&slope, "FirstDerivative", "dense");
    refused(&identity.after(2.0 * &slope).build().unwrap(), "FirstDerivative", "dense");
    refused(&weights([1.0, 0.0, 2.0]), "Diagonal", "a weight is zero");
    refused(&weights([1.0, f64::NAN, 2.0]), "Diagonal", "not a number");
    refused(&weights([1.0, f64::INFINITY, 2.0]), "Diagonal", "reciprocal that is zero");
    refused(&weights([1.0, 5e-324, 2.0]), "Diagonal", "reciprocal that is none");
    refused(&Pad::new(whole.clone(), &[(1, 0), (0, 0)]).unwrap(), "Pad", "no permutation");
    let repeated = Restriction::new(whole.clone(), 0, [2, 2, 3, 1]).unwrap();
    refused(&repeated, "Restriction", "no permutation");
    refused(&Zero::new(whole.clone(), whole.clone()).unwrap(), "Zero", "it is zero");
    refused(&vstack([&identity, &identity]).unwrap(), "vstack", "share");
    refused(&(&identity + &slope).build().unwrap(), "FirstDerivative", "dense");
    refused(&(&identity + &identity).build().unwrap(), "sum", "sum");
    let singular = floats(&[2, 2], &[1.0, 2.0, 2.0, 4.0]);
    refused(&MatrixMult::new(singular, &[]).unwrap(), "MatrixMult", "singular");
    let wide = floats(&[1, 2], &[1.0, 2.0]);
    refused(&MatrixMult::new(wide, &[]).unwrap(), "MatrixMult", "[1, 2], not square");
    let none = array(&[2, 2], &[f64::NAN, 2.0, 2.0, 4.0]);
    refused(&MatrixMult::new(none, &[]).unwrap(), "MatrixMult", "singular");
    let small = array(&[1, 1], &[1e-39_f32]);
    refused(&MatrixMult::new(small, &[]).unwrap(), "MatrixMult", "beyond the numbers");
    let nothing = (0.0 * &identity).build().unwrap();
    assert!(matches!(nothing.inverse(), Err(Error::NoInverse { .. })), "{nothing:?}");
    // A factor, too, whose reciprocal is a number or is not.
    inverts(&(3e-308 * &identity).build().unwrap());
    let large = (1e308 * &identity).build().unwrap();
    assert!(matches!(large.inverse(), Err(Error::Parameter { .. })));
}
