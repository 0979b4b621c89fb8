//! Operators as functions of tensors, and torch's way back through them.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod batches;
mod failures;
mod gradients;
mod graph;
mod hand_over;
mod support;
mod training;
