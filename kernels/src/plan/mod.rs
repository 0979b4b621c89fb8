//! Calls that are kept and run over and over.

mod arrays;
mod epilogue;
mod exchange;
mod fuse;
mod join;
pub(crate) mod keep;
mod moved;
mod norm;
mod overlap;
mod parts;
mod record;
mod together;

use std::sync::Arc;

use arrayspan_bridge::Array;
use smallvec::SmallVec;

pub use arrays::Arrays;
pub(crate) use moved::{Moved, Operands};
use record::{Record, Recorded};
use together::Together;

use crate::needed::{Block, Needed};
use crate::verb::Call;
use crate::{Cost, Executor, Result};

/// Calls that were recorded once, to be run over and over on the same arrays, without being made and checked again.
///
/// Whoever keeps calls keeps the arrays: a plan holds those that its calls write, or read although others could write
/// them, as any [`Arrays`] `A`; by value, or as `&mut` for its own life. So nobody else reads or writes them while calls
/// run, and no second plan does. What a [`SharedArray`](arrayspan_bridge::SharedArray) lends and calls only read (the
/// weights of an operator) need not be kept: as long as the plan lives, nobody can write it.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Plan, constant, input, on};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (x, y) = (Array::from_slice(&[1.0, 2.0], [2])?, Array::from_slice(&[0.0; 2], [2])?);
/// let executor = on(Device::cpu())?;
/// let mut plan = Plan::record::<Box<dyn std::error::Error>>(executor, [x, y], |on, [x, y]| {
///     on.map(&(constant(3.0) * input(0)), &[x.view()], y.view_mut())?;
///     on.map(&(constant(1.0) + input(0)), &[y.view()], x.view_mut())?;
///     Ok(())
/// })?;
/// plan.replay()?;
/// plan.replay()?;
/// let [x, y] = plan.into_arrays();
/// assert_eq!(x.view().as_slice::<f64>()?, [13.0, 22.0]);
/// assert_eq!(y.view().as_slice::<f64>()?, [12.0, 21.0]);
/// # Ok(()) }
/// ```
///
/// Nothing is written before a replay, nor by anyone else: the executor that records stays in the closure,
///
/// ```compile_fail,E0521
/// # use arrayspan_kernels::{Error, Executor, Plan, bridge::Array};
/// # fn f(on: std::sync::Arc<dyn Executor>, x: Array) {
/// let mut kept: Option<&dyn Executor> = None;
/// Plan::record::<Error>(on, x, |on, _| {
///     kept = Some(on);
///     Ok(())
/// });
/// # }
/// ```
///
/// an array belongs to one plan at a time,
///
/// ```compile_fail,E0499
/// # use arrayspan_kernels::{Error, Executor, Plan, Result, bridge::Array};
/// # use std::sync::Arc;
/// # fn f(on: Arc<dyn Executor>, mut x: Array) -> Result<()> {
/// let mut one = Plan::record::<Error>(on.clone(), &mut x, |_, _| Ok(()))?;
/// let mut two = Plan::record::<Error>(on, &mut x, |_, _| Ok(()))?;
/// one.replay()?;
/// two.replay()
/// # }
/// ```
///
/// and who looks at it keeps the plan from running.
///
/// ```compile_fail,E0502
/// # use arrayspan_kernels::{Plan, bridge::Array};
/// # fn f(mut plan: Plan<Array>) {
/// let view = plan.arrays().view();
/// plan.replay();
/// drop(view);
/// # }
/// ```
#[derive(Debug)]
pub struct Plan<A> {
    executors: Vec<Arc<dyn Executor>>,
    /// Each with the number of its executor.
    calls: Vec<(usize, Call<'static>)>,
    needed: Vec<Needed>,
    /// What was taken for good, after which there are no calls.
    ended: Option<Needed>,
    together: Together,
    arrays: A,
}

impl<A: Arrays> Plan<A> {
    /// Keeps the calls that `record` makes of the executor it is given, in their order, instead of running them. They
    /// run on `on`, whose stream the recording executor has, too.
    ///
    /// A plan may go over several devices: what is asked of the executor that [`beside`](Executor::beside) gives runs on
    /// that other one, and [`transfer`](trait.Executor.html#method.transfer) moves arrays between them. Operators that
    /// compute on several devices ask for both themselves. At each replay the devices wait for each other as they do when
    /// calls run directly: what reads an array, for what writes it.
    ///
    /// What `record` does besides (allocates, reads elements on the host) happens once, while it is recorded, and finds
    /// arrays as they were. It may record from several threads; which then determine the order of their calls.
    ///
    /// # Errors
    /// Those of `record`, among them [`Error::NotKept`](crate::Error::NotKept) for a call that writes, or reads although
    /// others could write it, an array that is none of `arrays`. Arrays that were given by value are gone then.
    pub fn record<E>(
        on: Arc<dyn Executor>,
        mut arrays: A,
        record: impl FnOnce(&dyn Executor, &mut A) -> Result<(), E>,
    ) -> Result<Self, E> {
        let recorder = Record::new(on, &shown(&mut arrays));
        record(&recorder, &mut arrays)?;
        let (executors, Recorded { calls, needed }) = recorder.into_recorded();
        Ok(Self { executors, calls, needed, ended: None, together: Together::Unknown, arrays })
    }

