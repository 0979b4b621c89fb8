//! Hostile `DLPack` tensors: each is refused by name or holds what it says, and nothing else is touched.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|hostile: hostile::Hostile| -> Corpus {
    hostile::exercise::exercise(&hostile);
    Corpus::Keep
});
