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
        gather.row(row).for_each(|(column, weight)| dense[column] += weight);
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
    assert_eq!(rows.row(1).collect::<Vec<_>>(), [(0, number(3.0))]);
    let columns = picked.with_columns(&[2.0, 3.0, 5.0].map(number)).unwrap();
    assert_eq!(columns.row(0).collect::<Vec<_>>(), [(2, number(5.0))]);
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
