//! Tensors are read where they are, and results are tensors over arrays.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::torch::tch::{Kind, Tensor};
use arrayspan_bridge::torch::{TorchOptions, import};
use arrayspan_bridge::{Crossing, DType};
use arrayspan_operators::prelude::*;
use arrayspan_operators::torch::TorchOperator;

use crate::support::{CPU, assert_same, devices, random, slope, space};

/// The identity, which tells where what it reads lies and how much of others' memory there is then.
fn telling(shape: &[usize]) -> (TorchOperator, Arc<[AtomicUsize; 2]>) {
    let told: Arc<[AtomicUsize; 2]> = Arc::default();
    let tell = told.clone();
    let copy = FunctionOperator::self_adjoint(space(shape, DType::Float64), move |on, x, y| {
        tell[0].store(x.memory().address(), Relaxed);
        tell[1].store(x.memory().bytes(), Relaxed);
        Ok(on.copy(x, y, Update::set())?)
    });
    (copy.unwrap().torch(), told)
}

#[test]
fn tensors_are_read_where_they_are_whatever_their_strides() {
    let (function, told) = telling(&[3, 4]);
    let base = Tensor::randn([4, 6], (Kind::Double, CPU));
    for x in [
        base.narrow(0, 0, 3).narrow(1, 1, 4),
        base.narrow(1, 0, 3).transpose(0, 1),
        base.slice(0, 0, 3, 1).slice(1, 0, 4, 1),
        base.narrow(1, 2, 1).narrow(0, 0, 3).expand([3, 4], false),
        base.as_strided([3, 4], [2, 3], 1),
    ] {
        let y = function.forward(&x.detach().set_requires_grad(true)).unwrap();
        assert_eq!(told[0].load(Relaxed), x.data_ptr().addr());
        assert_same(&y, &x);
    }
}

#[test]
fn tensors_that_others_hold_or_that_need_gradients_are_read_without_a_copy() {
    let (function, told) = telling(&[5]);
    let x = Tensor::randn([5], (Kind::Double, CPU)).set_requires_grad(true);
    let _others = [x.shallow_clone(), x.detach(), x.view([5, 1])];
    let y = function.forward(&x).unwrap();
    assert_eq!((told[0].load(Relaxed), told[1].load(Relaxed)), (x.data_ptr().addr(), 40));
    y.sum(Kind::Double).backward();
    // The gradient of a sum is one number, seen five times.
    assert_eq!(told[1].load(Relaxed), 8);
    assert_same(&x.grad(), &Tensor::ones([5], (Kind::Double, CPU)));
}

#[test]
fn the_result_is_an_array_that_torch_holds() {
    for device in devices() {
        let function = slope(&[6, 2], DType::Float32).torch();
        let y = function.forward(&random(&[], function.operator().domain(), device)).unwrap();
        let address = y.data_ptr().addr();
        let (array, crossing) = import(y, TorchOptions::default()).unwrap();
        assert_eq!((array.memory().address(), crossing), (address, Crossing::ZeroCopy));
    }
}

#[test]
fn conjugates_that_are_not_in_memory_yet_are_resolved() {
    for device in devices() {
        let function = slope(&[4], DType::Complex128).torch();
        let x = random(&[], function.operator().domain(), device);
        let expected = function.forward(&x.conj().resolve_conj()).unwrap();
        let lazy = x.set_requires_grad(true).conj();
        let y = function.forward(&lazy).unwrap();
        assert_same(&y, &expected);
        assert!(y.requires_grad());
    }
}

#[test]
fn writing_to_an_argument_or_a_result_afterwards_does_no_harm() {
    let function = slope(&[4], DType::Float64).torch();
    let leaf = random(&[], function.operator().domain(), CPU).set_requires_grad(true);
    let mut x = &leaf * 1.0;
    let mut y = function.forward(&x).unwrap();
    let expected = y.copy();
    let _ = x.zero_();
    assert_same(&y, &expected);
    let _ = y.g_mul_scalar_(3.0);
    y.sum(Kind::Double).backward();
    let alone = function.adjoint(&Tensor::full([4], 3.0, (Kind::Double, CPU))).unwrap();
    assert_same(&leaf.grad(), &alone);
}

#[test]
fn memory_that_a_tensor_lends_is_counted_for_as_long_as_a_call_takes() {
    let most = Arc::new(AtomicUsize::new(0));
    let tell = most.clone();
    let len = 1_000_003;
    let copy = FunctionOperator::self_adjoint(space(&[len], DType::Float64), move |on, x, y| {
        tell.store(Device::cpu().statistics().foreign_bytes, Relaxed);
        Ok(on.copy(x, y, Update::set())?)
    });
    let x = Tensor::ones([len as i64], (Kind::Double, CPU));
    let y = copy.unwrap().torch().forward(&x).unwrap();
    drop(y);
    // Other tests lend some, too, but not as much.
    assert!(most.load(Relaxed) >= 8 * len);
    assert!(Device::cpu().statistics().foreign_bytes < 8 * len);
}
