//! Parameters that make no operator are refused by name.

use arrayspan_bridge::DType;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, stack};

fn space(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float32).unwrap()
}

/// The refusal names the operator.
fn refused(operator: &str, made: arrayspan_operators::Result<Operator>) {
    match made {
        Err(Error::Parameter { operator: named, why }) => {
            assert_eq!(named, operator, "{why}");
            assert!(!why.is_empty());
        }
        other => panic!("{operator}: {other:?}"),
    }
}

#[test]
fn of_index_maps() {
    for order in [&[0][..], &[0, 0], &[0, 2], &[-3, 0], &[]] {
        refused("Transpose", Transpose::new(space(&[5, 3]), order));
    }
    refused("Flip", Flip::new(space(&[5, 3]), &[2]));
    refused("Flip", Flip::new(space(&[5, 3]), &[1, -1]));
    refused("Pad", Pad::new(space(&[5, 3]), &[(1, 1)]));
    refused("Symmetrize", Symmetrize::new(space(&[5, 3]), -3));
    refused("Symmetrize", Symmetrize::new(space(&[5, 0]), 1));
    let integers = || Space::new([4], DType::Int32).unwrap();
    refused("Flip", Flip::new(integers(), &[0]));
    refused("Pad", Pad::new(integers(), &[(1, 1)]));
    refused("Zero", Zero::new(integers(), space(&[4])));
    refused("Conj", Conj::new(integers()));
}

#[test]
fn extents_beyond_what_can_be_addressed() {
    let too_large = |made| match made {
        Err(Error::TooLarge { operation, .. }) => operation,
        other => panic!("{other:?}"),
    };
    assert_eq!(too_large(Pad::new(space(&[5]), &[(usize::MAX, usize::MAX)])), "Pad");
    assert_eq!(too_large(Symmetrize::new(space(&[(1 << 60) + 2]), 0)), "Symmetrize");
    let wide = Space::new([1 << 29, 1 << 29], DType::Float32).unwrap();
    let nowhere = |_, _, _| None;
    let spread = Spread::new(wide, space(&[5, 3]), nowhere, Interpolation::Nearest);
    assert_eq!(too_large(spread), "Spread");
}

#[test]
fn of_curves() {
    let curve = |_, _, _| Some(0.0);
    let spread = |domain: &[usize], range: &[usize]| {
        Spread::new(space(domain), space(range), curve, Interpolation::Linear)
    };
    refused("Spread", spread(&[5], &[5, 3]));
    refused("Spread", spread(&[5, 3], &[5, 3, 1]));
    let double = Space::new([5, 3], DType::Float64).unwrap();
    let made = Spread::new(space(&[5, 3]), double, curve, Interpolation::Linear);
    assert!(matches!(made, Err(Error::Spaces { .. })), "{made:?}");
    // What is not a number is nowhere.
    for nowhere in [f64::NAN, f64::INFINITY, -0.001, 2.001] {
        let curve = move |_, _, _| Some(nowhere);
        let (model, data) = (space(&[1, 1]), space(&[1, 3]));
        let made = Spread::new(model, data, curve, Interpolation::Linear).unwrap();
        assert_eq!(made.to_dense().unwrap().to_vec::<f32>().unwrap(), [0.0; 3]);
    }
}

#[test]
fn of_tables() {
    let spaces = || (space(&[1, 2]), space(&[2, 3]));
    let (model, data) = spaces();
    refused("Spread", Spread::from_table(model, data, &[0.0; 5], Interpolation::Linear));
    let (model, data) = spaces();
    refused("Spread", Spread::from_table(data, space(&[5]), &[], Interpolation::Linear));
    // Rows of the data are fastest; what is not a number is left out.
    let table = [0.0, 1.5, f64::NAN, 2.0];
    let spread = Spread::from_table(model, space(&[2, 3]), &table, Interpolation::Linear).unwrap();
    let x = arrayspan_bridge::Array::from_vec(vec![1.0_f32, 10.0], [1, 2]).unwrap();
    let y = spread.forward(&x).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [1.0, 0.0, 0.0, 0.0, 0.5, 10.5]);
}

