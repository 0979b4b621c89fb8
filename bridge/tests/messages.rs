//! What errors print.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::Unrecovered;
use arrayspan_bridge::retry::Failed;
use arrayspan_bridge::{Array, Error, Layout};

#[test]
fn errors_print_as_their_message_for_main_and_for_unwrap() {
    fn same(error: &(impl std::error::Error + ?Sized)) {
        assert_eq!(format!("{error:?}"), error.to_string());
    }
    let layout = Layout::contiguous([2, 3]).unwrap().sliced(5, 0, 1).unwrap_err();
    same(&layout);
    same(&"cuda:x".parse::<Device>().unwrap_err());
    same(&Failed { error: layout.clone(), range: 0..2, steps: Vec::new(), why: "tried" });
    same(&Unrecovered::at_once(layout));
    let boxed: Box<dyn std::error::Error> =
        Array::from_slice(&[1.0_f32; 3], [4]).map(|_| ()).unwrap_err().into();
    same(&*boxed);
    let result: Result<(), Box<dyn std::error::Error>> = Err(boxed);
    let printed = "Err(from_vec: shape is [3] (3 elements), expected [4] (4 elements))";
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
