//! Operators on some elements of their models, counters, and matrices found in blocks.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::Counter;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{DTYPES, dense, floats, hidden, numbers, random};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

fn slope(shape: &[usize], dtype: DType) -> Operator {
    FirstDerivative::new(space(shape, dtype), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap()
}

#[test]
fn columns_of_an_operator_are_those_of_its_matrix() {
    for dtype in DTYPES {
        let weights =
            Diagonal::new(space(&[7, 3], dtype), random(&space(&[7, 3], dtype), 2)).unwrap();
        let both = slope(&[7, 3], dtype).after(&weights).build().unwrap();
        let vector = Convolve1D::new(space(&[11], dtype), 0, &[0.5, 1.0, -0.25], 1).unwrap();
        let number = Identity::new(space(&[], dtype)).unwrap();
        let empty = Identity::new(space(&[0, 3], dtype)).unwrap();
        for operator in [both.clone(), hidden(both), vector, number, empty] {
            let (whole, len) = (dense(&operator), operator.domain().len());
            let some = [len.saturating_sub(1), 0, len / 2, 0]
                .map(|column| column.min(len.saturating_sub(1)));
            for columns in [&some[..], &some[..1], &[]] {
                let columns = if len == 0 { &[] } else { columns };
                let found = operator.columns(columns).unwrap();
                assert_eq!(found.domain(), &space(&[columns.len()], dtype));
                assert_eq!(found.range(), operator.range());
                for (column, expected) in
                    dense(&found).iter().zip(columns.iter().map(|at| &whole[*at]))
                {
                    crate::support::assert_close(column, expected, dtype, &format!("{operator:?}"));
                }
                let report = laws::check(&found).unwrap();
                assert!(report.holds(), "{report}");
            }
        }
    }
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let error = slope(&[7, 3], DType::Float64).columns([3, 21]).unwrap_err().to_string();
    let why = "column 21, number 1, is not below 21, the elements of Float64 [7, 3]";
    assert_eq!(error, format!("FirstDerivative: {why}"));
}

#[test]
fn dense_and_sparse_matrices_are_found_in_blocks_that_may_overlap() {
    // 16 MiB hold 23 columns of 90001 elements: more than one block, of which the last overlaps.
    let tall = Restriction::new(space(&[60], DType::Float64), 0, vec![59; 90_001]).unwrap();
    let all = tall.to_dense().unwrap();
    assert_eq!(all.shape(), [90_001, 60]);
    let entries = all.view().as_slice::<f64>().unwrap();
    let right =
        |(at, v): (usize, &f64)| v.to_bits() == f64::from(u8::from(at % 60 == 59)).to_bits();
    assert!(entries.iter().enumerate().all(right));
    let sparse = hidden(tall).to_sparse().unwrap();
    assert!(sparse.indices.iter().all(|column| *column == 59) && sparse.indices.len() == 90_001);
    for dtype in DTYPES {
        let operator = vstack![
            &slope(&[5, 3], dtype),
            Pad::new(space(&[5, 3], dtype), &[(1, 0), (0, 0)]).unwrap()
        ];
        let operator = operator.unwrap();
        let expected: Vec<Vec<Complex64>> = dense(&operator);
        for operator in [&operator, &hidden(operator.clone())] {
            let (found, columns) =
                (numbers(&operator.to_dense().unwrap()), operator.domain().len());
            let sparse = operator.to_sparse().unwrap();
            for (row, column) in
                (0..operator.range().len()).flat_map(|i| (0..columns).map(move |j| (i, j)))
            {
                assert_eq!(found[row * columns + column], expected[column][row]);
                let entry = sparse
                    .row(row)
                    .find(|(at, _)| *at == column)
                    .map_or(Complex64::ZERO, |(_, v)| v);
                assert_eq!(entry, expected[column][row]);
            }
        }
    }
    for shape in [[0, 3], [3, 0]] {
        let empty =
            Zero::new(space(&shape[..1], DType::Float32), space(&shape[1..], DType::Float32))
                .unwrap();
        assert_eq!(empty.to_dense().unwrap().shape(), [shape[1], shape[0]]);
        assert_eq!(hidden(empty).to_sparse().unwrap().shape, [shape[1], shape[0]]);
    }
}

#[test]
fn counters_count_what_is_applied_and_nothing_else() {
    let plain = slope(&[6], DType::Float64);
    let (counted, counter) = Counter::of(&plain);
    let x = floats(&[6], &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
    assert_eq!(numbers(&counted.forward(&x).unwrap()), numbers(&plain.forward(&x).unwrap()));
    assert_eq!((counter.forward(), counter.adjoint()), (1, 0));
    adjoint(&counted).forward(&x).unwrap();
    counted.adjoint(&x).unwrap();
    assert_eq!((counter.forward(), counter.adjoint()), (1, 2));
    // What fails counts for nothing; nor does the operator that is not counted.
    assert!(counted.forward(floats(&[5], &[0.0; 5])).is_err());
    plain.forward(&x).unwrap();
    assert_eq!((counter.forward(), counter.adjoint()), (1, 2));
    counter.reset();
    let normal = adjoint(&counted).after(&counted).build().unwrap();
    normal.forward(&x).unwrap();
    vstack([&counted, &counted]).unwrap().forward(&x).unwrap();
    assert_eq!((counter.forward(), counter.adjoint()), (3, 1));
    // Twice the same is applied once, times two.
    counter.reset();
    (&counted + &counted).forward(&x).unwrap();
    assert_eq!((counter.forward(), counter.adjoint()), (1, 0));
    assert!(counted.describe().contains("opaque, counted"), "{}", counted.describe());
    counter.reset();
    let many: Array = random(&space(&[6, 4], DType::Float64), 1);
    counted.matmat(&many).unwrap();
    counted.rmatmat(&many).unwrap();
    assert_eq!((counter.clone().forward(), counter.adjoint()), (4, 4));
    let report = laws::check(&counted).unwrap();
    assert!(report.holds(), "{report}");
    // Both directions of one that is its own adjoint.
    let (own, counter) = Counter::of(Identity::new(space(&[6], DType::Float64)).unwrap());
    own.adjoint(&x).unwrap();
    assert_eq!((counter.forward(), counter.adjoint()), (0, 1));
}
