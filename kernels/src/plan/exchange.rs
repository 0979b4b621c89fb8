//! Another array in the place of one that a plan keeps.

use std::mem::swap;

use arrayspan_bridge::{Array, Operand};

use super::together::Together;
use super::{Arrays, Moved, Plan};
use crate::needed::Block;
use crate::verb::{Call, check};
use crate::{Error, Result};

const NAME: &str = "exchange";

impl<A: Arrays> Plan<A> {
    /// Exchanges one of the arrays, the one that `which` finds, for another of the same shape, strides, dtype and device: the calls run
    /// on it from the next replay on, nothing is recorded again or copied, and `with` is the array that was there.
    ///
    /// Where calls are launched at once (CUDA), the next replay puts them together anew.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Error, Plan, constant, input, on};
    ///
    /// let arrays = [1.0, 0.0].map(|value| Array::full([2], value, Device::cpu()));
    /// let [x, y] = arrays;
    /// let mut plan = Plan::record::<Error>(on(Device::cpu())?, [x?, y?], |on, [x, y]| {
    ///     on.map(&(constant(3.0) * input(0)), &[x.view()], y.view_mut())
    /// })?;
    /// for frame in [5.0, 7.0] {
    ///     let mut frame = Array::full([2], frame, Device::cpu())?;
    ///     plan.exchange(|[x, _]| x, &mut frame)?;
    ///     plan.replay()?;
    /// }
    /// assert_eq!(plan.arrays()[1].to_vec::<f64>()?, [21.0; 2]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When the arrays differ in shape, strides, dtype or device; or the new one lies in memory of another library with gaps between
    /// its elements, or in less memory than calls take of the old one, or is one that calls take in another place. Nothing has changed then.
    pub fn exchange(
        &mut self,
        which: impl FnOnce(&mut A) -> &mut Array,
        with: &mut Array,
    ) -> Result<()> {
        let old = which(&mut self.arrays);
        check::shape(NAME, "the new array", old.shape(), with.shape())?;
        check::dtype(NAME, "the new array", old.dtype(), with.dtype())?;
        if old.device() != with.device() {
            let (argument, verb) = ("the new array".into(), NAME);
            let (expected, found) = (old.device(), with.device());
            return Err(Error::WrongDevice { verb, argument, expected, found });
        }
        if old.layout() != with.layout() {
            let [expected, found] = [&*old, &*with].map(|array| {
                let layout = array.layout();
                format!("begins at {} and has strides {:?}", layout.offset(), layout.strides())
            });
            let why = format!("the new array {found} in its memory, the old one {expected}");
            return check::argument(NAME, why);
        }
        let (from, into) = (Block::of(old.memory()), Block::of(with.memory()));
        // One that was taken out of `arrays` before would stand for both.
        if self.calls.iter().any(|(_, call)| taken(call, into).is_some()) {
            let why = "calls take the new array in the place of another one of the plan's already";
            return check::argument(NAME, why);
        }
        let bytes = with.bytes().map_err(|error| Error::from(error).in_operation(NAME))?.shape()[0];
        let end = self.calls.iter().filter_map(|(_, call)| taken(call, from)).max().unwrap_or(0);
        if end > bytes {
            let why = format!(
                "calls take {end} bytes of the old array's memory, the new array has {bytes}"
            );
            return check::argument(NAME, why);
        }
        let handle = Operand::from(with.view()).handle();
        swap(old, with);
        // SAFETY: the device is the same, and so are the dtype and the places of all elements that calls take, which lie within the
        // block that is the new array's own. Calls are executed by `replay` alone, which finds that array among those that it has
        // borrowed exclusively: `needed` is told below where to look.
        let moved = unsafe { Moved::new(from, handle) };
        for (_, call) in &mut self.calls {
            call.operands().move_operands(&moved);
        }
        debug_assert!(
            self.calls.iter().all(|(_, call)| taken(call, from).is_none()),
            "an operand stayed"
        );
        for need in self.needed.iter_mut().filter(|need| need.block == from) {
            need.block = into;
        }
        self.together = Together::Unknown;
        Ok(())
    }
}

/// Where the last bytes end that a call takes of a block; `None` if it takes none.
fn taken(call: &Call<'_>, block: Block) -> Option<usize> {
    let mut taken = None;
    call.verb().for_each_operand(&mut |_, _, operand| {
        if Block::of(operand.memory()) == block {
            let extent = operand.layout().extent();
            let end = extent.map_or(0, |(_, last)| (last + 1) * operand.dtype().bytes());
            taken = taken.max(Some(end));
        }
    });
    taken
}
