//! Operators that remember results.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::{Array, DType, Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, Update, input, widest_real};

use crate::{Context, Error, LinearMap, Operator, Result, Space};

/// `A`, with its last results: an argument that is one of the last ones gives the result it gave then; domain and range are
/// those of `A`.
///
/// For operators that take much longer than reading a few vectors, and are applied to the same ones again. Forward and adjoint
/// are remembered apart, up to `entries` results each, of which the one used longest ago gives way. Arguments are the same if
/// all elements are equal: those with NaN or infinity never are. (Elements in double precision that differ by less than the
/// smallest normal number may count as equal on devices that take such numbers for zero, and so may others where there is no
/// double precision.)
///
/// Whether there is a result is decided by the host: each application **waits** for the device, once, for all that was enqueued
/// before it and for the comparison, in which the argument is read once for each entry beside what is remembered. A copy of the
/// argument and one of the result are kept for each entry, where the argument and the result are. Where there is no memory for
/// them nothing is kept, and where there is none for the comparison it is computed. A recording executor is refused: a plan has no choices.
///
/// Threads may share one; none waits for another's application, so that the same argument may be computed by two at once.
///
/// Of an operator that says it is [self-adjoint](crate::Properties) both directions are one, and so are their results.
///
/// Units: those of `A`. Complex: as `A`. Cost: a result that is remembered 2 launches and 1 for each further entry; another one
/// that of `A`, and copies of argument and result.
///
/// Golden: PyLops 2.8.0 `MemoizeOperator`, which keeps forward and adjoint together: after `y = A x`, its adjoint of `y` is `x`.
#[derive(Debug)]
pub struct MemoizeOperator(());

impl MemoizeOperator {
    /// `operator` with up to `entries` results of each direction.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no entries, and for 16-bit floats, which are not compared.
    pub fn new(operator: impl Into<Operator>, entries: usize) -> Result<Operator> {
        let operator = operator.into();
        for space in [operator.domain(), operator.range()] {
            space.computable("MemoizeOperator")?;
        }
        if entries == 0 {
            return Error::parameter("MemoizeOperator", "0 entries remember nothing");
        }
        let stores = [(); 2].map(|()| Mutex::new(VecDeque::new()));
        Ok(Operator::new(Memoized { operator, entries, stores }))
    }
}

/// An argument and its result.
#[derive(Debug)]
struct Entry {
    argument: SharedArray,
    result: SharedArray,
}

#[derive(Debug)]
struct Memoized {
    operator: Operator,
    entries: usize,
    /// Forward and adjoint, the one used last at the end.
    stores: [Mutex<VecDeque<Arc<Entry>>>; 2],
}

