//! What goes wrong between libraries that share a GPU.
//!
//! Each file shows one hazard twice: first by the driver's calls (or cudarc's), as a careless consumer makes them, with
//! the damage asserted; then the same through arrayspan, without it.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod current_context;
mod foreign_thread;
mod gpu;
mod lent_streams;
mod peer_copies;
mod pending_errors;
mod released_early;
mod source_freed;
mod untracked_streams;
