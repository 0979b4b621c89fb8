//! What goes wrong is an error of the call that it goes wrong in, on the way there and on the way back.

use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::devices::{Device, Error as DeviceError};
use arrayspan_bridge::torch::tch::{Kind, TchError, Tensor};
use arrayspan_bridge::{DType, torch};
use arrayspan_operators::prelude::*;
use arrayspan_operators::torch::TorchOperator;
use arrayspan_operators::{Error, Result};

use crate::support::{CPU, distance, slope, space};

fn zeros(shape: &[i64], kind: Kind) -> Tensor {
    Tensor::zeros(shape, (kind, CPU))
}

#[test]
fn a_tensor_that_does_not_fit_is_refused_in_the_operators_terms() {
    let function = slope(&[5, 4], DType::Float64).torch();
    for shape in [&[4][..], &[4, 5], &[2, 5], &[], &[5, 4, 2]] {
        let error = function.forward(&zeros(shape, Kind::Double)).unwrap_err();
        let Error::Shape { operator, argument: "model", expected, found } = error else {
            panic!("{error}");
        };
        let shape: Vec<usize> = shape.iter().map(|&extent| extent as usize).collect();
        assert_eq!((&*operator, expected, found), ("FirstDerivative", vec![5, 4], shape));
    }
    let error = function.adjoint(&zeros(&[3, 5, 4], Kind::Float)).unwrap_err();
    assert_eq!(error.to_string(), "FirstDerivative: data is Float32, expected Float64");
    for kind in [Kind::ComplexDouble, Kind::Int64, Kind::Bool, Kind::Half] {
        let error = function.forward(&zeros(&[5, 4], kind)).unwrap_err();
        assert!(matches!(error, Error::DType { argument: "model", .. }), "{error}");
    }
}

#[test]
fn a_tensor_that_no_array_can_be_is_refused() {
    let function = slope(&[5], DType::Float64).torch();
    let sparse = zeros(&[5], Kind::Double).to_sparse_sparse_dim(1);
    let error = function.forward(&sparse).unwrap_err().to_string();
    assert!(error.contains("sparse"), "{error}");
    let error = function.forward(&Tensor::new()).unwrap_err().to_string();
    assert!(error.contains("no content"), "{error}");
}

#[test]
fn as_a_layer_of_tch_it_panics_with_the_error_as_tchs_layers_do() {
    use arrayspan_bridge::torch::tch::nn::Module;
    let layer = slope(&[5], DType::Float64).torch();
    let run = || Module::forward(&layer, &zeros(&[6], Kind::Double));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    let said = panic.downcast_ref::<String>().unwrap();
    assert_eq!(said, "FirstDerivative: model has shape [6], expected [5]");
}

/// The identity, whose adjoint does what it is told.
fn one_way(back: impl Fn() -> Result<()> + Send + Sync + 'static) -> TorchOperator {
    let within = space(&[3, 2], DType::Float64);
    FunctionOperator::new(
        within.clone(),
        within,
        |on, x, y| Ok(on.copy(x, y, Update::set())?),
        move |_, _, _| back(),
    )
    .unwrap()
    .named("OneWay")
    .torch()
}

/// What the way back through a function says, twice: it must not do harm to the next.
#[track_caller]
fn said_on_the_way_back(function: &TorchOperator) -> String {
    let said = || {
        let x = zeros(&[4, 3, 2], Kind::Double).set_requires_grad(true);
        let loss = function.forward(&(&x * 2.0)).unwrap().sum(Kind::Double);
        let said = match loss.f_backward() {
            Err(TchError::Torch(said)) => said,
            other => panic!("{other:?}"),
        };
        assert!(!x.grad().defined());
        let again = Tensor::f_run_backward(&[&loss], &[&x], false, false).unwrap_err().to_string();
        assert!(again.contains(said.lines().next().unwrap_or_default()), "{again}");
        said
    };
    let first = said();
    assert_eq!(first, said());
    // Torch works as before.
    let fine = slope(&[3], DType::Float64).torch();
    let x = zeros(&[3], Kind::Double).set_requires_grad(true);
    fine.forward(&x).unwrap().sum(Kind::Double).backward();
    assert!(distance(&x.grad(), &fine.adjoint(&Tensor::ones_like(&x)).unwrap()) < 1e-15);
    first
}

#[test]
fn an_error_on_the_way_back_is_that_of_the_call_that_went_back() {
    let said = said_on_the_way_back(&one_way(|| Err(Error::function("out of paper"))));
    let expected = "the way back through OneWay: for a gradient that is Float64 [4, 3, 2] on cpu: out of paper";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_panic_on_the_way_back_is_an_error_of_the_call_that_went_back() {
    let said = said_on_the_way_back(&one_way(|| panic!("the {}th sheet is torn", 5)));
    let expected = "the way back through OneWay: it panicked: the 5th sheet is torn";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_lack_of_memory_on_the_way_back_is_known_as_one() {
    let torn = one_way(|| Err(DeviceError::out_of_memory(Device::cpu(), 7, 0).into()));
    let x = zeros(&[3, 2], Kind::Double).set_requires_grad(true);
    let loss = torn.forward(&x).unwrap().sum(Kind::Double);
    let error = torch::attempt(Device::cpu(), || loss.f_backward()).unwrap_err();
    let shortage = error.shortage().unwrap();
    assert_eq!((shortage.device, shortage.bytes), (Some(Device::cpu()), Some(7)), "{error}");
    let other = torch::attempt(Device::cpu(), || x.f_matmul(&x)).unwrap_err();
    assert_eq!(other.shortage(), None, "{other}");
}

#[test]
fn an_operator_without_an_adjoint_has_a_way_there_only() {
    let within = space(&[3, 2], DType::Float64);
    let there = FunctionOperator::forward_only(within.clone(), within, |on, x, y| {
        Ok(on.copy(x, y, Update::set())?)
    });
    let said = said_on_the_way_back(&there.unwrap().torch());
    assert!(said.contains("FunctionOperator") && said.contains("has no adjoint"), "{said}");
}

#[test]
fn a_message_longer_than_there_is_room_for_is_cut_between_characters() {
    let said = said_on_the_way_back(&one_way(|| Err(Error::function("é".repeat(2000)))));
    assert!(said.len() > 900 && said.contains("éééé"), "{said}");
}

#[test]
fn an_error_far_from_the_end_of_a_graph_passes_through_the_others() {
    let (slope, torn) =
        (slope(&[3, 2], DType::Float64).torch(), one_way(|| Err(Error::function("torn"))));
    let x = zeros(&[3, 2], Kind::Double).set_requires_grad(true);
    let y = slope.forward(&torn.forward(&slope.forward(&x).unwrap()).unwrap()).unwrap();
    let error = y.sum(Kind::Double).f_backward().unwrap_err().to_string();
    assert!(error.contains("OneWay") && error.contains("torn"), "{error}");
}
