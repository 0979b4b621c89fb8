//! Memory for intermediate results.

use arrayspan_bridge::DType;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, scratch_bytes};

use crate::support::{Opaque, host, random, read};

fn space() -> Space {
    Space::new([9, 3], DType::Float64).unwrap()
}

fn slope(axis: isize) -> Operator {
    let scheme = Scheme::Centered3;
    FirstDerivative::new(space(), axis, 0.5, scheme, Edge::Reduced).unwrap()
}

fn workspace(a: &impl LinearMap) -> usize {
    a.workspace()
}

#[test]
fn only_products_need_one_and_parts_share_it() {
    let one = scratch_bytes(&space());
    let product = slope(0).after(slope(1)).build().unwrap();
    assert_eq!(workspace(&slope(0)), 0);
    assert_eq!(workspace(&vstack([slope(0), slope(1)]).unwrap()), 0);
    assert_eq!(workspace(&product), one);
    assert_eq!(workspace(&vstack([product.clone(), product.clone()]).unwrap()), one);
    assert_eq!(workspace(&(product.clone() + slope(0)).build().unwrap()), one);
    assert_eq!(workspace(&product.after(slope(0)).build().unwrap()), 2 * one);
}

#[test]
fn it_is_used_again_without_traces_of_earlier_use() {
    let product = slope(0).after(slope(1)).build().unwrap().after(slope(0)).build().unwrap();
    let on = host();
    let mut workspace = Workspace::of(&product, &*on).unwrap();
    for seed in 1..4 {
        let (x, mut y) = (random(&space(), seed), random(&space(), 9));
        let set = Update::set();
        product.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), set).unwrap();
        assert_eq!(read(&y), read(&product.forward(&x).unwrap()));
        product.apply_adjoint_with(&mut workspace, &*on, x.view(), y.view_mut(), set).unwrap();
        assert_eq!(read(&y), read(&product.adjoint(&x).unwrap()));
    }
}

/// Takes two arrays and asks for as many as it is told.
fn greedy(space: &Space, asked: usize) -> Opaque {
    let own = space.clone();
    let greedy = Opaque::new("Greedy", [space; 2], move |_, on, x, y, update| {
        let (mut first, on) = on.scratch(&own)?;
        let (mut second, on) = on.scratch(&own)?;
        on.copy(x, first.reborrow(), Update::set())?;
        on.copy(first.view(), second.reborrow(), Update::set())?;
        Ok(on.copy(second.view(), y, update)?)
    });
    Opaque { workspace: asked * scratch_bytes(space), ..greedy }
}

#[test]
fn an_operator_that_takes_more_than_it_asked_for_is_told_so() {
    let x = random(&space(), 1);
    assert_eq!(read(&greedy(&space(), 2).forward(&x).unwrap()), read(&x));
    for (asked, space) in [(0, space()), (1, space())] {
        let refused = greedy(&space, asked).forward(&x).unwrap_err().to_string();
        let bytes = scratch_bytes(&space);
        let expected = format!(
            "scratch: {space} takes {bytes} bytes and 0 are left: LinearMap::workspace asked for too little"
        );
        assert_eq!(refused, expected);
    }
}

#[test]
fn one_that_is_too_small_is_refused_before_anything_is_written() {
    let product = slope(0).after(slope(1)).build().unwrap();
    let stack = vstack([slope(0), product]).unwrap();
    let on = host();
    let mut none = Workspace::of(&slope(0), &*on).unwrap();
    let (x, mut y) = (random(&space(), 1), random(stack.range(), 2));
    let before = read(&y);
    let result = stack.apply_with(&mut none, &*on, x.view(), y.view_mut(), Update::set());
    match result {
        Err(Error::Parameter { operator, why }) => {
            assert_eq!(operator, "vstack");
            assert!(why.contains("0 bytes"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(read(&y), before);
}

#[test]
fn one_that_nobody_has_is_an_error() {
    for bytes in [usize::MAX, usize::MAX - 255, isize::MAX as usize, 1 << 62] {
        let identity = Opaque::copying("Boundless", [&space(); 2]);
        let greedy = Operator::new(Opaque { workspace: bytes, ..identity });
        let x = random(&space(), 1);
        for operator in [greedy.clone(), greedy.after(slope(0)).build().unwrap()] {
            operator.forward(&x).unwrap_err();
        }
    }
}
