//! What came of work on a batch, and what it took.

use std::fmt;
use std::ops::Range;

use arrayspan_bridge::{Array, Error, Relayout, Result};
use arrayspan_devices::retry::{Attempt, OutOfMemory, Shortage, Total};
use arrayspan_devices::{Device, Stream};

/// All results, in the order of the elements, and what it took.
#[derive(Clone, Debug)]
pub struct Outcome<O> {
    /// One entry for each piece, in order.
    pub pieces: Vec<Done<O>>,
    /// What was done against a lack of memory, in order; nothing if there was none.
    pub steps: Vec<RetryStep>,
}

/// The result of one piece.
#[derive(Clone, Debug)]
pub struct Done<O> {
    /// Its elements.
    pub range: Range<usize>,
    /// Where it was computed.
    pub device: Device,
    /// What came out.
    pub result: O,
}

/// Something done because memory ran out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RetryStep {
    /// The same elements were tried again on the same device.
    Retried {
        /// The elements.
        range: Range<usize>,
        /// Where.
        device: Device,
        /// Each attempt that failed, and what was done before the next.
        tried: Vec<Attempt>,
        /// Whether it helped.
        worked: bool,
    },
    /// The elements were taken in two pieces.
    Split {
        /// The elements.
        range: Range<usize>,
        /// The first of the second piece.
        at: usize,
    },
    /// The elements went to another device.
    Moved {
        /// The elements.
        range: Range<usize>,
        /// From where.
        from: Device,
        /// Where to.
        to: Device,
    },
}

/// Work that could not be done, and all that was tried.
#[derive(Clone)]
pub struct Failed<E> {
    /// The last error.
    pub error: E,
    /// The elements that it is about.
    pub range: Range<usize>,
    /// What was tried for all elements, in order.
    pub steps: Vec<RetryStep>,
    /// Why nothing else was tried.
    pub why: &'static str,
}

impl<O> Outcome<O> {
    /// The results, in order.
    pub fn results(self) -> impl Iterator<Item = O> {
        self.pieces.into_iter().map(|piece| piece.result)
    }

    /// How often elements were taken in two.
    #[must_use]
    pub fn splits(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, RetryStep::Split { .. })).count()
    }

    /// The devices other than the first asked for that pieces went to.
    pub fn moved_to(&self) -> impl Iterator<Item = Device> {
        self.steps.iter().filter_map(|step| match step {
            RetryStep::Moved { to, .. } => Some(*to),
            _ => None,
        })
    }
}

impl Outcome<Array> {
    /// The results one after the other along the first axis, on the device of `stream`.
    ///
    /// # Errors
    /// [`Error::Inexpressible`] without a piece; [`Error::Shape`] or [`Error::DType`] unless the results agree beyond
    /// their first axis; out of memory; the driver's refusal.
    pub fn combine(self, stream: &Stream) -> Result<Array> {
        let operation = "combine";
        let arrays: Vec<Array> = self.results().collect();
        let Some(first) = arrays.first() else {
            let what = "without pieces there is neither shape nor dtype";
            return Err(Error::Inexpressible { operation, what: what.into() });
        };
        let (dtype, mut shape) = (first.dtype(), first.shape().to_vec());
        if shape.is_empty() {
            return Err(Error::Axis { operation, axis: 0, rank: 0 });
        }
        shape[0] = 0;
        for array in &arrays {
            if array.dtype() != dtype {
                let found = array.dtype();
                return Err(Error::DType { operation, expected: dtype, found });
            }
            if array.shape().get(1..) != Some(&shape[1..]) {
                let (expected, found) = (first.shape().to_vec(), array.shape().to_vec());
                return Err(Error::Shape { operation, expected, found });
            }
            // Without elements extents may be of any size; what cannot be addressed is refused below.
            shape[0] = array.shape()[0].saturating_add(shape[0]);
        }
        let mut whole = Array::empty_for(operation, &shape, dtype, stream)?;
        let mut at = 0;
        for array in arrays {
            let len = array.shape()[0];
            whole.view_mut().sliced(0, at, len)?.copy_from(&array.view(), stream)?;
            at += len;
        }
        Ok(whole)
    }
}

impl<E: OutOfMemory> OutOfMemory for Failed<E> {
    fn shortage(&self) -> Option<Shortage> {
        self.error.shortage()
    }

    fn lost_device(&self) -> Option<&str> {
        self.error.lost_device()
    }
}

impl fmt::Display for RetryStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retried { range, device, tried, worked } => {
                let times = tried.len();
                let how = if *worked { "worked" } else { "did not work" };
                write!(f, "{range:?} again on {device}, which {how} after {times} recoveries")?;
                let mut steps = tried.iter().flat_map(|attempt| &attempt.recovered);
                if f.alternate() {
                    return steps.try_for_each(|step| write!(f, "\n    {step}"));
                }
                write!(f, ": {}", steps.collect::<Total>())
            }
            Self::Split { range, at } => write!(f, "{range:?} in two at {at}"),
            Self::Moved { range, from, to } => write!(f, "{range:?} on {to} instead of {from}"),
        }
    }
}

/// In short one line: the error, why nothing else was tried, and what was, in all. In long (`{:#}`) each step on a line of
/// its own.
impl<E: fmt::Display> fmt::Display for Failed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elements {:?}: {}; {}", self.range, self.error, self.why)?;
        if f.alternate() {
            return self.steps.iter().try_for_each(|step| write!(f, "\n  tried: {step:#}"));
        }
        let (mut attempts, mut splits, mut moves) = (0, 0, 0);
        for step in &self.steps {
            match step {
                RetryStep::Retried { tried, .. } => attempts += tried.len(),
                RetryStep::Split { .. } => splits += 1,
                RetryStep::Moved { .. } => moves += 1,
            }
        }
        let recovered = self.steps.iter().filter_map(|step| match step {
            RetryStep::Retried { tried, .. } => Some(tried),
            _ => None,
        });
        let total: Total = recovered.flatten().flat_map(|attempt| &attempt.recovered).collect();
        if attempts > 0 {
            write!(f, "; {attempts} attempt(s) before: {total}")?;
        }
        if splits + moves > 0 {
            write!(f, "; split {splits} times, moved to another device {moves} times")?;
        }
        Ok(())
    }
}

arrayspan_devices::debug_as_display!(Failed<E>);

impl<E: std::error::Error + 'static> std::error::Error for Failed<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
