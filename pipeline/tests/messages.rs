//! What errors print.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::Layout;
use arrayspan_pipeline::retry::Failed;

#[test]
fn work_that_could_not_be_done_prints_as_its_message_for_main_and_for_unwrap() {
    let error = Layout::contiguous([2, 3]).unwrap().sliced(5, 0, 1).unwrap_err();
    let failed = Failed { error, range: 0..2, steps: Vec::new(), why: "tried" };
    assert_eq!(format!("{failed:?}"), failed.to_string());
    assert_eq!(
        failed.to_string(),
        "elements 0..2: slice: axis 5 does not exist in an array of rank 2; tried"
    );
}
