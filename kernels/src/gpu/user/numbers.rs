//! The numbers that a call gives by value.

use arrayspan_bridge::iteration::Arguments;

use crate::verb::{LaunchCall, Slot};

/// Adds them to the arguments, in their order.
pub(super) fn push(call: &LaunchCall<'_>, arguments: &mut Arguments<'_>) {
    for input in &call.inputs {
        if let Slot::Number(number, dtype) = input {
            number.push(*dtype, &mut |argument| arguments.push(argument));
        }
    }
}

/// How many arguments those are.
pub(super) fn count(call: &LaunchCall<'_>) -> usize {
    let mut count = 0;
    for input in &call.inputs {
        if let Slot::Number(number, dtype) = input {
            number.push(*dtype, &mut |_| count += 1);
        }
    }
    count
}
