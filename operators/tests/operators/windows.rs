//! Operators on windows: against their windows one by one, and what is refused.

use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_operators::prelude::*;
use arrayspan_operators::taper::{Ramp, taper};
use arrayspan_operators::{Error, Result, check_adjoint};

fn space(shape: &[usize]) -> Space {
    Space::new(shape, DType::Float64).unwrap()
}

fn same(shape: &[usize]) -> Operator {
    Identity::new(space(shape)).unwrap()
}

fn counting(shape: &[usize]) -> Array {
    let all: Vec<f64> = (1..=shape.iter().product()).map(|at: usize| at as f64).collect();
    Array::from_vec(all, shape).unwrap()
}

#[test]
fn what_overlaps_is_added_up_and_outer_ends_are_not_tapered() {
    let windows = Windows { len: 6, overlap: 3, taper: Some(Ramp::SquareRootCosine) };
    let x = counting(&[3, 6]);
    let y = Sliding1D::new(same(&[6]), 13, windows).unwrap().forward(&x).unwrap();
    let weights = taper(6, 3, Ramp::SquareRootCosine).unwrap();
    let mut expected = [0.0; 13];
    for window in 0..3 {
        for at in 0..6 {
            let outer = window == 0 && at < 3 || window == 2 && at >= 3;
            let weight = if outer { 1.0 } else { weights[at] };
            expected[3 * window + at] += weight * (6 * window + at + 1) as f64;
        }
    }
    let found = y.to_vec::<f64>().unwrap();
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
}

#[test]
fn all_windows_take_as_many_launches_as_one() {
    let slope = |shape: &[usize]| {
        FirstDerivative::new(space(shape), 0, 1.0, Scheme::Centered3, Edge::Reduced).unwrap()
    };
    let windows = Windows::new(8, 2);
    let all = [
        Sliding1D::new(slope(&[8]), 100, windows),
        Sliding2D::new(slope(&[8, 5]), [100, 5], windows),
        Sliding3D::new(slope(&[8, 8, 5]), [50, 60, 5], [windows; 2]),
        Patch2D::new(slope(&[8, 8]), [50, 60], [windows; 2]),
        Patch3D::new(slope(&[8, 8, 8]), [20, 26, 14], [windows; 3]),
    ];
    for operator in all.map(Result::unwrap) {
        for direction in [false, true] {
            assert_eq!(operator.cost(direction).map(|cost| cost.launches), Some(2), "{operator:?}");
        }
        assert!(check_adjoint(&operator).unwrap().holds(), "{operator:?}");
    }
}

#[test]
fn patches_of_an_identity_are_parts_of_the_data() {
    let windows =
        [Windows { len: 2, overlap: 0, taper: None }, Windows { len: 3, overlap: 1, taper: None }];
    let patches = Patch2D::new(same(&[2, 3]), [4, 7], windows).unwrap();
    let y = counting(&[4, 7]);
    let x = patches.adjoint(&y).unwrap();
    assert_eq!(x.shape(), [2, 3, 2, 3]);
    let part = |i: usize, j: usize| {
        let part = y.view().sliced(0, 2 * i, 2).unwrap().sliced(1, 2 * j, 3).unwrap();
        part.to_vec::<f64>().unwrap()
    };
    let all: Vec<f64> = (0..2).flat_map(|i| (0..3).flat_map(move |j| part(i, j))).collect();
    assert_eq!(x.to_vec::<f64>().unwrap(), all);
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    let refused = |made: Result<Operator>, words: &[&str]| match made {
        Err(Error::Parameter { operator, why }) => {
            let text = format!("{operator}: {why}");
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
        other => panic!("{other:?}"),
    };
    let line =
        |len, overlap, taper| Sliding1D::new(same(&[len]), 7, Windows { len, overlap, taper });
    refused(line(8, 0, None), &["Sliding1D", "windows of 8 samples along an axis of 7"]);
    refused(line(0, 0, None), &["Sliding1D", "without samples"]);
    refused(line(4, 4, None), &["Sliding1D", "windows of 4 samples that share 4"]);
    refused(line(4, usize::MAX, None), &["Sliding1D", "that share"]);
    refused(line(5, 3, Some(Ramp::Cosine)), &["Sliding1D", "tapers of 3 samples", "at most 2"]);
    assert!(line(5, 3, None).is_ok() && line(7, 0, None).is_ok());
    let windows = Windows::new(4, 1);
    let wrong = Sliding2D::new(same(&[4, 3]), [10, 5], windows);
    refused(wrong, &["Sliding2D", "windows have shape [4, 5]", "Identity gives", "[4, 3]"]);
    refused(
        Patch3D::new(same(&[4, 4, 9]), [9, 9, 8], [windows, windows, Windows::new(9, 0)]),
        &["Patch3D", "windows of 9 samples along an axis of 8"],
    );
    let [flat, shaped] =
        [&[20][..], &[4, 5]].map(|shape| Sliding2D::new(same(shape), [10, 5], windows).unwrap());
    let x = counting(&[3, 20]);
    let y = flat.forward(&x).unwrap().to_vec::<f64>().unwrap();
    let x = x.reshaped(&[3, 4, 5]).unwrap();
    assert_eq!(y, shaped.forward(&x).unwrap().to_vec::<f64>().unwrap());
    assert!(matches!(
        Sliding1D::new(same(&[1]), 1 << 62, Windows::new(1, 0)),
        Err(Error::TooLarge { .. })
    ));
}
