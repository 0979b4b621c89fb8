//! What is not an operator or a solver, as PyLops 2.8.0 has it, and what PyLops has wrong.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod defects;
mod gathers;
mod metrics;
mod numbers;
mod slopes;
mod values;