    /// Runs the calls again, in the order they were recorded in, each on its executor; in one launch where the device has
    /// graphs of kernels (CUDA) and all calls are kernels of it. Enqueued; waits only where a transfer to or from the host must.
    ///
    /// # Errors
    /// [`Error::NotKept`](crate::Error::NotKept) when one of the arrays has been taken out, by [`take`](Self::take) or
    /// through [`arrays_mut`](Self::arrays_mut); nothing has run then. The device's failure; what the arrays hold is unspecified then.
    pub fn replay(&mut self) -> Result<()> {
        let arrays = shown(&mut self.arrays);
        let missing = Needed::missing_of(&self.needed, &arrays, &[]).map(|at| &self.needed[at]);
        if let Some(need) = self.ended.as_ref().or(missing) {
            return Err(need.missing());
        }
        if let Some(graph) = self.together.graph(&self.executors, &mut self.calls) {
            return graph.replay_on(&arrays, &[]);
        }
        for (number, call) in &mut self.calls {
            self.executors[*number].execute(call)?;
        }
        // Borrowed to here: what runs on after this call does so in the order of streams, which everyone who uses the
        // memory next is put into.
        drop(arrays);
        Ok(())
    }

    /// The same plan in fewer passes over memory. Elementwise calls over arrays of one shape and dtype without gaps become one, and
    /// sums of products of their arrays (dots, norms, norms of differences) are added up on the way, as are norms of what stencils write, where no call
    /// between them stands in the way; single numbers that are computed of such sums are computed by the same kernel, where a GPU joins the
    /// sums in one; what is overwritten before anyone reads it is not computed. What each array holds after a replay is what it held without, up to
    /// rounding: a product and a sum that follow each other in one kernel may be contracted into a fused multiply-add, which rounds once. Sections
    /// ([`Executor::begin_section`]) are ignored.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Error, Plan, Vector, VectorMut, on};
    ///
    /// let arrays = [2.0, 1.0, 0.0].map(|value| Array::full([100], value, Device::cpu()));
    /// let [x, p, r] = arrays;
    /// let norm = Array::full([], 0.0, Device::cpu())?;
    /// let plan = Plan::record::<Error>(on(Device::cpu())?, (x?, p?, r?, norm), |on, (x, p, r, norm)| {
    ///     x.add_scaled_on(on, 0.5, &*p)?;
    ///     r.update_on(on, |r| r - 0.5 * &*p)?;
    ///     r.norm_squared_into(on, norm)
    /// })?;
    /// let (calls, bytes) = (plan.steps().len(), plan.cost().bytes());
    /// let mut plan = plan.fused();
    /// assert_eq!((calls, plan.steps().len()), (3, 1));
    /// // The direction is read once, and the residual is at hand when it is squared.
    /// assert_eq!(bytes - plan.cost().bytes(), 2 * 100 * 8);
    /// plan.replay()?;
    /// let (x, .., norm) = plan.into_arrays();
    /// assert_eq!((x.to_vec::<f64>()?[0], norm.item::<f64>()?), (2.5, 25.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn fused(mut self) -> Self {
        self.calls = fuse::fused(std::mem::take(&mut self.calls));
        self.together = Together::Unknown;
        let mut left = Vec::new();
        for (_, call) in &self.calls {
            call.verb()
                .for_each_operand(&mut |_, _, operand| left.push(Block::of(operand.memory())));
        }
        self.needed.retain(|need| left.contains(&need.block));
        self
    }

