//! Every dtype from every other by every rule: as defined on the host, and the same on every device, bit for bit.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
#![allow(clippy::float_cmp, reason = "results are exact")]

mod codes;
#[path = "../common/mod.rs"]
mod common;
mod devices;
mod host;
mod reference;
mod scaling;
