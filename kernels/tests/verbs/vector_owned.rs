//! Arithmetic that takes arrays over: every mixture compiles and gives the same, and memory goes back when it should.

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{
    Array, AsElementwise, Elementwise, LentArray, Relayout, SharedArray,
};
use arrayspan_kernels::{Error, Plan, Vector, VectorMut, on};
use num_complex::Complex64;

const A: f64 = 3.0;
const B: f64 = 0.5;

fn array(value: f64) -> Array {
    Array::from_slice(&[value, 2.0 * value], [2]).unwrap()
}

/// What all of one kind of operand are borrowed from.
struct Kept {
    array: Array,
    shared: SharedArray,
    lent: LentArray,
    writable: Array,
}

impl Kept {
    fn new(value: f64) -> Self {
        let shared = array(value).into_shared();
        let (lent, writable) = (shared.clone().into(), array(value));
        Self { array: array(value), shared, lent, writable }
    }
}

#[track_caller]
fn is<'a>(value: impl Into<Elementwise<'a>>, expected: impl Fn(f64, f64) -> f64) {
    let found = value.into().compute().unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [expected(A, B), expected(2.0 * A, 2.0 * B)]);
}

/// All four operators between one operand and each of the others.
macro_rules! beside {
    ($left:expr; $b:ident: $($right:expr),* $(,)?) => {$(
        is($left + $right, |a, b| a + b);
        is($left - $right, |a, b| a - b);
        is($left * $right, |a, b| a * b);
        is($left / $right, |a, b| a / b);
    )*};
}

/// Each operand beside all others.
macro_rules! each {
    ($a:ident, $b:ident: $($left:expr),* $(,)?) => {$(
        beside! {
            $left; $b:
            &$b.array, array(B), &$b.shared, $b.shared.clone(), &$b.lent, $b.array.view(), &$b.array.view(),
            &$b.writable.view_mut(), $b.writable.view_mut(), $b.array.as_elementwise(), &$b.array.as_elementwise(),
            Elementwise::from(array(B)), &Elementwise::from($b.shared.clone()),
        }
        is(-$left + &$b.array, |a, b| b - a);
        is($left * 2.0 - 1.0, |a, _| a * 2.0 - 1.0);
        is(1.0 / (2.0 + $left), |a, _| 1.0 / (2.0 + a));
        is(2.0 - 3.0 * $left, |a, _| 2.0 - 3.0 * a);
    )*};
}

#[test]
fn every_kind_of_operand_stands_beside_every_other_on_both_sides() {
    let (mut a, mut b) = (Kept::new(A), Kept::new(B));
    each! {
        a, b:
        &a.array, array(A), &a.shared, a.shared.clone(), &a.lent, a.array.view(), &a.array.view(),
        &a.writable.view_mut(), a.writable.view_mut(), a.array.as_elementwise(), &a.array.as_elementwise(),
        Elementwise::from(array(A)), &Elementwise::from(a.shared.clone()),
    }
}

#[test]
fn complex_numbers_stand_beside_arrays_that_are_taken_over() {
    let i = Complex64::i();
    let complex = || Array::from_slice(&[Complex64::new(1.0, 2.0)], [1]).unwrap();
    let z = Complex64::new(1.0, 2.0);
    let found = (i * complex() + complex() / i - (i - complex()) * (complex() + i)).compute();
    let expected = i * z + z / i - (i - z) * (z + i);
    let found = found.unwrap().item::<Complex64>().unwrap();
    assert!((found - expected).norm() < 1e-14, "{found}, not {expected}");
}

#[test]
fn numbers_of_the_device_are_taken_over_like_arrays() {
    let x = array(3.0);
    let unit = (&x / x.norm().unwrap()).compute().unwrap();
    assert!((unit.norm().unwrap().item::<f64>().unwrap() - 1.0).abs() < 1e-15);
    let mut y = array(1.0);
    y.add_scaled(x.sum().unwrap() / x.norm_squared().unwrap(), array(5.0)).unwrap();
    assert_eq!(y.to_vec::<f64>().unwrap(), [2.0, 4.0]);
    y.update(|y| y.minimum(array(1.5)) - array(0.5)).unwrap();
    assert_eq!(y.to_vec::<f64>().unwrap(), [1.0, 2.0]);
    y.assign(array(7.0)).unwrap();
    assert_eq!(y.dot(array(1.0)).unwrap().to_vec::<f64>().unwrap(), [35.0]);
    assert_eq!(array(-1.0).abs().compute().unwrap().to_vec::<f64>().unwrap(), [1.0, 2.0]);
}

