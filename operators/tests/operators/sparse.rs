//! Sparse matrices of operators, against the matrices that applying them gives.

use std::thread;

use arrayspan_bridge::DType;
use arrayspan_operators::form::index::IndexMap;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Result, Sparse};
use num_complex::Complex64;
use proptest::prelude::*;

use crate::exact::close;
use crate::support::{DTYPES, dense, floats, hidden, numbers, random};
use crate::trees::{built, trees};

const ZERO: Complex64 = Complex64::new(0.0, 0.0);

/// Whether rows are sorted, without duplicates and zeros, and all there.
fn well_formed(sparse: &Sparse) {
    let Sparse { shape: [rows, columns], indptr, indices, values, .. } = sparse;
    assert_eq!((indptr.len(), indptr[0], indptr[*rows]), (rows + 1, 0, indices.len()));
    assert_eq!(indices.len(), values.len());
    for row in 0..*rows {
        let entries = &indices[indptr[row]..indptr[row + 1]];
        assert!(entries.is_sorted_by(|a, b| a < b), "row {row}: {entries:?}");
        assert!(entries.iter().all(|column| column < columns), "row {row}: {entries:?}");
    }
    assert!(!values.contains(&ZERO));
}

/// Column by column.
fn columns(sparse: &Sparse) -> Vec<Vec<Complex64>> {
    well_formed(sparse);
    let [rows, columns] = sparse.shape;
    let all = numbers(&sparse.to_dense().unwrap());
    (0..columns).map(|j| (0..rows).map(|i| all[i * columns + j]).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_sparse_matrix_is_that_of_what_was_written(tree in trees()) {
        for dtype in [DType::Float32, DType::Complex128] {
            let (operator, exact) = built(&tree, dtype);
            close(&columns(&operator.to_sparse().unwrap()), &exact, dtype, &tree)?;
            let adjoint = adjoint(&operator).to_sparse().unwrap();
            let exact = exact.transposed().each(|v| v.conj());
            close(&columns(&adjoint), &exact, dtype, &tree)?;
        }
    }
}

fn same(operator: &Operator) {
    let (found, expected) = (columns(&operator.to_sparse().unwrap()), dense(operator));
    let size = expected.iter().flatten().map(|v| v.norm()).fold(1.0, f64::max);
    let single = operator.domain().dtype().real() == DType::Float32;
    let bound = size * if single { 1e-5 } else { 1e-13 };
    assert_eq!(found.len(), expected.len());
    for (column, (found, expected)) in found.iter().zip(&expected).enumerate() {
        for (row, (found, expected)) in found.iter().zip(expected).enumerate() {
            let near = (found - expected).norm() <= bound;
            assert!(near, "({row}, {column}) of {operator:?} is {found}, expected {expected}");
        }
    }
}

#[test]
fn every_form_gives_the_matrix_that_applying_it_gives() {
    for dtype in DTYPES {
        let space = |shape: &[usize]| Space::new(shape, dtype).unwrap();
        let index = |map: Result<IndexMap>| {
            let map = map.unwrap();
            let (from, to) = (space(map.domain()), space(map.range()));
            Operator::of("index", from, to, Form::Index(map)).unwrap()
        };
        let weights = |shape: &[usize], seed| random(&space(shape), seed).into_shared();
        let box_space = space(&[3, 4, 2]);
        let terms = [0, 1, 2].map(|axis| Along { axis, step: 0.5, weight: 1.0 + axis as f64 });
        let bend = Laplacian::new(box_space.clone(), &terms, Scheme::Centered3, Edge::Reduced);
        let matrix = MatrixMult::new(weights(&[5, 3], 1), &[4, 2]).unwrap();
        let along = Diagonal::along(box_space.clone(), 1, weights(&[4], 2)).unwrap();
        let bend = bend.unwrap();
        for operator in [
            Operator::of("zero", box_space.clone(), space(&[7]), Form::Zero).unwrap(),
            Identity::rectangular(box_space.clone(), space(&[2, 5, 3])).unwrap(),
            index(IndexMap::repeat("repeat", &[3, 2], 1, 4)),
            index(IndexMap::symmetrize("symmetrize", &[3, 2], 0)),
            index(IndexMap::slice("slice", &[9, 2], 0, 8, 4, -2)),
            index(IndexMap::tile("tile", &[2, 3], 1, 3)),
            index(IndexMap::permute("permute", &[2, 3, 4], &[2, 0, 1])),
            index(IndexMap::select("select", &[2, 3, 4], 1, 2)),
            index(IndexMap::zeros("zeros", &[2, 3], &[4])),
            adjoint(&matrix),
            matrix.conj(),
            hidden(matrix.clone()).transpose(),
            vstack([matrix.clone(), along.clone()]).unwrap(),
            vstack![&bend, &Roll::new(box_space.clone(), 2, 1).unwrap(), &matrix].unwrap(),
            hstack([&bend, &along]).unwrap().named("both"),
            block_diagonal([&bend, &matrix]).unwrap(),
            (2.0 * bend.after(&along) - &along).build().unwrap(),
        ] {
            same(&operator);
            same(&adjoint(&operator));
        }
    }
}

#[test]
fn spaces_without_elements_have_matrices_without_entries() {
    for shape in [&[][..], &[0], &[3, 0, 2]] {
        let space = Space::new(shape, DType::Float64).unwrap();
        let matrix = Identity::new(space.clone()).unwrap().to_sparse().unwrap();
        assert_eq!(matrix.shape, [space.len(); 2]);
        well_formed(&matrix);
        assert_eq!(matrix.to_dense().unwrap().shape(), matrix.shape);
        let opaque = hidden(Identity::new(space.clone()).unwrap());
        assert_eq!(opaque.to_sparse().unwrap(), matrix);
    }
    let flat = Space::new([0, 4], DType::Float64).unwrap();
    assert_eq!(
        FirstDerivative::new(flat.clone(), 1, 1.0, Scheme::Forward, Edge::Zero)
            .unwrap()
            .to_sparse()
            .unwrap()
            .shape,
        [0, 0]
    );
    let none = MatrixMult::new(floats(&[0, 3], &[]).into_shared(), &[2]).unwrap();
    assert_eq!(none.to_sparse().unwrap().shape, [0, 6]);
    assert_eq!(adjoint(none).to_sparse().unwrap().shape, [6, 0]);
}

#[test]
fn what_cancels_is_dropped_and_what_stands_twice_is_added() {
    let space = Space::new([3], DType::Float64).unwrap();
    let roll = Roll::new(space.clone(), 0, 1).unwrap();
    let identity = Identity::new(space).unwrap();
    let sparse =
        |formula: arrayspan_operators::Formula| formula.build().unwrap().to_sparse().unwrap();
    assert!(sparse(&roll - &roll).indices.is_empty());
    assert!(sparse(0.0 * &roll).indices.is_empty());
    let twice = sparse(&roll + &roll + &identity - &identity);
    assert_eq!((&twice.indptr[..], &twice.indices[..]), (&[0, 1, 2, 3][..], &[2, 0, 1][..]));
    assert_eq!(twice.values, [2.0.into(); 3]);
    assert_eq!(twice.row(1).collect::<Vec<_>>(), [(0, 2.0.into())]);
    assert_eq!(twice.row(3).count() + twice.row(usize::MAX).count(), 0);
}

const MANY: usize = 10_000;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap().join().unwrap();
}

