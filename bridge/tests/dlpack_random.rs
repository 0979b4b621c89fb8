//! Hostile tensors from random bytes. The fuzzer in `fuzz/` looks for them on purpose; this runs everywhere.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;
mod hostile;

use std::cell::Cell;

use arbitrary::{Arbitrary, Unstructured};
use hostile::Hostile;
use hostile::exercise::exercise;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

#[test]
fn whatever_a_tensor_says_it_is_refused_by_name_or_holds_what_it_says() {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(if cfg!(miri) { 30 } else { 50_000 });
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let read = Cell::new(0);
    let bytes = proptest::collection::vec(any::<u8>(), 0..600);
    let run = TestRunner::new(config).run(&bytes, |bytes| {
        if let Ok(hostile) = Hostile::arbitrary(&mut Unstructured::new(&bytes)) {
            read.set(read.get() + u32::from(exercise(&hostile)));
        }
        Ok(())
    });
    run.unwrap();
    let read = read.get();
    // About 7 of 100 can be. Few cases, as under Miri or valgrind, may by chance have half of that.
    let least = if cases < 5_000 { u32::from(cases >= 200) } else { cases / 20 };
    assert!(read >= least, "only {read} of {cases} tensors could be read");
}
