//! What errors print.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::Unrecovered;
use arrayspan_bridge::{Array, DType, Error, Layout, Relayout};

#[test]
fn errors_print_as_their_message_for_main_and_for_unwrap() {
    fn same(error: &(impl std::error::Error + ?Sized)) {
        assert_eq!(format!("{error:?}"), error.to_string());
    }
    let layout = Layout::contiguous([2, 3]).unwrap().sliced(5, 0, 1).unwrap_err();
    same(&layout);
    same(&"cuda:x".parse::<Device>().unwrap_err());
    same(&Unrecovered::at_once(layout));
    let boxed: Box<dyn std::error::Error> =
        Array::from_slice(&[1.0_f32; 3], [4]).map(|_| ()).unwrap_err().into();
    same(&*boxed);
    let result: Result<(), Box<dyn std::error::Error>> = Err(boxed);
    let printed = "Err(from_slice: shape is [3] (3 elements), expected [4] (4 elements))";
    assert_eq!(format!("{result:?}"), printed);
}

#[test]
fn an_array_that_lies_elsewhere_is_named_with_both_devices() {
    let error = Error::WrongDevice {
        operation: "to",
        argument: "stream",
        expected: Device::cpu(),
        found: Device::cpu(),
    };
    assert_eq!(error.to_string(), "to: stream is on cpu, expected cpu");
}

#[test]
fn shapes_that_are_too_large_name_what_was_asked_for_and_no_strides_that_nobody_gave() {
    let (many, cpu) = ([usize::MAX, 2], Device::cpu());
    let stream = cpu.stream().unwrap();
    let array = || Array::from_slice(&[1_u8, 2], [2]).unwrap();
    let found = [
        Array::from_vec(vec![1_u8], many).unwrap_err(),
        Array::from_slice(&[1_u8], many).unwrap_err(),
        Array::empty(many, DType::UInt8, &stream).unwrap_err(),
        Array::pinned(many, DType::UInt8, cpu).unwrap_err(),
        array().reshaped(&many).unwrap_err(),
        array().view().broadcast(&[usize::MAX, 2]).unwrap_err(),
        array().view_mut().carve(&many, DType::UInt8).unwrap_err(),
        Layout::contiguous(many).unwrap_err(),
    ];
    let names = [
        "from_vec",
        "from_slice",
        "empty",
        "pinned",
        "reshape",
        "broadcast",
        "carve",
        "contiguous",
    ];
    for (error, name) in found.iter().zip(names) {
        let shape = format!("shape {many:?}: more elements than can be addressed");
        assert_eq!(error.to_string(), format!("{name}: {shape}"));
    }
    let bytes = Array::empty([usize::MAX / 4], DType::Float64, &stream).unwrap_err().to_string();
    let expected = format!("empty: shape [{}]: more bytes of Float64", usize::MAX / 4);
    assert!(bytes.starts_with(&expected), "{bytes}");
}

#[test]
fn a_view_that_the_host_cannot_take_names_the_function_and_both_dtypes() {
    let mut array = Array::from_slice(&[1.0_f32; 6], [2, 3]).unwrap();
    let column = array.view().selected(1, 0).unwrap();
    let error = column.as_slice::<f32>().unwrap_err().to_string();
    assert_eq!(error, "as_slice: shape [2] with strides [3]: not contiguous");
    let error = array.view().as_ndarray::<f64>().unwrap_err().to_string();
    assert_eq!(error, "as_ndarray: dtype is Float32, expected Float64");
    let error = array.view_mut().as_mut_slice::<i32>().unwrap_err().to_string();
    assert_eq!(error, "as_mut_slice: dtype is Float32, expected Int32");
    let error = array.view().byte_lanes::<8>().map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "byte_lanes: Float32 cannot be taken as any 8 byte(s)");
}