#[test]
fn operators_of_any_depth_have_matrices() {
    on_a_small_stack(|| {
        let space = Space::new([2], DType::Float64).unwrap();
        let diagonal = |seed: usize| {
            let weights = [(seed % 3) as f64 + 1.0, 1.0];
            Diagonal::new(space.clone(), floats(&[2], &weights).into_shared()).unwrap()
        };
        let sum = (0..MANY).map(diagonal).reduce(|a, b| (a + b).build().unwrap()).unwrap();
        let expected: usize = (0..MANY).map(|seed| seed % 3 + 1).sum();
        let values = sum.to_sparse().unwrap().values;
        assert_eq!(values, [(expected as f64).into(), (MANY as f64).into()]);

        let roll = || Roll::new(Space::new([2], DType::Float64).unwrap(), 0, 1).unwrap();
        let chain =
            (0..MANY).fold(roll(), |chain, _| adjoint(roll().after(chain).build().unwrap()));
        assert_eq!(chain.to_sparse().unwrap().indices, [1, 0]);

        // 2^200 terms and factors, of which each level is found once.
        let opaque = || hidden(Identity::new(Space::new([2], DType::Float64).unwrap()).unwrap());
        let terms = (0..200).fold(opaque(), |a, _| (&a + &a).build().unwrap());
        assert_eq!(terms.to_sparse().unwrap().values, [2.0_f64.powi(200).into(); 2]);
        let factors = (0..200).fold(opaque(), |a, _| a.after(&a).build().unwrap());
        assert_eq!(factors.to_sparse().unwrap().values, [1.0.into(); 2]);
    });
}

#[test]
fn stacks_within_stacks_keep_their_places() {
    let space = Space::new([2, 3], DType::Complex128).unwrap();
    let [a, b] = [0, 1].map(|axis| {
        FirstDerivative::new(space.clone(), axis, 1.0, Scheme::Forward, Edge::Zero).unwrap()
    });
    let turn = (Complex64::i() * &b).build().unwrap();
    let rows = vstack([hstack([&a, &turn]).unwrap(), hstack([&turn, &a]).unwrap()]).unwrap();
    same(&rows);
    same(&adjoint(&rows).after(&rows).build().unwrap());
    let mixed = block_diagonal([rows.clone(), adjoint(vstack([&a, &b]).unwrap()), turn]).unwrap();
    same(&mixed);
    same(&mixed.transpose());
}
