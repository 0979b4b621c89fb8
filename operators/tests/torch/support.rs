//! What the tests share.

use arrayspan_bridge::torch::tch::{Device, Kind, Tensor, no_grad};
use arrayspan_bridge::{DType, torch};
use arrayspan_operators::prelude::*;

pub(crate) const CPU: Device = Device::Cpu;

/// The CPU, and the first CUDA device where there is one.
pub(crate) fn devices() -> Vec<Device> {
    use arrayspan_bridge::devices::Device as Ours;
    let cuda = Ours::cuda(0).map_err(arrayspan_bridge::Error::from).and_then(torch::device);
    if let Err(error) = &cuda {
        eprintln!("skipped on CUDA: {error}");
    }
    [Ok(CPU), cuda].into_iter().flatten().collect()
}

pub(crate) fn kind_of(dtype: DType) -> Kind {
    match dtype {
        DType::Float32 => Kind::Float,
        DType::Float64 => Kind::Double,
        DType::Complex64 => Kind::ComplexFloat,
        DType::Complex128 => Kind::ComplexDouble,
        other => panic!("{other} is not computed with"),
    }
}

pub(crate) fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// A slope along the first axis: what it gives depends on neighbours, so that a wrong order of elements shows.
pub(crate) fn slope(shape: &[usize], dtype: DType) -> Operator {
    FirstDerivative::new(space(shape, dtype), 0, 0.5, Scheme::Forward, Edge::Zero).unwrap()
}

/// Random numbers of a space, behind `batch`.
pub(crate) fn random(batch: &[i64], of: &Space, device: Device) -> Tensor {
    let own = of.shape().iter().map(|&extent| extent as i64);
    let shape: Vec<i64> = batch.iter().copied().chain(own).collect();
    Tensor::randn(shape, (kind_of(of.dtype()), device))
}

/// Real numbers, with an axis for the two parts of complex ones.
pub(crate) fn parts(tensor: &Tensor) -> Tensor {
    let complex = matches!(tensor.kind(), Kind::ComplexFloat | Kind::ComplexDouble);
    if complex { tensor.resolve_conj().view_as_real() } else { tensor.shallow_clone() }
}

/// A real number whose gradient tells all elements of `y` apart, and depends on them.
pub(crate) fn energy(y: &Tensor) -> Tensor {
    let parts = parts(y);
    let count = parts.numel() as i64;
    let weights = Tensor::arange(count, (parts.kind(), parts.device())).sin().view_as(&parts);
    (&parts * &weights).sum(parts.kind()) + 0.5 * (&weights * parts.square()).sum(parts.kind())
}

/// What torch finds for the gradient of `f` at `x`.
pub(crate) fn gradient(f: &dyn Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    let x = x.detach().set_requires_grad(true);
    Tensor::run_backward(&[f(&x)], &[&x], false, false).remove(0)
}

/// The gradient of `f` by central differences of each part of each element.
pub(crate) fn differences(f: &dyn Fn(&Tensor) -> Tensor, x: &Tensor, step: f64) -> Tensor {
    no_grad(|| {
        let (flat, shape) = (parts(&x.detach()).contiguous(), parts(x).size());
        let complex = shape != x.size();
        let at = |index: i64, step: f64| {
            let moved = flat.copy();
            let mut element = moved.view(-1).get(index);
            let _ = element.g_add_scalar_(step);
            let moved = if complex { moved.view_as_complex() } else { moved };
            f(&moved).double_value(&[])
        };
        let count = flat.numel() as i64;
        let slopes: Vec<f64> =
            (0..count).map(|index| (at(index, step) - at(index, -step)) / (2.0 * step)).collect();
        Tensor::from_slice(&slopes).to_device(x.device()).view(&*shape)
    })
}

/// How far two tensors are from each other, as a fraction of the second.
pub(crate) fn distance(one: &Tensor, other: &Tensor) -> f64 {
    assert_eq!(one.size(), other.size());
    let (one, other) = (parts(one).to_kind(Kind::Double), parts(other).to_kind(Kind::Double));
    let norm = |tensor: &Tensor| tensor.square().sum(Kind::Double).sqrt().double_value(&[]);
    norm(&(one - &other)) / norm(&other).max(f64::MIN_POSITIVE)
}

/// Fails unless all elements are the same.
#[track_caller]
pub(crate) fn assert_same(one: &Tensor, other: &Tensor) {
    assert!(one.equal(other), "{one} is not {other}");
}

/// Fails unless torch's gradient of the energy of `f` is that of differences.
#[track_caller]
pub(crate) fn check_gradient(f: &dyn Fn(&Tensor) -> Tensor, x: &Tensor) {
    let energy = |x: &Tensor| energy(&f(x));
    let found = gradient(&energy, x);
    assert_eq!((found.size(), found.kind(), found.device()), (x.size(), x.kind(), x.device()));
    // Exact for functions of second degree, but for rounding.
    let expected = differences(&energy, x, 1e-2);
    let off = distance(&parts(&found), &expected);
    assert!(off < 1e-9, "differs by {off:.1e}: {found} instead of {expected}");
}