    /// The arrays, between replays.
    #[must_use]
    pub fn arrays(&self) -> &A {
        &self.arrays
    }

    /// The arrays, to be written between replays. The plan cannot be replayed after one was exchanged for another.
    ///
    /// An array that is taken out of here may come back, so the calls keep handles of its memory: until then, or until the plan
    /// is dropped or [ends](Self::into_arrays), the memory is not given back, nor handed to another library without a copy, and
    /// a [`SharedArray`](arrayspan_bridge::SharedArray) of it cannot become an array again. What does not come back is
    /// [taken](Self::take).
    #[must_use]
    pub fn arrays_mut(&mut self) -> &mut A {
        &mut self.arrays
    }

    /// What `take` takes out of the arrays, for good: nothing of the plan holds its memory any more. If the calls need it, they are
    /// dropped, and the plan keeps the other arrays and cannot be replayed again; if all arrays that they need are still there,
    /// nothing changes.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Error, Plan, constant, input, on};
    ///
    /// let [x, y] = [1.0, 0.0].map(|value| Array::full([2], value, Device::cpu()));
    /// let arrays = (x?, Some(y?));
    /// let mut plan = Plan::record::<Error>(on(Device::cpu())?, arrays, |on, (x, y)| {
    ///     let Some(y) = y else { return Ok(()) };
    ///     on.map(&(constant(3.0) * input(0)), &[x.view()], y.view_mut())
    /// })?;
    /// plan.replay()?;
    /// let y = plan.take(|(_, y)| y.take()).map(Array::into_shared);
    /// assert!(y.is_some_and(|y| y.try_into_array().is_ok())); // nobody else has it
    /// assert!(matches!(plan.replay(), Err(Error::NotKept { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take<T>(&mut self, take: impl FnOnce(&mut A) -> T) -> T {
        let taken = take(&mut self.arrays);
        if let Some(at) = Needed::missing_of(&self.needed, &shown(&mut self.arrays), &[]) {
            self.ended = Some(self.needed.swap_remove(at));
            self.needed.clear();
            self.calls.clear();
            self.together = Together::Unknown;
        }
        taken
    }

    /// The arrays, without the plan.
    #[must_use]
    pub fn into_arrays(self) -> A {
        self.arrays
    }

    /// The verbs of one replay, in order, and what each costs.
    #[must_use]
    pub fn steps(&self) -> Vec<(&'static str, Cost)> {
        self.calls.iter().map(|(_, call)| (call.name(), call.cost())).collect()
    }

    /// What one replay costs.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.calls.iter().fold(Cost::default(), |mut sum, (_, call)| {
            sum += call.cost();
            sum
        })
    }
}

/// All arrays, exclusively borrowed.
pub(crate) fn shown<A: Arrays + ?Sized>(arrays: &mut A) -> SmallVec<[&mut Array; 8]> {
    let mut all = SmallVec::new();
    arrays.show(&mut |array| all.push(array));
    all
}