#[test]
fn of_derivatives() {
    let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
    for steps in [&[1.0][..], &[1.0, 1.0, 1.0], &[]] {
        refused("Gradient", Gradient::new(space(&[5, 3]), steps, scheme, edge));
    }
    refused("FirstDerivative", Gradient::new(space(&[5, 3]), &[1.0, 0.0], scheme, edge));
    let along = |direction: &Direction| {
        let (space, steps) = (space(&[5, 3]), [1.0, 1.0]);
        FirstDirectionalDerivative::new(space, direction, &steps, scheme, edge)
    };
    let named = "FirstDirectionalDerivative";
    refused(named, along(&Direction::constant([1.0])));
    refused(named, along(&Direction::fields(Vec::<arrayspan_bridge::SharedArray>::new())));
    refused(named, along(&Direction::constant([1.0, f64::NAN])));
    refused(named, along(&Direction::constant([1.0, 1e39])));
    let wrong = arrayspan_bridge::Array::from_vec(vec![0.0_f32; 15], [3, 5]).unwrap().into_shared();
    refused(named, along(&Direction::fields([wrong.clone(), wrong])));
    let scalar = arrayspan_bridge::Array::from_vec(vec![0.0_f32], []).unwrap();
    assert!(Direction::field(scalar).is_err());
    // One array is the same as one for each component.
    let parts = [0.5_f32, -2.0]
        .map(|v| arrayspan_bridge::Array::from_vec(vec![v; 15], [5, 3]).unwrap().into_shared());
    let both: Vec<f32> = [0.5, -2.0].into_iter().flat_map(|v| [v; 15]).collect();
    let both = arrayspan_bridge::Array::from_vec(both, [2, 5, 3]).unwrap();
    let one = along(&Direction::field(both).unwrap()).unwrap().to_dense().unwrap();
    let other = along(&Direction::fields(parts)).unwrap().to_dense().unwrap();
    assert_eq!(one.to_vec::<f32>().unwrap(), other.to_vec::<f32>().unwrap());
    assert!(one.to_vec::<f32>().unwrap().iter().any(|value| *value != 0.0));
}

#[test]
fn of_means() {
    for windows in [&[][..], &[(0, 4)], &[(0, 7)], &[(0, 0)], &[(2, 3)], &[(0, 3), (1, 2)]] {
        refused("Smoothing", Smoothing::new(space(&[5, 3]), windows));
    }
}

#[test]
fn stacks_of_unequal_ranges() {
    let (a, b) =
        (Identity::new(space(&[4])).unwrap(), Zero::new(space(&[4]), space(&[3])).unwrap());
    let stacked = stack([&a, &b]);
    assert!(matches!(stacked, Err(Error::Spaces { .. })), "{stacked:?}");
    refused("stack", stack(Vec::<Operator>::new()));
}

#[test]
fn a_stack_within_another_keeps_its_axis() {
    let slope = |axis| {
        FirstDerivative::new(space(&[5, 3]), axis, 1.0, Scheme::Forward, Edge::Zero).unwrap()
    };
    let pair = stack([slope(0), slope(1)]).unwrap();
    let repeat = arrayspan_operators::form::IndexMap::repeat("Repeat", &[5, 3], 0, 4).unwrap();
    let four = Space::new([4, 5, 3], DType::Float32).unwrap();
    let four = Operator::of("Repeat", space(&[5, 3]), four, Form::Index(repeat)).unwrap();
    for (operator, range) in [
        (vstack([&pair, &four]).unwrap(), &[6, 5, 3][..]),
        (vstack([&four, &pair]).unwrap(), &[6, 5, 3]),
        (stack([&pair, &pair]).unwrap(), &[2, 2, 5, 3]),
        (vstack([&pair, &slope(0)]).unwrap(), &[45]),
    ] {
        assert_eq!(operator.range().shape(), range);
        crate::support::check(&operator);
        let turned = adjoint(&operator);
        crate::support::check(&turned);
    }
    let beside = hstack([adjoint(&pair), adjoint(&four)]).unwrap();
    assert_eq!(beside.domain().shape(), [6, 5, 3]);
    crate::support::check(&beside);
}
