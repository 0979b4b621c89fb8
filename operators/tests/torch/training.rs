//! Operators as layers of what is trained.

use arrayspan_bridge::DType;
use arrayspan_bridge::torch::tch::nn::{self, Module, OptimizerConfig};
use arrayspan_bridge::torch::tch::{Kind, Tensor};
use arrayspan_operators::prelude::*;

use crate::support::{CPU, distance, random, space};

#[test]
fn an_optimiser_finds_the_model_of_given_data() {
    let within = space(&[6, 5], DType::Float64);
    let smooth = Smoothing::new(within.clone(), &[(0, 3), (1, 3)]).unwrap();
    let function = vstack![&smooth, 0.3 * &Identity::new(within).unwrap()].unwrap().torch();
    let truth = random(&[], function.operator().domain(), CPU);
    let data = function.forward(&truth).unwrap();
    let store = nn::VarStore::new(CPU);
    let mut model = store.root().zeros("model", &[6, 5]);
    model.set_data(&model.to_kind(Kind::Double));
    let mut optimiser = nn::Adam::default().build(&store, 0.1).unwrap();
    for _ in 0..400 {
        let misfit = function.forward(&model).unwrap() - &data;
        optimiser.backward_step(&misfit.square().sum(Kind::Double));
    }
    let off = distance(&model, &truth);
    assert!(off < 1e-3, "{off:.1e}");
}

#[test]
fn a_network_with_an_operator_within_learns() {
    let slope = crate::support::slope(&[8, 8], DType::Float32).torch();
    let store = nn::VarStore::new(CPU);
    let same = nn::ConvConfig { padding: 1, ..nn::ConvConfig::default() };
    let network = nn::seq()
        .add(nn::conv2d(store.root() / "first", 1, 4, 3, same))
        .add(slope.clone())
        .add_fn(Tensor::tanh)
        .add(nn::conv2d(store.root() / "second", 4, 1, 3, same));
    let x = Tensor::randn([4, 1, 8, 8], (Kind::Float, CPU));
    let target = slope.forward(&x).unwrap().tanh();
    let loss = || (network.forward(&x) - &target).square().mean(Kind::Float);
    let before = loss().double_value(&[]);
    let mut optimiser = nn::Adam::default().build(&store, 1e-2).unwrap();
    for _ in 0..100 {
        optimiser.backward_step(&loss());
    }
    let after = loss().double_value(&[]);
    assert!(after < 0.2 * before, "{before} became {after}");
}
