//! Types that the traits share.

use std::sync::Arc;

use smallvec::SmallVec;

/// Page-locked host memory from a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locked {
    /// Its first byte.
    pub address: usize,
    /// Its size.
    pub bytes: usize,
    /// What the driver knows it by beside its address: a `cl_mem`; zero in CUDA.
    pub handle: usize,
}

/// A byte within a block of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAddress {
    /// The block's address in the driver's terms.
    pub address: usize,
    /// Bytes from its start.
    pub offset: usize,
}

/// How many work groups of how many threads. Nothing runs if any of them is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Groups along x, y, z.
    pub groups: [usize; 3],
    /// Threads of a group along x, y, z.
    pub threads: [usize; 3],
}

/// A kernel argument as the driver sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum RawArgument {
    /// The address of a block.
    Address(usize),
    /// A 32-bit signed integer.
    I32(i32),
    /// A 64-bit signed integer.
    I64(i64),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// The bytes of a `struct`.
    Struct(Arc<[u8]>),
}

/// More arguments than any kernel here has; the bound spares a launch a heap allocation.
pub(crate) const MAX_ARGUMENTS: usize = 64;

/// One of something for each argument of a launch. Room that is not used costs nothing.
pub(crate) type PerArgument<T> = SmallVec<[T; MAX_ARGUMENTS]>;

/// What a driver's codes are for failures of three classes, each with the driver's name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    /// There is no memory.
    pub memory: i32,
    /// The device is gone.
    pub lost: (i32, &'static str),
    /// Another refusal.
    pub refused: (i32, &'static str),
}

impl Default for Codes {
    /// Those of a driver without codes.
    fn default() -> Self {
        Self { memory: 0, lost: (0, "LOST"), refused: (0, "REFUSED") }
    }
}
