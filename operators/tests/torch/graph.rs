//! Which graph torch records, and how often it can be gone through.

use std::sync::Barrier;

use arrayspan_bridge::DType;
use arrayspan_bridge::torch::tch::{Kind, Tensor, no_grad};
use arrayspan_operators::prelude::*;

use crate::support::{CPU, assert_same, distance, energy, gradient, random, slope, space};

#[test]
fn without_need_of_gradients_nothing_is_recorded() {
    let function = slope(&[4], DType::Float64).torch();
    let x = random(&[], function.operator().domain(), CPU);
    assert!(!function.forward(&x).unwrap().requires_grad());
    let x = x.set_requires_grad(true);
    assert!(!no_grad(|| function.forward(&x).unwrap()).requires_grad());
    assert!(!function.forward(&x.detach()).unwrap().requires_grad());
    let y = function.forward(&x).unwrap();
    assert!(y.requires_grad() && !y.is_leaf());
}

#[test]
fn gradients_reach_leaves_through_functions_before_and_behind() {
    let function = slope(&[4, 3], DType::Float64).torch();
    let x = random(&[], function.operator().domain(), CPU);
    let through = |x: &Tensor| energy(&function.forward(&x.sin()).unwrap().exp());
    let expected = crate::support::differences(&through, &x, 1e-5);
    let off = distance(&gradient(&through, &x), &expected);
    assert!(off < 1e-8, "{off:.1e}");
}

#[test]
fn a_tensor_used_twice_gets_the_sum_of_both_gradients() {
    let function = slope(&[4], DType::Float64).torch();
    let x = random(&[], function.operator().domain(), CPU).set_requires_grad(true);
    let y: Tensor = function.forward(&x).unwrap() + 2.0 * function.forward(&x).unwrap();
    y.sum(Kind::Double).backward();
    let once = function.adjoint(&Tensor::ones([4], (Kind::Double, CPU))).unwrap();
    assert!(distance(&x.grad(), &(3.0 * once)) < 1e-14);
}

#[test]
fn a_graph_that_is_kept_is_gone_through_again() {
    let function = slope(&[4], DType::Float64).torch();
    let x = random(&[], function.operator().domain(), CPU).set_requires_grad(true);
    let loss = function.forward(&x).unwrap().square().sum(Kind::Double);
    let first = Tensor::run_backward(&[&loss], &[&x], true, false).remove(0);
    let second = Tensor::run_backward(&[&loss], &[&x], false, false).remove(0);
    assert_same(&first, &second);
    // The square has given up what it kept: torch says so, as for any graph.
    let error = Tensor::f_run_backward(&[&loss], &[&x], false, false).unwrap_err();
    assert!(error.to_string().contains("second time"), "{error}");
}

#[test]
fn what_the_graph_does_not_need_may_be_dropped_before_the_way_back() {
    let leaf = Tensor::randn([4], (Kind::Double, CPU)).set_requires_grad(true);
    let loss = {
        let function = slope(&[4], DType::Float64).torch();
        let x = &leaf * 2.0;
        let y = function.forward(&x).unwrap();
        drop(x);
        y.sum(Kind::Double)
    };
    loss.backward();
    let function = slope(&[4], DType::Float64).torch();
    let once = function.adjoint(&Tensor::ones([4], (Kind::Double, CPU))).unwrap();
    assert!(distance(&leaf.grad(), &(2.0 * once)) < 1e-14);
}

#[test]
fn a_long_chain_of_operators_is_dropped_without_deep_recursion() {
    let half =
        (0.5 * &Identity::new(space(&[1], DType::Float64)).unwrap()).build().unwrap().torch();
    let mut x = Tensor::ones([1], (Kind::Double, CPU)).set_requires_grad(true);
    for _ in 0..100_000 {
        x = half.forward(&x).unwrap();
    }
    drop(x);
}

#[test]
fn threads_go_through_graphs_of_one_operator_at_the_same_time() {
    let function = slope(&[50, 3], DType::Float64).torch();
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (function, barrier) = (function.clone(), &barrier);
            scope.spawn(move || {
                barrier.wait();
                for batch in (1..6).cycle().take(50) {
                    let x = random(&[batch], function.operator().domain(), CPU);
                    let y = function.forward(&x).unwrap();
                    let found = gradient(&|x| energy(&function.forward(x).unwrap()), &x);
                    let arrives = gradient(&energy, &y);
                    assert_same(&found, &function.adjoint(&arrives).unwrap());
                }
            });
        }
    });
}

#[test]
fn a_graph_made_on_one_thread_is_gone_through_on_another() {
    let function = slope(&[4], DType::Float64).torch();
    let x = random(&[], function.operator().domain(), CPU).set_requires_grad(true);
    let loss = function.forward(&x).unwrap().square().sum(Kind::Double);
    let found = std::thread::spawn(move || {
        Tensor::run_backward(&[&loss], &[&x], false, false).remove(0).size()
    });
    assert_eq!(found.join().unwrap(), [4]);
}
