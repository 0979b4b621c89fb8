//! Steps before their intermediate results have a place.

use arrayspan_bridge::devices::Device;
use num_complex::Complex64;

use super::partition::Slice;
use super::program::Act;

/// The arrays that the caller gives.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;

/// An array, numbered, and which part of it.
#[derive(Clone, PartialEq)]
pub(super) struct Register {
    pub(super) number: usize,
    pub(super) path: Vec<Slice>,
    /// Where it lies, in a program of several devices.
    pub(super) device: Option<Device>,
}

impl Register {
    pub(super) fn of(number: usize, device: Option<Device>) -> Self {
        Self { number, path: Vec::new(), device }
    }

    pub(super) fn part(&self, slice: Option<&Slice>) -> Self {
        let path = self.path.iter().chain(slice).cloned().collect();
        Self { path, ..*self }
    }
}

/// A step whose places are not known yet.
pub(super) struct Draft {
    pub(super) act: Act,
    pub(super) from: Register,
    pub(super) to: Register,
    pub(super) scale: Complex64,
    pub(super) first: bool,
}
