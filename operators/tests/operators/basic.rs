//! `Identity`, `Diagonal`, `MatrixMult`.

use arrayspan_bridge::{DType, Relayout};
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{DTYPES, array, check, floats, host, numbers, random, read};

fn real(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float64).unwrap()
}

#[test]
fn identity_gives_back_what_it_gets() {
    for dtype in DTYPES {
        for shape in [&[][..], &[1], &[7], &[3, 5], &[2, 1, 3]] {
            let identity = Identity::new(Space::new(shape, dtype).unwrap()).unwrap();
            let x = random(identity.domain(), 1);
            assert_eq!(numbers(&identity.forward(&x).unwrap()), numbers(&x));
            check(&identity);
        }
    }
}

#[test]
fn a_rectangular_identity_truncates_and_pads_at_the_end() {
    let x = floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let cases: [(&[usize], &[f64]); 3] = [
        (&[1, 2], &[1.0, 2.0]),
        (&[3, 4], &[1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (&[3, 2], &[1.0, 2.0, 4.0, 5.0, 0.0, 0.0]),
    ];
    for (shape, expected) in cases {
        let identity = Identity::rectangular(real(&[2, 3]), real(shape)).unwrap();
        assert_eq!(read(&identity.forward(&x).unwrap()), expected);
        check(&identity);
    }
    for dtype in DTYPES {
        let [small, large] = [[2, 1, 3], [4, 2, 3]].map(|shape| Space::new(shape, dtype).unwrap());
        check(&Identity::rectangular(small.clone(), large.clone()).unwrap());
        check(&Identity::rectangular(large, small).unwrap());
    }
}

#[test]
fn a_diagonal_multiplies_element_by_element() {
    let weights = floats(&[2, 2], &[1.0, 2.0, 3.0, 4.0]).into_shared();
    let diagonal = Diagonal::new(real(&[2, 2]), weights).unwrap();
    let y = diagonal.forward(floats(&[2, 2], &[5.0, 6.0, 7.0, 8.0])).unwrap();
    assert_eq!(read(&y), [5.0, 12.0, 21.0, 32.0]);
}

#[test]
fn a_diagonal_repeats_its_weights_along_the_other_axes() {
    let weights = floats(&[2], &[2.0, 3.0]).into_shared();
    let x = floats(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let rows = Diagonal::along(real(&[2, 2]), 0, weights.clone()).unwrap();
    assert_eq!(read(&rows.forward(&x).unwrap()), [2.0, 4.0, 9.0, 12.0]);
    let columns = Diagonal::along(real(&[2, 2]), 1, weights).unwrap();
    assert_eq!(read(&columns.forward(&x).unwrap()), [2.0, 6.0, 6.0, 12.0]);
}

#[test]
fn the_adjoint_of_a_diagonal_conjugates() {
    let i = Complex64::i();
    let weights = array(&[1], &[2.0 + i]).into_shared();
    let diagonal = Diagonal::new(Space::new([1], DType::Complex128).unwrap(), weights).unwrap();
    let one = array(&[1], &[Complex64::new(1.0, 0.0)]);
    assert_eq!(numbers(&diagonal.forward(&one).unwrap()), [2.0 + i]);
    assert_eq!(numbers(&diagonal.adjoint(&one).unwrap()), [2.0 - i]);
}

#[test]
fn diagonals_hold_for_every_dtype_and_layout_of_the_weights() {
    for dtype in DTYPES {
        let space = Space::new([3, 4], dtype).unwrap();
        let transposed = random(&Space::new([4, 3], dtype).unwrap(), 1).into_shared();
        check(&Diagonal::new(space.clone(), transposed.permuted(&[1, 0]).unwrap()).unwrap());
        let every_second = random(&Space::new([8], dtype).unwrap(), 2).into_shared();
        check(&Diagonal::along(space, 1, every_second.stepped(0, 2).unwrap()).unwrap());
    }
}

#[test]
fn adding_leaves_a_complex_infinity_as_it_is() {
    let one = Complex64::new(1.0, 0.0);
    let weights = array(&[1], &[one]).into_shared();
    let diagonal = Diagonal::new(Space::new([1], DType::Complex128).unwrap(), weights).unwrap();
    let mut y = array(&[1], &[Complex64::new(f64::INFINITY, 3.0)]);
    let x = array(&[1], &[one]);
    diagonal.apply(&*host(), x.view(), y.view_mut(), Update::add()).unwrap();
    assert_eq!(numbers(&y), [Complex64::new(f64::INFINITY, 3.0)]);
}

#[test]
fn a_matrix_multiplies_the_first_axis() {
    let matrix = floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).into_shared();
    let vector = MatrixMult::new(matrix.clone(), &[]).unwrap();
    assert_eq!(read(&vector.forward(floats(&[3], &[1.0, 0.0, -1.0])).unwrap()), [-2.0, -2.0]);
    assert_eq!(read(&vector.adjoint(floats(&[2], &[1.0, 1.0])).unwrap()), [5.0, 7.0, 9.0]);
    let columns = MatrixMult::new(matrix, &[2]).unwrap();
    assert_eq!(columns.range().shape(), [2, 2]);
    let x = floats(&[3, 2], &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(read(&columns.forward(&x).unwrap()), [1.0, 2.0, 4.0, 5.0]);
}

#[test]
fn matrices_hold_for_every_dtype_and_for_any_other_axes() {
    for dtype in DTYPES {
        let matrix = random(&Space::new([3, 5], dtype).unwrap(), 1).into_shared();
        // Loose arrays of four axes are no batch of matrices, so they go slice by slice.
        for others in [&[][..], &[1], &[4], &[2, 3], &[2, 3, 2]] {
            check(&MatrixMult::new(matrix.clone(), others).unwrap());
        }
        check(&MatrixMult::new(matrix.permuted(&[1, 0]).unwrap(), &[2]).unwrap());
    }
}

#[test]
fn a_matrix_multiplies_along_any_axis_as_along_the_first() {
    for dtype in DTYPES {
        let matrix = random(&Space::new([3, 5], dtype).unwrap(), 1).into_shared();
        for (shape, axis) in [
            (&[4, 5][..], 1),
            (&[5, 4], 0),
            (&[2, 5, 7], -2),
            (&[2, 7, 5], 2),
            (&[2, 3, 5, 2, 3], 2),
        ] {
            let space = Space::new(shape, dtype).unwrap();
            let along = MatrixMult::along(space.clone(), axis, matrix.clone()).unwrap();
            check(&along);
            let axis = space.axis("test", axis).unwrap();
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order[..=axis].rotate_right(1);
            let others: Vec<usize> = order[1..].iter().map(|axis| shape[*axis]).collect();
            let first = MatrixMult::new(matrix.clone(), &others).unwrap();
            let x = random(&space, 2);
            let expected = first.forward(x.view().permuted(&order).unwrap()).unwrap();
            let found = along.forward(&x).unwrap();
            let found = found.view().permuted(&order).unwrap().to_array().unwrap();
            let single = matches!(dtype, DType::Float32 | DType::Complex64);
            let rounding = if single { 1e-6 } else { 1e-15 };
            for (a, b) in numbers(&found).into_iter().zip(numbers(&expected)) {
                assert!((a - b).norm() < 16.0 * rounding, "{shape:?} along {axis}: {a}, {b}");
            }
            assert_eq!(along.to_sparse().unwrap().shape, [along.range().len(), space.len()]);
        }
    }
}

#[test]
fn a_rectangular_identity_of_too_many_boxes_says_so() {
    let error = Identity::rectangular(real(&[1; 13]), real(&[2; 13])).unwrap_err();
    assert_eq!(error.to_string(), "Identity: more than 4096 boxes");
    assert!(Identity::rectangular(real(&[2; 13]), real(&[1; 13])).is_ok());
}

#[test]
fn whatever_lends_a_view_is_taken() {
    let space = Space::new([3, 2], DType::Float64).unwrap();
    let double = (2.0 * Identity::new(space.clone()).unwrap()).build().unwrap();
    let x = random(&space, 1);
    let expected = read(&double.forward(&x).unwrap());
    let shared = random(&space, 1).into_shared();
    let pair = random(&Space::new([2, 3, 2], DType::Float64).unwrap(), 1);
    assert_eq!(read(&double.forward(&shared).unwrap()), expected);
    assert_eq!(read(&double.forward(x.view()).unwrap()), expected);
    assert_eq!(read(&double.adjoint(x.view()).unwrap()), expected);
    let part = pair.view().selected(0, 1).unwrap();
    let doubled: Vec<f64> = part.to_vec::<f64>().unwrap().iter().map(|v| 2.0 * v).collect();
    assert_eq!(read(&double.forward(part.clone()).unwrap()), doubled);
    let opaque: &dyn LinearMap = &double;
    assert_eq!(read(&opaque.forward(&part).unwrap()), doubled);
    // What an operator gives is taken by the next.
    let twice = double.forward(double.forward(&x).unwrap()).unwrap();
    assert_eq!(read(&twice), read(&double.pow(2).forward(&x).unwrap()));
}

#[test]
fn formulas_are_applied_as_operators_are_and_tell_their_error() {
    let space = Space::new([3, 2], DType::Float64).unwrap();
    let a = Roll::new(space.clone(), 0, 1).unwrap();
    let x = random(&space, 1);
    let (formula, built) = (&a - 2.0 * a.after(&a), (&a - 2.0 * a.after(&a)).build().unwrap());
    assert_eq!(read(&formula.forward(&x).unwrap()), read(&built.forward(&x).unwrap()));
    assert_eq!(read(&formula.adjoint(&x).unwrap()), read(&built.adjoint(&x).unwrap()));
    let wrong = &a + Identity::new(Space::new([4], DType::Float64).unwrap()).unwrap();
    let expected = wrong.clone().build().unwrap_err().to_string();
    assert_eq!(wrong.forward(&x).unwrap_err().to_string(), expected);
    assert_eq!(wrong.adjoint(&x).unwrap_err().to_string(), expected);
}

#[test]
fn constructors_take_whatever_becomes_a_shared_array() {
    let space = Space::new([2], DType::Float64).unwrap();
    let x = floats(&[2], &[1.0, 10.0]);
    let shared = floats(&[2], &[3.0, 4.0]).into_shared();
    for weights in [
        Diagonal::new(space.clone(), floats(&[2], &[3.0, 4.0])),
        Diagonal::new(space.clone(), &shared),
        Diagonal::new(space.clone(), vec![3.0, 4.0]),
        Diagonal::along(space.clone(), -1, shared),
        MatrixMult::new(floats(&[2, 2], &[3.0, 0.0, 0.0, 4.0]), &[]),
    ] {
        assert_eq!(read(&weights.unwrap().forward(&x).unwrap()), [3.0, 40.0]);
    }
}
