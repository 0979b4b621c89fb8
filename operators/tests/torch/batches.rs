//! Axes in front of the operator's own.

use arrayspan_bridge::torch::tch::{Kind, Tensor};
use arrayspan_bridge::{DType, Relayout};
use arrayspan_operators::prelude::*;

use crate::support::{CPU, assert_same, check_gradient, devices, random, slope, space};

/// The function of each index of the first axes, one after the other.
fn one_by_one(function: &dyn Fn(&Tensor) -> Tensor, x: &Tensor, axes: usize) -> Tensor {
    let size = x.size();
    let (batch, own) = size.split_at(axes);
    let flat: Vec<i64> = [&[-1], own].concat();
    let each: Vec<Tensor> = x.reshape(flat).unbind(0).iter().map(function).collect();
    let stacked = Tensor::stack(&each, 0);
    let shape = [batch, &stacked.size()[1..]].concat();
    stacked.reshape(shape)
}

#[test]
fn a_batch_gives_what_each_of_it_gives() {
    for device in devices() {
        let rows = Restriction::new(space(&[5, 3], DType::Float64), 0, [4, 1]).unwrap();
        let function = rows.after(slope(&[5, 3], DType::Float64)).build().unwrap().torch();
        for batch in [&[1][..], &[7], &[2, 3], &[2, 1, 3]] {
            let x = random(batch, function.operator().domain(), device);
            let forward = |x: &Tensor| function.forward(x).unwrap();
            let found = forward(&x);
            assert_same(&found, &one_by_one(&forward, &x, batch.len()));
            let adjoint = |y: &Tensor| function.adjoint(y).unwrap();
            assert_same(&adjoint(&found), &one_by_one(&adjoint, &found, batch.len()));
            check_gradient(&forward, &x);
        }
    }
}

#[test]
fn a_batch_of_none_gives_none() {
    let function = slope(&[5, 3], DType::Float64).torch();
    let x = Tensor::zeros([2, 0, 5, 3], (Kind::Double, CPU)).set_requires_grad(true);
    let y = function.forward(&x).unwrap();
    assert_eq!(y.size(), [2, 0, 5, 3]);
    y.sum(Kind::Double).backward();
    assert_eq!(x.grad().size(), [2, 0, 5, 3]);
}

#[test]
fn a_batch_whose_axes_cannot_be_one_is_taken_as_it_lies() {
    for device in devices() {
        let function = slope(&[4, 3], DType::Float64).torch();
        let whole = random(&[3, 2], function.operator().domain(), device);
        let turned = whole.transpose(0, 1);
        let expected = function.forward(&turned.contiguous()).unwrap();
        assert_same(&function.forward(&turned).unwrap(), &expected);
        let expanded = whole.narrow(0, 0, 1).expand([5, 2, 4, 3], false);
        let expected = function.forward(&expanded.contiguous()).unwrap();
        assert_same(&function.forward(&expanded).unwrap(), &expected);
        check_gradient(&|x| function.forward(&x.transpose(0, 1)).unwrap(), &whole);
    }
}

#[test]
fn more_sizes_of_batches_than_are_kept_give_right_results() {
    let function = slope(&[4, 3], DType::Float64).torch();
    for _ in 0..3 {
        for batch in (1..12).chain([3, 1, 11]) {
            let x = random(&[batch], function.operator().domain(), CPU);
            let forward = |x: &Tensor| function.forward(x).unwrap();
            assert_same(&forward(&x), &one_by_one(&forward, &x, 1));
        }
    }
}

#[test]
fn an_operator_of_functions_is_applied_to_one_after_the_other() {
    let within = space(&[3], DType::Float64);
    let function = FunctionOperator::new(
        within.clone(),
        within,
        |on, x, y| Ok(on.copy(x.reversed(0)?, y, Update::set())?),
        |on, y, x| Ok(on.copy(y.reversed(0)?, x, Update::set())?),
    );
    let function = function.unwrap().torch();
    let x = random(&[4], function.operator().domain(), CPU);
    let found = function.forward(&x).unwrap();
    assert_same(&found, &x.flip([1]));
    check_gradient(&|x| function.forward(x).unwrap(), &x);
}

#[test]
fn an_operator_of_numbers_takes_a_batch_of_any_shape() {
    let double =
        (2.0 * &Identity::new(space(&[], DType::Float32)).unwrap()).build().unwrap().torch();
    let x = Tensor::randn([3, 2], (Kind::Float, CPU));
    assert_same(&double.forward(&x).unwrap(), &(2.0 * &x));
}
