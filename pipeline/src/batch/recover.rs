//! A batch that does not fit: run again alone, then in halves.

use arrayspan_bridge::{Array, Relayout, Result, SharedArray};
use arrayspan_devices::retry::{OutOfMemory, RetryPolicy, with_retry};

use super::coordinator::Coordinator;
use super::options::Options;
use super::slot::{BatchPlace, Performed, Slot};

/// One slot's way to run batches.
pub(super) struct Runner<'a, E> {
    pub(super) slot: &'a Slot,
    pub(super) options: &'a Options,
    pub(super) coordinator: &'a Coordinator<E>,
}

impl<E: From<arrayspan_bridge::Error> + OutOfMemory> Runner<'_, E> {
    /// Runs a batch. One that runs out of memory waits until the device's other slots are done, keeps them from
    /// starting, and runs again, after what [`with_retry`] can find; then in halves, if it may be split.
    pub(super) fn run(
        &self,
        input: &SharedArray,
        compute: &mut impl FnMut(&Array, &BatchPlace) -> Result<Array, E>,
    ) -> Result<Vec<Performed>, E> {
        let (position, keep) = (self.slot.place.position, self.options.keep);
        let gate = self.coordinator.gate(position);
        {
            let _among_others = gate.read();
            match self.slot.perform(input, keep, &mut *compute) {
                Err(error) if error.shortage().is_some() => {}
                done => return Ok(vec![done?]),
            }
        }
        let _alone = gate.write();
        self.coordinator.count(|counts| counts[position].retried += 1);
        self.run_alone(input, compute)
    }

    fn run_alone(
        &self,
        input: &SharedArray,
        compute: &mut impl FnMut(&Array, &BatchPlace) -> Result<Array, E>,
    ) -> Result<Vec<Performed>, E> {
        let BatchPlace { device, position, .. } = self.slot.place;
        let perform = || self.slot.perform(input, self.options.keep, &mut *compute);
        let error = match with_retry(device, &RetryPolicy::default(), perform) {
            Ok(done) => return Ok(vec![done]),
            Err(unrecovered) => unrecovered.error,
        };
        let rows = input.shape().first().copied().unwrap_or(0);
        let divisible = self.options.least_rows.is_some_and(|least| rows / 2 >= least);
        if error.shortage().is_none() || !divisible {
            return Err(error);
        }
        self.coordinator.count(|counts| counts[position].splits += 1);
        let mut parts = Vec::new();
        for (start, len) in [(0, rows / 2), (rows / 2, rows - rows / 2)] {
            let half = input.clone().sliced(0, start, len)?;
            parts.append(&mut self.run_alone(&half, compute)?);
        }
        Ok(parts)
    }
}
