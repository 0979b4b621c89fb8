//! Sparse matrices from arrays: what they are, and what is refused.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::support::{DTYPES, array, check, dense, floats};

fn space(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float64).unwrap()
}

fn longs(elements: &[i64]) -> Array {
    array(&[elements.len()], elements)
}

fn values(elements: &[f64]) -> Array {
    floats(&[elements.len()], elements)
}

/// The message of a parameter error.
#[track_caller]
fn refused<T>(result: Result<T>, words: &[&str]) {
    let Err(error @ Error::Parameter { .. }) = result else { panic!("not a parameter error") };
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "'{text}' lacks '{word}'");
    }
}

/// `[[0, 2, 1], [0, 0, 0], [4, 0, 3], [0, 5, 0]]`
fn rows() -> Sparse {
    let (starts, columns) = (longs(&[0, 2, 2, 4, 5]), longs(&[2, 1, 0, 2, 1]));
    Sparse::from_csr([4, 3], &starts, &columns, values(&[1.0, 2.0, 4.0, 3.0, 5.0])).unwrap()
}

#[test]
fn rows_columns_and_coordinates_give_the_same_matrix() {
    let rows = rows();
    assert_eq!(rows.indptr, [0, 2, 2, 4, 5]);
    assert_eq!(rows.indices, [1, 2, 0, 2, 1]);
    let real: Vec<f64> = rows.values.iter().map(|value| value.re).collect();
    assert_eq!(real, [2.0, 1.0, 4.0, 3.0, 5.0]);
    let (starts, lists) = (longs(&[0, 1, 3, 5]), longs(&[2, 0, 3, 2, 0]));
    let columns = Sparse::from_csc([4, 3], &starts, &lists, values(&[4.0, 2.0, 5.0, 3.0, 1.0]));
    assert_eq!(columns.unwrap(), rows);
    // In any order, in parts, with a zero, of other integers.
    let row: Array = array(&[7], &[3_u8, 2, 0, 0, 2, 0, 1]);
    let column: Array = array(&[7], &[1_i32, 2, 2, 1, 0, 1, 1]);
    let each = values(&[5.0, 3.0, 1.0, 1.5, 4.0, 0.5, 0.0]);
    assert_eq!(Sparse::from_coo([4, 3], &row, &column, &each).unwrap(), rows);
}

#[test]
fn sparse_products_are_those_of_the_dense_matrix_along_every_axis() {
    for dtype in DTYPES {
        for (shape, axis) in [(&[3][..], 0), (&[3, 5], 0), (&[5, 3], -1), (&[2, 3, 4], 1)] {
            let space = Space::new(shape, dtype).unwrap();
            let a = MatrixMult::sparse(space.clone(), axis, rows()).unwrap();
            check(&a);
            let full = crate::support::filled(
                &Space::new([4, 3], dtype).unwrap(),
                &[0, 2, 1, 0, 0, 0, 4, 0, 3, 0, 5, 0].map(|v| Complex64::from(f64::from(v))),
            );
            let full = MatrixMult::along(space, axis, full).unwrap();
            assert_eq!(dense(&a), dense(&full), "{dtype} {shape:?} along {axis}");
            assert_eq!(a.to_sparse().unwrap(), full.to_sparse().unwrap());
        }
    }
}

#[test]
fn matrices_without_rows_columns_or_entries_multiply() {
    let none = |shape| Sparse::from_coo(shape, longs(&[]), longs(&[]), values(&[])).unwrap();
    for (shape, len) in [([4, 3], 3), ([0, 3], 3), ([4, 0], 0), ([1, 1], 1)] {
        let a = MatrixMult::sparse(space(&[len, 2]), 0, none(shape)).unwrap();
        assert_eq!(a.range().shape(), [shape[0], 2]);
        let y = a.forward(crate::support::random(a.domain(), 1)).unwrap();
        assert!(crate::support::read(&y).iter().all(|value| *value == 0.0));
    }
}

