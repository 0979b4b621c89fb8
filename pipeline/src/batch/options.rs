//! What may be asked for of a run.

use super::assignment::Assignment;

/// What happens to the batches of a device that fails for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLost {
    /// The run fails with that batch.
    #[default]
    Fail,
    /// They go to the other devices, whatever the assignment says. A batch that fails on another device and names the
    /// lost one runs once more. The run fails if no device is left, and with a batch that was on the lost device.
    Reassign,
}

/// What a run is asked for, with what holds where nothing is.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) assignment: Assignment,
    pub(super) in_flight: usize,
    pub(super) ahead: Option<usize>,
    pub(super) keep: bool,
    pub(super) one_computes: bool,
    pub(super) least_rows: Option<usize>,
    pub(super) on_lost: OnLost,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            assignment: Assignment::default(),
            in_flight: 3,
            ahead: None,
            keep: false,
            one_computes: true,
            least_rows: None,
            on_lost: OnLost::default(),
        }
    }
}
