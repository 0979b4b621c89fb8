//! What tests share: arrays of all dtypes, and matrices of operators.

mod check;
mod chosen;
mod opaque;
mod steps;
mod traced;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Element};
use arrayspan_kernels::Executor;
use arrayspan_operators::{LinearOperator, Space};
use num_complex::{Complex32, Complex64};

pub(crate) use check::check;
pub(crate) use chosen::chosen;
pub(crate) use opaque::{Opaque, bound, hidden};
pub(crate) use steps::{in_a_plan_and_outside, steps};
pub(crate) use traced::traced;

pub(crate) const DTYPES: [DType; 4] =
    [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

pub(crate) fn host() -> std::sync::Arc<dyn Executor> {
    arrayspan_kernels::on(Device::cpu()).unwrap()
}

/// A row-major array of these elements.
pub(crate) fn array<T: Element>(shape: &[usize], elements: &[T]) -> Array {
    let mut array = host().empty(shape, T::DTYPE).unwrap();
    array.view_mut().as_mut_slice::<T>().unwrap().copy_from_slice(elements);
    array
}

pub(crate) fn floats(shape: &[usize], elements: &[f64]) -> Array {
    array(shape, elements)
}

/// The elements of a row-major `Float64` array.
pub(crate) fn read(array: &Array) -> Vec<f64> {
    array.view().as_slice::<f64>().unwrap().to_vec()
}

/// The elements of a row-major array of any dtype to compute with.
pub(crate) fn numbers(array: &Array) -> Vec<Complex64> {
    let view = array.view();
    match array.dtype() {
        DType::Float32 => {
            view.as_slice::<f32>().unwrap().iter().map(|&v| f64::from(v).into()).collect()
        }
        DType::Float64 => view.as_slice::<f64>().unwrap().iter().map(|&v| v.into()).collect(),
        DType::Complex64 => {
            let elements = view.as_slice::<Complex32>().unwrap().iter();
            elements.map(|v| Complex64::new(v.re.into(), v.im.into())).collect()
        }
        DType::Complex128 => view.as_slice::<Complex64>().unwrap().to_vec(),
        other => panic!("{other}"),
    }
}

/// A row-major array of `space` with these elements, their imaginary parts dropped on real spaces.
pub(crate) fn filled(space: &Space, elements: &[Complex64]) -> Array {
    let shape = space.shape();
    match space.dtype() {
        DType::Float32 => array(shape, &elements.iter().map(|v| v.re as f32).collect::<Vec<_>>()),
        DType::Float64 => array(shape, &elements.iter().map(|v| v.re).collect::<Vec<_>>()),
        DType::Complex64 => {
            let narrow = |v: &Complex64| Complex32::new(v.re as f32, v.im as f32);
            array(shape, &elements.iter().map(narrow).collect::<Vec<_>>())
        }
        DType::Complex128 => array(shape, elements),
        other => panic!("{other}"),
    }
}

/// Numbers between -1 and 1 without a pattern, the same for the same seed.
pub(crate) fn random(space: &Space, seed: u64) -> Array {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let elements: Vec<_> = (0..space.len()).map(|_| Complex64::new(next(), next())).collect();
    filled(space, &elements)
}

/// The operator as a matrix, column by column.
pub(crate) fn dense(a: &(impl LinearOperator + ?Sized)) -> Vec<Vec<Complex64>> {
    columns(a.domain(), |x| a.forward(x).unwrap())
}

/// The adjoint as a matrix, column by column.
pub(crate) fn dense_adjoint(a: &(impl LinearOperator + ?Sized)) -> Vec<Vec<Complex64>> {
    columns(a.range(), |y| a.adjoint(y).unwrap())
}

fn columns(space: &Space, apply: impl Fn(&Array) -> Array) -> Vec<Vec<Complex64>> {
    let unit = |at| {
        let mut elements = vec![Complex64::default(); space.len()];
        elements[at] = 1.0.into();
        numbers(&apply(&filled(space, &elements)))
    };
    (0..space.len()).map(unit).collect()
}

pub(crate) fn assert_close(found: &[Complex64], expected: &[Complex64], dtype: DType, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let tolerance = if dtype.real() == DType::Float32 { 2e-5 } else { 1e-12 };
    let scale = expected.iter().map(|v| v.norm()).fold(1.0, f64::max);
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let near = (a - b).norm() <= tolerance * scale;
        assert!(near, "{what}: element {i} is {a}, expected {b}");
    }
}
