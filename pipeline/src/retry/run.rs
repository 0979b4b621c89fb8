//! Runs work on a batch until all of it is done.

use std::ops::Range;
use std::time::Duration;

use arrayspan_bridge::{Error, Result};
use arrayspan_devices::retry::{self, OutOfMemory, Unrecovered};
use arrayspan_devices::{Device, Stream};

use super::outcome::{Done, Failed, Outcome, RetryStep};
use super::{Checkpoint, RecoveryPolicy, Splittable, fallback};

/// Runs `work` on all elements of `inputs`, on `device`; when memory runs out again, then in pieces, then, where the
/// policy allows it, on another device. What the work must keep to: [the module](crate::retry).
///
/// A piece that did not fit makes later ones of that size start smaller.
///
/// # Errors
/// The first error that is not a lack of memory; a lack of memory against which all that is allowed was tried.
pub fn with_retry<'i, I: Splittable + ?Sized, O, E: From<Error> + OutOfMemory>(
    inputs: &'i I,
    device: Device,
    policy: &RecoveryPolicy,
    mut work: impl FnMut(I::Piece<'i>, &Stream) -> Result<O, E>,
) -> Result<Outcome<O>, Failed<E>> {
    with_checkpoint(&mut (), inputs, device, policy, |(), piece, stream| work(piece, stream))
}

/// As [`with_retry`], for work that changes `state`: what a failed attempt has changed is put back before anything
/// else is tried, and before an error is returned.
///
/// # Errors
/// As [`with_retry`]; the failure to keep or put back the state.
pub fn with_checkpoint<
    'i,
    S: Checkpoint,
    I: Splittable + ?Sized,
    O,
    E: From<Error> + OutOfMemory,
>(
    state: &mut S,
    inputs: &'i I,
    device: Device,
    policy: &RecoveryPolicy,
    mut work: impl FnMut(&mut S, I::Piece<'i>, &Stream) -> Result<O, E>,
) -> Result<Outcome<O>, Failed<E>> {
    let mut one = |range: Range<usize>, device: Device, policy: &retry::RetryPolicy| {
        retry::with_retry_told(device, policy, || {
            let stream = device.stream().map_err(Error::from)?;
            let piece = inputs.piece(range.clone(), &stream)?;
            let saved = state.save()?;
            let done = work(state, piece, &stream);
            if done.is_err() {
                state.restore(&saved)?;
            }
            done
        })
    };
    let elements = match inputs.elements() {
        Ok(elements) => elements,
        Err(error) => {
            let why = "the inputs cannot be counted";
            return Err(Failed { error: error.into(), range: 0..0, steps: Vec::new(), why });
        }
    };
    let (looked, waited, refused) = (Duration::ZERO, Duration::ZERO, usize::MAX);
    Batch { device, policy, looked, waited, refused, steps: Vec::new() }.run(elements, &mut one)
}

/// A batch under way.
struct Batch<'a> {
    device: Device,
    policy: &'a RecoveryPolicy,
    /// How long memory was looked for so far, and how much of that others were waited for.
    looked: Duration,
    waited: Duration,
    /// The smallest number of elements that did not fit at once.
    refused: usize,
    steps: Vec<RetryStep>,
}

/// Tries some elements on a device: the result, and the attempts that failed before.
type One<'a, O, E> = dyn FnMut(Range<usize>, Device, &retry::RetryPolicy) -> Attempted<O, E> + 'a;

type Attempted<O, E> = Result<(O, Vec<retry::Attempt>), Unrecovered<E>>;

impl Batch<'_> {
    fn run<O, E: OutOfMemory>(
        mut self,
        elements: usize,
        one: &mut One<'_, O, E>,
    ) -> Result<Outcome<O>, Failed<E>> {
        let mut pieces = Vec::new();
        // The next piece is the last entry.
        let mut left = Vec::new();
        left.push(0..elements);
        while let Some(range) = left.pop() {
            if range.is_empty() {
                continue;
            }
            if range.len() >= self.refused
                && let Some(halves) = self.split(&range)
            {
                left.extend(halves);
                continue;
            }
            match self.attempt(&range, self.device, one) {
                Ok(result) => pieces.push(Done { range, device: self.device, result }),
                Err(error) if error.shortage().is_none() => {
                    return Err(self.failed(error, range, "it is not for a lack of memory"));
                }
                Err(error) => {
                    self.refused = self.refused.min(range.len());
                    match self.split(&range) {
                        _ if self.is_over() => {
                            return Err(self.failed(error, range, "the time is over"));
                        }
                        Some(halves) => left.extend(halves),
                        None => pieces.push(self.elsewhere(range, error, one)?),
                    }
                }
            }
        }
        Ok(Outcome { pieces, steps: self.steps })
    }

    /// The second half and the first one, in the order of a stack.
    fn split(&mut self, range: &Range<usize>) -> Option<[Range<usize>; 2]> {
        let at = range.start + self.policy.cut(range.len())?;
        self.steps.push(RetryStep::Split { range: range.clone(), at });
        Some([at..range.end, range.start..at])
    }

    /// Tries elements that cannot be fewer on one device after the other.
    fn elsewhere<O, E: OutOfMemory>(
        &mut self,
        range: Range<usize>,
        mut error: E,
        one: &mut One<'_, O, E>,
    ) -> Result<Done<O>, Failed<E>> {
        let mut tried = vec![self.device];
        while let Some(device) = fallback::next(self.policy, &tried).filter(|_| !self.is_over()) {
            let from = tried.last().copied().unwrap_or(self.device);
            tracing::warn!(?range, %from, to = %device, "out of memory: moved to another device");
            self.steps.push(RetryStep::Moved { range: range.clone(), from, to: device });
            match self.attempt(&range, device, one) {
                Ok(result) => return Ok(Done { range, device, result }),
                Err(other) if other.shortage().is_none() => {
                    return Err(self.failed(other, range, "it is not for a lack of memory"));
                }
                Err(other) => error = other,
            }
            tried.push(device);
        }
        let why = "the policy allows neither fewer elements at once nor another device";
        Err(self.failed(error, range, why))
    }

    fn attempt<O, E: OutOfMemory>(
        &mut self,
        range: &Range<usize>,
        device: Device,
        one: &mut One<'_, O, E>,
    ) -> Result<O, E> {
        let patience = self.policy.retry.patience.saturating_sub(self.looked);
        let wait = self.policy.retry.wait.map(|wait| wait.saturating_sub(self.waited));
        let policy = retry::RetryPolicy { patience, wait, ..self.policy.retry };
        let (done, tried) = match one(range.clone(), device, &policy) {
            Ok((result, tried)) => (Ok(result), tried),
            Err(Unrecovered { error, tried }) => (Err(error), tried),
        };
        self.looked += tried.iter().map(retry::Attempt::took).sum::<Duration>();
        let steps = tried.iter().flat_map(|attempt| &attempt.recovered);
        let waits = steps.filter(|step| step.stage == retry::Stage::Wait);
        self.waited += waits.map(|step| step.took).sum::<Duration>();
        if !tried.is_empty() {
            let (range, worked) = (range.clone(), done.is_ok());
            self.steps.push(RetryStep::Retried { range, device, tried, worked });
        }
        done
    }

    fn is_over(&self) -> bool {
        self.looked >= self.policy.retry.patience
    }

    fn failed<E>(&mut self, error: E, range: Range<usize>, why: &'static str) -> Failed<E> {
        Failed { error, range, steps: std::mem::take(&mut self.steps), why }
    }
}
