use std::sync::Arc;

use num_complex::Complex64;

use super::Gather;
use crate::Error;

fn number(re: f64) -> Complex64 {
    re.into()
}

fn matrix(gather: &Gather) -> Vec<Vec<Complex64>> {
    let columns: usize = gather.columns().iter().product();
    let rows: usize = gather.rows().iter().product();
    let row = |row: usize| {
        let mut dense = vec![number(0.0); columns];
        gather.row(row).unwrap().for_each(|(column, weight)| dense[column] += weight);
        dense
    };
    (0..rows).map(row).collect()
}

fn weighted(rows: usize, columns: usize, entries: &[&[(usize, f64)]]) -> Gather {
    assert_eq!(entries.len(), rows);
    let mut starts = vec![0];
    for row in entries {
        starts.push(starts[starts.len() - 1] + row.len());
    }
    let all = || entries.iter().flat_map(|row| row.iter());
    let weights = all().map(|(_, weight)| Complex64::new(*weight, weight / 2.0)).collect();
    let indices = all().map(|(index, _)| *index).collect();
    Gather::new(0, &[rows], &[columns], starts, indices, Some(weights)).unwrap()
}

#[test]
fn products_sums_and_turns_are_those_of_the_matrices() {
    let a = weighted(3, 4, &[&[(3, 2.0), (0, 1.0), (3, -0.5)], &[], &[(1, 4.0)]]);
    let b = weighted(4, 2, &[&[(1, 1.0)], &[(0, -2.0), (1, 0.5)], &[], &[(1, 3.0)]]);
    let (dense_a, dense_b) = (matrix(&a), matrix(&b));
    let product = matrix(&a.after(&b, usize::MAX).unwrap());
    for (i, row) in product.iter().enumerate() {
        for (j, found) in row.iter().enumerate() {
            let expected: Complex64 = (0..4).map(|k| dense_a[i][k] * dense_b[k][j]).sum();
            assert!((found - expected).norm() < 1e-14);
        }
    }
    let sum = matrix(&a.plus(&a.scaled(number(-0.5))).unwrap());
    assert!((0..12).all(|at| sum[at / 4][at % 4] == dense_a[at / 4][at % 4] * 0.5));
    let (adjoint, transpose) = (matrix(&a.adjoint()), matrix(&a.transpose()));
    assert!((0..12).all(|at| adjoint[at % 4][at / 4] == dense_a[at / 4][at % 4].conj()));
    assert!((0..12).all(|at| transpose[at % 4][at / 4] == dense_a[at / 4][at % 4]));
    assert_eq!(a.after(&b, 1), None);
    assert_eq!(a.after(&a, usize::MAX), None);
    assert_eq!(a.plus(&b), None);
}

#[test]
fn what_cancels_is_gone_and_what_is_one_is_not_multiplied() {
    let a = weighted(1, 3, &[&[(2, 1.0), (0, 2.0)]]);
    let zero = a.plus(&a.scaled(number(-1.0))).unwrap();
    assert!(zero.is_zero() && !a.is_zero());
    let picked = Gather::pick(0, 3, [2, 0]).unwrap();
    assert!(picked.is_unweighted() && picked.scaled(number(1.0)).is_unweighted());
    assert!(!picked.scaled(number(2.0)).is_unweighted());
    let same = Gather::pick(0, 3, [0, 1, 2]).unwrap();
    assert!(same.is_identity() && !picked.is_identity());
    assert_eq!(picked.after(&same, usize::MAX), Some(picked.clone()));
    assert_eq!(same.adjoint(), same);
}

#[test]
fn rows_and_columns_are_weighted_apart() {
    let picked = Gather::pick(0, 3, [2, 0]).unwrap();
    let factors = [2.0, 3.0].map(number);
    let rows = picked.with_rows(&factors).unwrap();
    assert_eq!(rows.row(1).unwrap().collect::<Vec<_>>(), [(0, number(3.0))]);
    let columns = picked.with_columns(&[2.0, 3.0, 5.0].map(number)).unwrap();
    assert_eq!(columns.row(0).unwrap().collect::<Vec<_>>(), [(2, number(5.0))]);
    assert_eq!(picked.with_columns(&factors), None);
}