#[test]
fn a_value_may_outlive_all_that_it_was_made_in() {
    fn residual(x: Array, y: SharedArray) -> Elementwise<'static> {
        2.0 * x - y
    }
    let value = residual(array(3.0), array(1.0).into_shared());
    let value = std::thread::spawn(move || value + 1.0).join().unwrap();
    assert_eq!(value.compute().unwrap().to_vec::<f64>().unwrap(), [6.0, 11.0]);
}

#[test]
fn memory_is_held_as_long_as_the_value_and_no_longer() {
    let shared = array(3.0).into_shared();
    let value = 2.0 * shared.clone() + array(1.0);
    let copy = &value + &value;
    assert_eq!((value.inputs().len(), copy.inputs().len()), (2, 2));
    let shared = shared.try_into_array().unwrap_err();
    drop(value);
    let shared = shared.try_into_array().unwrap_err();
    assert_eq!(copy.compute().unwrap().to_vec::<f64>().unwrap(), [14.0, 28.0]);
    drop(copy);
    let mut array = shared.try_into_array().unwrap();
    array.assign(0.0).unwrap();
}

#[test]
fn an_array_that_is_taken_over_and_shared_is_read_once() {
    let shared = array(3.0).into_shared();
    let value = &shared * array(1.0) + shared.clone() - shared.view();
    assert_eq!(value.inputs().len(), 2);
    let column = shared.clone().reshaped(&[2, 1]).unwrap();
    assert_eq!((value + column).inputs().len(), 3);
}

#[test]
fn the_numbers_of_inputs_follow_when_values_are_joined() {
    let [a, b, c] = [array(1.0), array(10.0), array(100.0)];
    let left = &a - array(2.0) * &b; // lent, owned, lent
    let right = array(3.0) / &b - (&c - array(4.0) * array(5.0) + &a).abs();
    let found = (&left * 2.0 + &right * &left - right).compute().unwrap();
    let plain = |a: f64, b: f64, c: f64, n: f64| {
        let left = a - 2.0 * n * b;
        let right = 3.0 * n / b - (c - 20.0 * n * n + a).abs();
        left * 2.0 + right * left - right
    };
    let expected = [plain(1.0, 10.0, 100.0, 1.0), plain(2.0, 20.0, 200.0, 2.0)];
    for (found, expected) in found.to_vec::<f64>().unwrap().iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{found}, not {expected}");
    }
}

#[test]
fn a_plan_does_not_take_an_array_that_was_taken_over_for_one_of_its_own() {
    let executor = on(Device::cpu()).unwrap();
    let refused = Plan::record(executor.clone(), array(1.0), |on, x| {
        x.update_on(on, |x| x + array(1.0)) // would be the same array in every replay
    });
    assert!(matches!(refused, Err(Error::NotKept { .. })), "{refused:?}");
    let constant = array(1.0).into_shared();
    let mut plan = Plan::record(executor, array(1.0), |on, x| {
        x.update_on(on, |x| x + constant.clone()) // nobody can write it
    })
    .unwrap();
    plan.replay().unwrap();
    plan.replay().unwrap();
    assert_eq!(plan.into_arrays().to_vec::<f64>().unwrap(), [3.0, 6.0]);
}

#[test]
fn arrays_that_are_taken_over_stay_as_they_are_when_an_update_is_refused() {
    let mut y = array(1.0);
    let three = Array::from_slice(&[1.0; 3], [3]).unwrap();
    let error = y.update(|y| y - three).unwrap_err().to_string();
    assert_eq!(error, "update: input 0 has shape [3], expected [2]");
    assert_eq!(y.to_vec::<f64>().unwrap(), [1.0, 2.0]);
}
