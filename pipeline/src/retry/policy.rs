//! What may be done when memory runs out.

use arrayspan_devices::retry;

/// What may be done when memory runs out, in this order: run again, on fewer elements, on another GPU, on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryPolicy {
    /// How often, and for how long, the same elements are tried on the same device.
    pub retry: retry::RetryPolicy,
    /// Whether elements may be taken in smaller pieces.
    pub split: bool,
    /// No piece is made smaller than so many elements; at least one.
    pub min_len: usize,
    /// Whether a piece that cannot be made smaller may go to another GPU: the one with the most free memory first.
    pub siblings: bool,
    /// Whether it may go to the CPU after that.
    pub cpu: bool,
}

impl Default for RecoveryPolicy {
    /// Splits down to single elements, and stays on the device.
    fn default() -> Self {
        Self {
            retry: retry::RetryPolicy::default(),
            split: true,
            min_len: 1,
            siblings: false,
            cpu: false,
        }
    }
}

impl RecoveryPolicy {
    /// Where to cut `len` elements in two, if that is allowed.
    pub(super) fn cut(&self, len: usize) -> Option<usize> {
        let least = self.min_len.max(1);
        (self.split && len / 2 >= least).then_some(len / 2)
    }
}
