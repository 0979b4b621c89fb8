//! Kernels of users on every device that runs kernels: results against Rust, and what is refused.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod user {
    pub(crate) mod elementwise;
    pub(crate) mod errors;
    pub(crate) mod raw;
    pub(crate) mod recorded;
    pub(crate) mod reduction;
    pub(crate) mod sample;
}