#[test]
fn lists_that_contradict_each_other_are_refused() {
    let csr = |shape, starts: &[i64], columns: &[i64], count: usize| {
        Sparse::from_csr(shape, longs(starts), longs(columns), values(&vec![1.0; count]))
    };
    refused(csr([2, 3], &[0, 1], &[0], 1), &["Sparse", "indptr has 2 elements for 2 rows"]);
    refused(csr([2, 3], &[0, 2, 1], &[0], 1), &["indptr"]);
    refused(csr([2, 3], &[1, 1, 1], &[0], 1), &["indptr"]);
    refused(csr([2, 3], &[0, 1, 2], &[0], 1), &["indptr", "1 entries"]);
    refused(csr([2, 3], &[0, 1, 9], &[0, 1], 2), &["indptr"]);
    refused(csr([0, 3], &[], &[], 0), &["indptr"]);
    refused(csr([usize::MAX, 3], &[0], &[], 0), &["indptr"]);
    refused(csr([1, 3], &[0, 1], &[3], 1), &["indices[0] is 3, of a matrix of 3 columns"]);
    refused(csr([1, 3], &[0, 1], &[-1], 1), &["indices[0] is -1"]);
    refused(csr([1, 3], &[0, 1], &[i64::MAX], 1), &["indices[0] is"]);
    refused(csr([1, 3], &[0, -1], &[0], 1), &["indptr[1] is -1"]);
    refused(csr([1, 3], &[0, 1], &[0], 2), &["indices has 1 elements, values 2"]);
    let coo = |rows: &[i64], columns: &[i64]| {
        Sparse::from_coo([2, 3], longs(rows), longs(columns), values(&[1.0]))
    };
    refused(coo(&[2], &[0]), &["rows[0] is 2, of a matrix of 2 rows"]);
    refused(coo(&[0], &[3]), &["columns[0] is 3, of a matrix of 3 columns"]);
    refused(coo(&[0, 1], &[0]), &["rows has 2 elements, values 1"]);
    refused(coo(&[0], &[]), &["columns has 0 elements, values 1"]);
    // By the place in the caller's list, not in the order of rows.
    let unsorted = Sparse::from_coo([2, 3], longs(&[1, 0]), longs(&[3, 0]), values(&[1.0, 2.0]));
    refused(unsorted, &["columns[0] is 3"]);
    let csc = |starts: &[i64], rows: &[i64]| {
        Sparse::from_csc([2, 3], longs(starts), longs(rows), values(&[1.0]))
    };
    refused(csc(&[0, 1, 1], &[0]), &["indptr has 3 elements for 3 columns"]);
    refused(csc(&[0, 1, 1, 1], &[2]), &["indices[0] is 2, of a matrix of 2 rows"]);
    let table = floats(&[1, 1], &[0.0]);
    refused(Sparse::from_csr([1, 1], &table, longs(&[0]), values(&[1.0])), &["shape [1, 1]"]);
    refused(
        Sparse::from_csr([1, 1], values(&[0.0, 1.0]), longs(&[0]), values(&[1.0])),
        &["Float64"],
    );
    refused(
        Sparse::from_csr([1, 1], longs(&[0, 1]), longs(&[0]), longs(&[1])),
        &["values are Int64"],
    );
}

#[test]
fn matrices_that_do_not_fit_are_refused() {
    refused(MatrixMult::sparse(space(&[4]), 0, rows()), &["MatrixMult", "[3]", "[4]"]);
    refused(MatrixMult::sparse(space(&[3]), 1, rows()), &["MatrixMult", "no axis 1"]);
    let bytes = Space::new([3], DType::UInt8).unwrap();
    refused(MatrixMult::sparse(bytes, 0, rows()), &["MatrixMult", "UInt8"]);
    // Fields are public.
    let mut wrong = rows();
    wrong.indices[0] = 3;
    refused(MatrixMult::sparse(space(&[3]), 0, wrong), &["MatrixMult", "index 3"]);
    let mut wrong = rows();
    wrong.indptr[1] = 9;
    refused(MatrixMult::sparse(space(&[3]), 0, wrong), &["MatrixMult", "row starts"]);
    let mut wrong = rows();
    wrong.values.pop();
    refused(MatrixMult::sparse(space(&[3]), 0, wrong), &["MatrixMult", "weights"]);
    for value in [f64::NAN, f64::INFINITY] {
        let mut wrong = rows();
        wrong.values[2] = value.into();
        refused(MatrixMult::sparse(space(&[3]), 0, wrong), &["MatrixMult", "entry 2"]);
    }
    let mut complex = rows();
    complex.values[0] = Complex64::i();
    refused(MatrixMult::sparse(space(&[3]), 0, complex.clone()), &["complex"]);
    let narrow = Space::new([3], DType::Complex64).unwrap();
    assert!(MatrixMult::sparse(narrow.clone(), 0, complex.clone()).is_ok());
    complex.values[0] = 1e60.into();
    refused(MatrixMult::sparse(narrow, 0, complex), &["MatrixMult", "Complex64"]);
    let large = MatrixMult::sparse(space(&[3, usize::MAX / 60]), 0, rows()).unwrap_err();
    assert!(matches!(large, Error::TooLarge { .. }), "{large}");
}
