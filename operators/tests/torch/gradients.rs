//! Gradients are those of finite differences.

use arrayspan_bridge::DType;
use arrayspan_bridge::torch::tch::{Kind, Tensor};
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{
    assert_same, check_gradient, devices, differences, distance, energy, gradient, random, slope,
    space,
};

fn check(operator: impl Into<Formula>) {
    let operator = operator.into().build().unwrap();
    for device in devices() {
        let function = operator.torch();
        let x = random(&[], operator.domain(), device);
        check_gradient(&|x| function.forward(x).unwrap(), &x);
        let y = random(&[], operator.range(), device);
        check_gradient(&|y| function.adjoint(y).unwrap(), &y);
    }
}

#[test]
fn of_a_real_operator() {
    check(slope(&[5, 3], DType::Float64));
}

#[test]
fn of_a_complex_operator() {
    let slope = slope(&[4, 3], DType::Complex128);
    check(Complex64::new(0.5, -2.0) * &slope);
}

#[test]
fn of_an_operator_between_different_spaces() {
    let along = space(&[5, 2], DType::Float64);
    let rows = Restriction::new(along.clone(), 0, [3, 0, 3]).unwrap();
    check(&rows);
    check(vstack![&slope(&[5, 2], DType::Float64), 0.5 * &Identity::new(along).unwrap()].unwrap());
}

#[test]
fn of_operators_that_are_linear_over_the_real_numbers_only() {
    let complex = space(&[3, 2], DType::Complex128);
    let real = Real::new(complex.clone()).unwrap();
    check(&real);
    check(adjoint(&real));
    check(Imag::new(complex.clone()).unwrap());
    check(Conj::new(complex).unwrap());
    // What is real of a complex multiple: both parts of the gradient differ from zero.
    let slope = slope(&[3, 2], DType::Complex128);
    check(real.after(Complex64::new(1.0, 3.0) * &slope));
}

#[test]
fn of_an_operator_without_axes_and_of_one_element() {
    check(3.0 * &Identity::new(space(&[], DType::Float64)).unwrap());
    check(3.0 * &Identity::new(space(&[1, 1], DType::Complex128)).unwrap());
}

#[test]
fn in_single_precision_are_the_adjoint_of_what_arrives() {
    for device in devices() {
        for dtype in [DType::Float32, DType::Complex64] {
            let function = slope(&[7, 5], dtype).torch();
            let x = random(&[], function.operator().domain(), device);
            let found = gradient(&|x| energy(&function.forward(x).unwrap()), &x);
            let y = function.forward(&x).unwrap();
            let arrives = gradient(&energy, &y);
            assert_same(&found, &function.adjoint(&arrives).unwrap());
        }
    }
}

#[test]
fn of_numbers_that_are_only_moved() {
    let backwards = Flip::new(space(&[4], DType::Float16), &[0]).unwrap().torch();
    let x = Tensor::from_slice(&[1.0, 2.0, 3.0, 4.0]).to_kind(Kind::Half).set_requires_grad(true);
    let weights = Tensor::from_slice(&[1.0, 10.0, 100.0, 1000.0]).to_kind(Kind::Half);
    (backwards.forward(&x).unwrap() * weights).sum(Kind::Half).backward();
    assert_eq!(Vec::<f64>::try_from(x.grad().to_kind(Kind::Double)).unwrap(), [1e3, 1e2, 1e1, 1.0]);
}

#[test]
fn of_gradients_are_those_of_differences_too() {
    for device in devices() {
        for dtype in [DType::Float64, DType::Complex128] {
            let function = slope(&[4, 2], dtype).torch();
            // The square of the gradient of an energy of fourth degree.
            let energy = |x: &Tensor| energy(&function.forward(x).unwrap()).square();
            let squared = |x: &Tensor| {
                let x = if x.requires_grad() {
                    x.shallow_clone()
                } else {
                    x.detach().set_requires_grad(true)
                };
                let found = Tensor::run_backward(&[energy(&x)], &[&x], true, true).remove(0);
                crate::support::energy(&found)
            };
            let x = random(&[], function.operator().domain(), device);
            let found = gradient(&squared, &x);
            let with_graph = |x: &Tensor| arrayspan_bridge::torch::tch::with_grad(|| squared(x));
            let expected = differences(&with_graph, &x, 1e-4);
            let off = distance(&crate::support::parts(&found), &expected);
            assert!(off < 1e-5, "{dtype}: differs by {off:.1e}");
        }
    }
}

#[test]
fn of_the_third_order_vanish_where_the_energy_is_of_second_degree() {
    let function = slope(&[4, 2], DType::Float64).torch();
    let x = random(&[], function.operator().domain(), crate::support::CPU).set_requires_grad(true);
    let first = |of: &Tensor| Tensor::run_backward(&[of], &[&x], true, true).remove(0);
    let once = first(&energy(&function.forward(&x).unwrap()));
    let twice = first(&energy(&once));
    // The second derivative of an energy of a linear function of x is linear in x, its own derivative constant.
    let thrice = first(&twice.sum(Kind::Double));
    let again = first(&(thrice.square().sum(Kind::Double) + 0.0 * x.sum(Kind::Double)));
    assert_same(&again, &x.zeros_like());
}
