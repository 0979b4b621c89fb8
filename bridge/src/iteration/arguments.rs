//! The arguments of a launch, in the order in which kernels declare them.

use crate::DType;
use arrayspan_devices::{Argument, Memory};
use num_complex::Complex64;

/// The arguments of a launch.
#[derive(Debug)]
pub struct Arguments<'a> {
    list: Vec<Argument<'a>>,
    wide: bool,
}

/// Devices take no more arguments than this.
pub const MOST_ARGUMENTS: usize = 64;

impl<'a> Arguments<'a> {
    /// None yet. `wide` kernels count in 64 bits.
    #[must_use]
    pub fn new(wide: bool) -> Self {
        Self { list: Vec::with_capacity(24), wide }
    }

    /// As a launch takes them.
    #[must_use]
    pub fn list(&self) -> &[Argument<'a>] {
        &self.list
    }

    /// Any other argument.
    pub fn push(&mut self, argument: Argument<'a>) {
        self.list.push(argument);
    }

    /// An array that is read: its block, and its first element's place there (`OpenCL` knows no pointers
    /// into blocks).
    pub fn read(&mut self, memory: &'a Memory, offset: usize) {
        self.list.extend([Argument::Read(memory), Argument::I64(offset as i64)]);
    }

    /// As [`read`](Self::read), for an array that is written.
    pub fn write(&mut self, memory: &'a Memory, offset: usize) {
        self.list.extend([Argument::Write(memory), Argument::I64(offset as i64)]);
    }

    /// An `idx`: an extent or a stride.
    pub fn index(&mut self, value: isize) {
        let wide = Argument::I64(value as i64);
        self.list.push(if self.wide { wide } else { Argument::I32(value as i32) });
    }

    /// Several.
    pub fn indices(&mut self, values: impl IntoIterator<Item = isize>) {
        values.into_iter().for_each(|value| self.index(value));
    }

    /// Numbers: of each its real part, and for complex dtypes its imaginary part.
    pub fn numbers(&mut self, values: &[Complex64], dtype: DType) {
        let real = |value: f64| match dtype.real() {
            DType::Float32 => Argument::F32(value as f32),
            _ => Argument::F64(value),
        };
        for value in values {
            self.list.push(real(value.re));
            if dtype.is_complex() {
                self.list.push(real(value.im));
            }
        }
    }
}
