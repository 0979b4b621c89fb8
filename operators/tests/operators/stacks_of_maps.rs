//! Stacks and block diagonals of weights and multiples of the identity, which one launch computes.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::Update;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Result, stack};

use crate::support::host;

fn weights(values: [f32; 2]) -> Operator {
    let space = Space::new([2], DType::Float32).unwrap();
    Diagonal::new(space, Array::from(values.to_vec()).into_shared()).unwrap()
}

fn identity() -> Operator {
    Identity::new(Space::new([2], DType::Float32).unwrap()).unwrap()
}

fn applied(a: &Operator, x: &[f32]) -> Vec<f32> {
    a.forward(Array::from(x.to_vec())).unwrap().to_vec().unwrap()
}

#[test]
fn parts_read_the_model_once() {
    let a =
        vstack([weights([2.0, 3.0]), (-0.5 * identity()).build().unwrap(), identity()]).unwrap();
    assert_eq!(applied(&a, &[1.0, 10.0]), [2.0, 30.0, -0.5, -5.0, 1.0, 10.0]);
    let cost = a.cost(false).unwrap();
    assert_eq!((cost.launches, cost.bytes_read, cost.bytes_written), (1, 4 * 4, 6 * 4));
    let diagonal = block_diagonal([weights([2.0, 3.0]), weights([4.0, 5.0])]).unwrap();
    assert_eq!(applied(&diagonal, &[1.0, 10.0, 100.0, 1000.0]), [2.0, 30.0, 400.0, 5000.0]);
    assert_eq!(diagonal.cost(true).unwrap().launches, 1);
    let twice = weights([2.0, 3.0]);
    let both = stack([twice.clone(), twice]).unwrap();
    assert_eq!(both.cost(false).unwrap().bytes_read, 4 * 4, "one array of weights is read once");
}

/// The product is one number before it meets elements, as it is where a part is alone.
#[test]
fn factors_within_and_without_are_one_number() {
    for [inner, outer, x] in [[1e30, 1e-30, 1e10], [1e-30, 1e30, 1e-10]] {
        let parts = || [[1.0, 2.0], [3.0, 4.0]].map(|values| (inner * weights(values)).build());
        let parts = || parts().into_iter().collect::<Result<Vec<_>>>().unwrap();
        let scaled = (outer * vstack(parts()).unwrap()).build().unwrap();
        let x = x as f32;
        let expected: Vec<f32> = [1.0, 2.0, 3.0, 4.0].map(|w: f32| w * x).to_vec();
        let near = |found: &[f32]| {
            found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs())
        };
        let found = applied(&scaled, &[x, x]);
        assert!(near(&found), "{inner} {outer}: {found:?}");
        let a = vstack(parts()).unwrap();
        let mut y = Array::from(vec![0.0_f32; 4]);
        let x = Array::from(vec![x, x]);
        a.apply(&*host(), x.view(), y.view_mut(), Update::new(outer, 0.0)).unwrap();
        let found = y.to_vec::<f32>().unwrap();
        assert!(near(&found), "{inner} {outer}: {found:?}");
    }
}

#[test]
fn a_factor_beyond_the_dtype_is_refused_for_any_part() {
    let large = (1e30 * identity()).build().unwrap();
    for a in [vstack([large.clone(), identity()]), vstack([identity(), large.clone()])] {
        let a = a.unwrap();
        let mut y = Array::from(vec![0.0_f32; 4]);
        let (x, update) = (Array::from(vec![1.0_f32; 2]), Update::new(1e30, 0.0));
        let error = a.apply(&*host(), x.view(), y.view_mut(), update).unwrap_err();
        assert!(error.to_string().contains("1e60"), "{error}");
    }
}

#[test]
fn the_adjoint_of_one_is_a_stack_side_by_side() {
    let a = vstack([weights([2.0, 3.0]), weights([5.0, 7.0])]).unwrap();
    let back = adjoint(&a);
    assert_eq!(applied(&back, &[1.0, 1.0, 10.0, 100.0]), [52.0, 703.0]);
    assert_eq!(a.domain().shape(), back.range().shape());
}
