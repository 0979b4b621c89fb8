//! Operators on the host: hand-checked values, adjoints, updates, compositions, errors.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod algebra;
mod bad_input;
mod basic;
mod columns;
mod deep;
mod derivative;
mod devices;
mod elsewhere;
mod errors;
mod exact;
mod factors;
mod filter;
mod fourier;
mod function;
mod fusing;
mod gather;
mod half;
mod inverse;
mod kronecker;
mod laws;
mod lift;
mod memoize;
mod mistakes;
mod mix;
mod numbers;
mod parts;
mod passes;
mod plans;
mod positive;
mod real_linear;
mod real_parts;
mod refused;
mod regression;
mod rewriting;
mod scan;
mod sites;
mod sizes;
mod sparse;
mod sparse_arrays;
mod support;
mod trace;
mod trees;
mod visiting;
mod workspace;
