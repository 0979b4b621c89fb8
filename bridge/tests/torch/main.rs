//! Tensors of libtorch, in and out.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod export;
mod import;
mod layouts;
mod refusals;
mod support;

use support::{COPY, DETACH, SHARE, copied, counting, numbers};
