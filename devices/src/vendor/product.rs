//! What is asked of a library for matrix products.

use crate::Memory;

/// The type of matrix elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scalar {
    Float32,
    Float64,
    Complex64,
    Complex128,
}

/// How a factor takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// As it is.
    Plain,
    /// Transposed.
    Transpose,
    /// Transposed and conjugated.
    Adjoint,
}

/// A batch of column-major matrices.
#[derive(Clone, Copy, Debug)]
pub struct Matrices<'a> {
    /// The block they lie in.
    pub memory: &'a Memory,
    /// Where the first begins, in bytes.
    pub start: usize,
    /// Elements from one column to the next.
    pub column: i32,
    /// Elements from one matrix to the next.
    pub next: i64,
}

/// `c ← alpha · op(a) op(b) + beta · c` for each of `batch` matrices, `op(a)` of `m` x `k`, `op(b)` of `k` x `n`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the formula names them")]
pub struct Product<'a> {
    pub scalar: Scalar,
    pub m: i32,
    pub n: i32,
    pub k: i32,
    pub batch: i32,
    pub a: (Operation, Matrices<'a>),
    pub b: (Operation, Matrices<'a>),
    pub c: Matrices<'a>,
}

/// The two factors of a product.
#[derive(Clone, Copy, Debug)]
pub enum Factors<'a> {
    /// Real and imaginary part of each.
    Host {
        /// Multiplies the product.
        alpha: [f64; 2],
        /// Multiplies what was there, which counts for nothing if it is 0.
        beta: [f64; 2],
    },
    /// Elements of the matrices' type on the device, read when the product runs.
    Device {
        /// The block they lie in.
        memory: &'a Memory,
        /// Where alpha and beta begin, in bytes: at multiples of their size.
        starts: [usize; 2],
    },
}