#[test]
fn tables_that_are_none_are_refused() {
    let refused = |result: crate::Result<Gather>| match result {
        Err(Error::Argument { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let why = refused(Gather::pick(0, 3, [0, 3]));
    assert_eq!(why, "index 3 of entry 1 is beyond 3 columns");
    let new = |starts, indices, weights| Gather::new(0, &[2], &[3], starts, indices, weights);
    refused(new(vec![0, 2], vec![0, 1], None));
    refused(new(vec![0, 2, 1], vec![0, 1], None));
    refused(new(vec![1, 2, 2], vec![0, 1], None));
    refused(new(vec![0, 1, 3], vec![0, 1], None));
    refused(new(vec![], vec![], None));
    refused(new(vec![0, 1, 2], vec![0, 1], Some(vec![number(1.0)])));
    refused(new(vec![0, 1, 2], vec![0, 1], Some(vec![number(1.0), number(f64::NAN)])));
    refused(Gather::new(0, &[], &[3], vec![0], vec![], None));
    refused(Gather::new(0, &[usize::MAX, 2], &[3], vec![0], vec![], None));
}

/// Matrices of all kinds, drawn at random.
fn drawn() -> impl Iterator<Item = Gather> {
    let mut state = 1_u64;
    let mut draw = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    (0..60).map(move |_| {
        let (rows, columns) = (1 + draw(12), [1, 2, 7, 90, 5000][draw(5)]);
        let most = [1, 2, 3, 90][draw(4)];
        let lengths: Vec<usize> = (0..rows).map(|_| draw(most + 1)).collect();
        let starts = (0..=rows).map(|row| lengths[..row].iter().sum()).collect();
        let entries: usize = lengths.iter().sum();
        let indices = (0..entries).map(|_| draw(columns)).collect();
        let kind = draw(3);
        let weight = |(re, im): (usize, usize)| Complex64::new(re as f64 - 3.5, im as f64);
        let weights: Vec<_> =
            (0..entries).map(|_| weight((draw(8), if kind == 2 { draw(3) } else { 0 }))).collect();
        Gather::new(0, &[rows], &[columns], starts, indices, (kind > 0).then_some(weights)).unwrap()
    })
}

/// The same as `gather`, from its rows.
fn given(gather: &Gather) -> Gather {
    let rows: usize = gather.rows().iter().product();
    let (mut starts, mut indices, mut weights) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        for (column, weight) in gather.row(row).unwrap() {
            indices.push(column);
            weights.push(weight);
        }
        starts.push(indices.len());
    }
    let (rows, columns) = (gather.rows(), gather.columns());
    Gather::new(gather.axis(), rows, columns, starts, indices, Some(weights)).unwrap()
}

#[test]
fn what_is_known_of_a_transpose_is_known_without_its_table() {
    for gather in drawn() {
        for turned in [gather.adjoint(), gather.transpose()] {
            let made = given(&turned);
            assert_eq!(turned.facts(), made.facts(), "{gather:?}");
            assert_eq!(turned, made);
            assert_eq!(made, turned);
            assert_eq!(hash(&turned), hash(&made));
            let sum = |gather: &Gather| gather.weights().sum::<Complex64>();
            assert!((sum(&turned) - sum(&made)).norm() < 1e-9);
        }
    }
}

fn hash(gather: &Gather) -> u64 {
    use std::hash::BuildHasher;
    std::hash::BuildHasherDefault::<std::collections::hash_map::DefaultHasher>::new()
        .hash_one(gather)
}

#[test]
fn turns_of_turns_are_those_of_the_matrices() {
    for gather in drawn() {
        let turned = [gather.adjoint(), gather.transpose()];
        assert_eq!(turned[0].adjoint(), gather);
        assert_eq!(turned[1].transpose(), gather);
        assert_eq!(turned[0].transpose(), gather.conj());
        assert_eq!(turned[0].conj(), turned[1]);
        let factor = Complex64::new(0.5, -2.0);
        let factors = |count: usize| -> Vec<Complex64> {
            (0..count).map(|at| Complex64::new(at as f64, 1.0 - at as f64)).collect()
        };
        for turned in turned {
            let made = given(&turned);
            assert_eq!(turned.scaled(factor), made.scaled(factor));
            let (rows, columns) = (factors(turned.rows()[0]), factors(turned.columns()[0]));
            assert_eq!(turned.with_rows(&rows), made.with_rows(&rows));
            assert_eq!(turned.with_columns(&columns), made.with_columns(&columns));
            assert_eq!(turned.is_identity(), made.is_identity());
            assert_eq!(turned.plus(&made), made.scaled(2.0).plus(&made.scaled(0.0)));
        }
    }
}

/// Maps are looked into at every call, and hold a matrix beside its adjoint.
#[test]
fn an_adjoint_is_told_from_its_matrix_without_a_look_into_tables() {
    let diagonal = |weights: [Complex64; 3]| {
        Gather::new(0, &[3], &[3], vec![0, 1, 2, 3], vec![0, 1, 2], Some(weights.to_vec())).unwrap()
    };
    let complex = diagonal([1.0, 2.0, 3.0].map(|part| Complex64::new(part, -part)));
    assert_ne!(complex.adjoint().facts(), complex.facts());
    assert_eq!(complex.adjoint().facts(), given(&complex.adjoint()).facts());
    assert_eq!(complex.transpose().facts(), complex.facts());
    assert_ne!(hash(&complex.adjoint()), hash(&complex));
    let real = diagonal([1.0, -2.0, 3.0].map(Complex64::from));
    assert!(
        Arc::ptr_eq(&real.adjoint().0, &real.0) && Arc::ptr_eq(&complex.transpose().0, &complex.0)
    );
    // Its columns are a line, its rows are none.
    let folded =
        Gather::new(0, &[2, 2], &[4], vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3], None).unwrap();
    assert_eq!((folded.adjoint().rows(), folded.adjoint().columns()), (&[4][..], &[2, 2][..]));
}

#[test]
fn matrices_that_differ_in_an_entry_are_not_equal() {
    let picked = Gather::pick(0, 3, [2, 0, 1]).unwrap();
    let others = [[2, 1, 0], [0, 2, 1], [2, 0, 0]].map(|at| Gather::pick(0, 3, at).unwrap());
    for other in &others {
        assert_ne!(picked, *other);
        assert_ne!(picked.adjoint(), other.adjoint());
    }
    // The second is its own transpose, the first is not: the third is the first's.
    assert_eq!(others[0].adjoint(), Gather::pick(0, 3, [2, 1, 0]).unwrap());
    assert_ne!(picked.adjoint(), picked);
    assert_eq!(picked.adjoint(), Gather::pick(0, 3, [1, 2, 0]).unwrap());
}

#[test]
fn memory_follows_entries_where_columns_are_without_number() {
    const WIDE: usize = 1 << 50;
    let pick = |indices: [usize; 3]| Gather::pick(0, WIDE, indices).unwrap();
    let picked = pick([WIDE - 1, 5, WIDE - 1]);
    let adjoint = picked.adjoint();
    assert_eq!((adjoint.rows(), adjoint.entries(), adjoint.facts().longest), (&[WIDE][..], 3, 2));
    assert!(adjoint.cost(7, arrayspan_bridge::DType::Complex128).bytes() > WIDE);
    assert_eq!(adjoint.adjoint(), picked);
    assert_eq!(adjoint.scaled(2.0).adjoint(), picked.scaled(2.0));
    assert!(!adjoint.is_identity() && adjoint != picked && adjoint == picked.transpose());
    // Its table has a place for each of its rows.
    let refused = adjoint.row(5).map(Iterator::count).unwrap_err();
    let shortage = arrayspan_bridge::devices::retry::OutOfMemory::shortage(&refused);
    assert_eq!(shortage.and_then(|shortage| shortage.bytes), Some((WIDE + 2) * 8), "{refused}");
    assert_eq!(adjoint.after(&picked, usize::MAX), None);
    assert_eq!(adjoint.plus(&adjoint), None);

    let sum = picked.plus(&pick([7, 5, 0])).unwrap();
    let row = |row: usize| sum.row(row).unwrap().collect::<Vec<_>>();
    assert_eq!(row(1), [(5, number(2.0))]);
    assert_eq!(row(2), [(WIDE - 1, number(1.0)), (0, number(1.0))]);
    let twice = Gather::pick(0, 3, [2, 2]).unwrap().after(&picked, 9).unwrap();
    assert_eq!(twice.row(1).unwrap().collect::<Vec<_>>(), [(WIDE - 1, number(1.0))]);
}

#[test]
fn that_two_matrices_are_the_same_is_found_out_once() {
    let new = |weight: f64| weighted(2, 3, &[&[(2, weight)], &[(0, 1.0)]]);
    let (a, b, other) = (new(2.0), new(2.0), new(3.0));
    assert!(a != other && !a.0.same.is(&other.0));
    assert!(!a.0.same.is(&b.0));
    assert_eq!(a, b);
    assert!(a.0.same.is(&b.0));
    assert_eq!(a, b);
    assert_eq!(b, a);
    assert_ne!(a, other);
    // The memory of one that is gone is not taken for another's.
    drop(b);
    let others: Vec<Gather> = (0..100).map(|at| new(f64::from(at))).collect();
    for (at, other) in others.iter().enumerate() {
        assert_eq!(a == *other, at == 2);
    }
    assert!(a.0.same.is(&others[2].0));
}
