//! The data of stacks, put together from those of their parts and taken apart.

use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_operators::Error;
use arrayspan_operators::prelude::*;

use crate::devices::{CPU, other, slope, space};
use crate::support::{dense, filled, numbers, random};

fn gradient() -> Operator {
    Gradient::new(space(&[5, 3], DType::Float64), &[1.0, 2.0], Scheme::Forward, Edge::Zero).unwrap()
}

fn rows() -> Operator {
    Restriction::new(space(&[5, 3], DType::Float64), 0, [4, 1]).unwrap()
}

/// Flat, joined along an axis, along a new axis, on the diagonal, under a name, and an adjoint.
fn stacks() -> Vec<(Operator, Vec<Operator>)> {
    let (a, b) = (slope(DType::Float64, 0), slope(DType::Float64, 1));
    let beside = hstack([adjoint(rows()), a.clone()]).unwrap();
    vec![
        (vstack![&rows(), 0.1 * &gradient()].unwrap(), vec![rows(), gradient()]),
        (vstack![&a, 2.0 * &b, &rows()].unwrap(), vec![a.clone(), b.clone(), rows()]),
        (stack([&a, &b]).unwrap().named("Slopes"), vec![a.clone(), b.clone()]),
        (block_diagonal([&rows(), &a]).unwrap(), vec![rows(), a.clone()]),
        ((-3.0 * adjoint(beside)).build().unwrap(), vec![rows(), adjoint(&a)]),
    ]
}

#[test]
fn data_of_parts_are_where_the_stack_has_them() {
    for (whole, parts) in stacks() {
        let data: Vec<Array> = (1..).zip(&parts).map(|(n, part)| random(part.range(), n)).collect();
        let joined = whole.join_data(data.iter().map(Some)).unwrap();
        assert_eq!((joined.shape(), joined.dtype()), (whole.range().shape(), DType::Float64));
        let split = whole.split_data(&joined).unwrap();
        assert_eq!(split.len(), parts.len());
        for ((found, expected), part) in split.iter().zip(&data).zip(&parts) {
            assert_eq!(found.shape(), part.range().shape());
            assert_eq!(found.to_vec::<f64>().unwrap(), expected.to_vec::<f64>().unwrap());
        }
        // Nothing is left out of what the whole gives, and nothing comes twice.
        let x = random(whole.domain(), 9);
        let y = whole.forward(&x).unwrap();
        let split = whole.split_data(&y).unwrap();
        let mut seen: Vec<f64> = split.iter().flat_map(|y| y.to_vec::<f64>().unwrap()).collect();
        let mut all = y.to_vec::<f64>().unwrap();
        seen.sort_by(f64::total_cmp);
        all.sort_by(f64::total_cmp);
        assert_eq!(seen, all);
    }
}

#[test]
fn parts_without_data_have_zeros() {
    for (whole, parts) in stacks() {
        let last = random(parts[parts.len() - 1].range(), 5);
        let none = parts.iter().skip(1).map(|_| None);
        let joined = whole.join_data(none.chain([Some(&last)])).unwrap();
        let mut zeros = numbers(&joined);
        let rest = zeros.split_off(whole.range().len() - last.layout().len());
        assert!(zeros.iter().all(|number| number.norm() == 0.0), "{whole:?}");
        assert_eq!(rest, numbers(&last));
    }
}

#[test]
fn a_regularized_inversion_with_a_gradient_takes_joined_data() {
    let whole = vstack![&rows(), 0.1 * &gradient()].unwrap();
    let y = random(rows().range(), 3);
    let data = whole.join_data([Some(&y), None]).unwrap();
    // Its adjoint is that of the rows alone, as zeros add nothing.
    let [found, expected] =
        [whole.adjoint(&data).unwrap(), rows().adjoint(&y).unwrap()].map(|x| numbers(&x));
    assert_eq!(found, expected);
    assert_eq!(dense(&whole)[0].len(), data.layout().len());
}

#[test]
fn data_with_gaps_are_joined_and_split_as_they_are() {
    let (whole, parts) = stacks().swap_remove(1);
    let data: Vec<Array> = (1..).zip(&parts).map(|(n, part)| random(part.range(), n)).collect();
    let joined = whole.join_data(data.iter().map(|data| Some(data.view().reversed(0).unwrap())));
    let joined = joined.unwrap();
    let backwards = joined.view().reversed(0).unwrap();
    let split = whole.split_data(&backwards).unwrap();
    let last = data[2].view().to_vec::<f64>().unwrap();
    // The last part, turned twice, is the first.
    assert_eq!(split[0].clone().sliced(0, 0, 2).unwrap().to_vec::<f64>().unwrap(), last);
}

#[test]
fn data_that_do_not_fit_are_refused_by_the_name_of_their_part() {
    let whole = vstack![&rows(), 0.1 * &gradient()].unwrap();
    let (y, g) = (random(rows().range(), 1), random(gradient().range(), 2));
    let said = |result: arrayspan_operators::Result<Array>| result.unwrap_err().to_string();
    assert_eq!(
        said(whole.join_data([Some(&y)])),
        "join_data: data of 1 parts for vstack, which has 2"
    );
    assert_eq!(
        said(whole.join_data([None::<&Array>, None])),
        "join_data: there are no data, of any part"
    );
    let error = said(whole.join_data([Some(&g), None]));
    assert_eq!(error, "part 0 of vstack, Restriction: data has shape [2, 5, 3], expected [2, 3]");
    let narrow = filled(&space(&[2, 3], DType::Float32), &numbers(&y));
    let error = whole.join_data([Some(&narrow), None]).unwrap_err();
    assert!(matches!(error, Error::DType { .. }), "{error}");
    let error = said(slope(DType::Float64, 0).join_data([Some(&g)]));
    assert!(error.contains("FirstDerivative is no stack"), "{error}");
    let error = hstack([&rows(), &rows()]).unwrap().split_data(&y).unwrap_err();
    assert!(error.to_string().contains("is no stack"), "{error}");
    let error = whole.split_data(&y).unwrap_err().to_string();
    assert!(error.starts_with("vstack: data has shape [2, 3], expected ["), "{error}");
    let Some(other) = other() else { return };
    let g = g.into_device(other).unwrap().0;
    let error = said(whole.join_data([Some(&y), Some(&g)]));
    let expected =
        format!("join_data: the data of part 1 of vstack, Gradient is on {other}, and what");
    assert!(error.starts_with(&expected) && error.contains(&format!("`to({})`", CPU())), "{error}");
}