impl Memoized {
    /// What is remembered. What a thread left when it panicked is complete: it is changed by whole entries.
    fn store(&self, adjoint: bool) -> MutexGuard<'_, VecDeque<Arc<Entry>>> {
        self.stores[usize::from(adjoint)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(
        &self,
        adjoint: bool,
        mut on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let (from, to) = (x.device(), y.device());
        let here = executor(&on, from)?;
        if here.records() || executor(&on, to)?.records() {
            let why = "it looks at its argument, which a plan cannot";
            return Error::parameter(self.name(), why);
        }
        // Nothing is locked while the device is waited for or asked for memory.
        let known: Vec<Arc<Entry>> = self.store(adjoint).iter().cloned().collect();
        let here_too =
            |entry: &&Arc<Entry>| entry.argument.device() == from && entry.result.device() == to;
        let known: Vec<&Arc<Entry>> = known.iter().filter(here_too).collect();
        let found = match found(here, &x, &known) {
            // There is no memory to compare it.
            Err(error) if error.shortage().is_some() => {
                return self.apply(adjoint, on, x, y, update);
            }
            found => found?,
        };
        if let Some(entry) = found {
            self.used(adjoint, entry);
            return Ok(executor(&on, to)?.copy(entry.result.view(), y, update)?);
        }
        let (argument, mut result) = match (copied(here, &x), empty(executor(&on, to)?, &y)) {
            (Ok(argument), Ok(result)) => (argument, result),
            (Err(error), _) | (_, Err(error)) if error.shortage().is_some() => {
                // There is no memory to remember anything.
                return self.apply(adjoint, on, x, y, update);
            }
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        self.apply(adjoint, on.reborrow(), x, result.view_mut(), Update::set())?;
        let entry = Entry { argument: argument.into_shared(), result: result.into_shared() };
        executor(&on, to)?.copy(entry.result.view(), y, update)?;
        let given_way = {
            let mut store = self.store(adjoint);
            store.push_back(Arc::new(entry));
            if store.len() > self.entries { store.pop_front() } else { None }
        };
        drop(given_way);
        Ok(())
    }

    fn apply(
        &self,
        adjoint: bool,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        if adjoint {
            self.operator.enqueue_adjoint(on, x, y, update)
        } else {
            self.operator.enqueue(on, x, y, update)
        }
    }

    /// Puts an entry last, if it is still there.
    fn used(&self, adjoint: bool, entry: &Arc<Entry>) {
        let mut store = self.store(adjoint);
        if let Some(at) = store.iter().position(|other| Arc::ptr_eq(other, entry))
            && let Some(entry) = store.remove(at)
        {
            store.push_back(entry);
        }
    }
}

/// What computes on a device of the operator.
fn executor<'c>(on: &'c Context<'_>, device: Device) -> Result<&'c dyn Executor> {
    match on.executor_of(device) {
        Some(executor) => Ok(executor),
        None => Error::parameter("MemoizeOperator", format!("nothing computes on {device}")),
    }
}

/// The entry of this argument. Waits for the sums of differences, all of which are read at once.
fn found<'e>(
    on: &dyn Executor,
    x: &View<'_>,
    known: &[&'e Arc<Entry>],
) -> Result<Option<&'e Arc<Entry>>> {
    if known.is_empty() {
        return Ok(None);
    }
    // In double precision the difference of two numbers in single precision is never subnormal.
    let real = widest_real(on.device());
    let mut sums = on.empty(&[known.len()], real)?;
    // Of both parts, so that no square is lost. The sum is zero if all terms are, and NaN if one is.
    let difference = input(0) - input(1);
    let terms = difference.clone().re().abs() + difference.im().abs();
    for (at, entry) in known.iter().enumerate() {
        let sum = sums.view_mut().selected(0, at)?;
        on.sum(&terms, &[x.clone(), entry.argument.view()], sum)?;
    }
    let zero = if real == DType::Float32 {
        sums.view().to_vec::<f32>()?.iter().position(|sum| *sum == 0.0)
    } else {
        sums.view().to_vec::<f64>()?.iter().position(|sum| *sum == 0.0)
    };
    Ok(zero.map(|at| known[at]))
}

fn empty(on: &dyn Executor, like: &ViewMut<'_>) -> Result<Array> {
    Ok(on.empty(like.shape(), like.dtype())?)
}

fn copied(on: &dyn Executor, x: &View<'_>) -> Result<Array> {
    let mut copy = on.empty(x.shape(), x.dtype())?;
    on.copy(x.clone(), copy.view_mut(), Update::set())?;
    Ok(copy)
}

impl LinearMap for Memoized {
    fn name(&self) -> &'static str {
        "MemoizeOperator"
    }

    fn domain(&self) -> &Space {
        self.operator.domain()
    }

    fn range(&self) -> &Space {
        self.operator.range()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.run(false, on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.run(true, on, y, x, update)
    }

    fn inner(&self) -> Option<&dyn LinearMap> {
        Some(&self.operator)
    }

    fn description(&self) -> Option<String> {
        Some(format!("remembers up to {} results of each direction", self.entries))
    }
}
