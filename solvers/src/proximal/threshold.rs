//! The number by which elements are made less so that what is left of them has a given sum, without sorting them.

use arrayspan_bridge::{Array, DType, Elementwise, Relayout, View};
use arrayspan_kernels::{Executor, Vector, VectorMut, input, widest_real};
use arrayspan_operators::Space;

use super::Scratch;
use super::functional::NUMBER;
use crate::engine::read::reals;
use crate::engine::run::above;
use crate::{Result, bytes};

/// Passes between two looks of the host.
const PASSES: usize = 8;
/// Looks, at most: with each pass the elements that count get fewer.
const LOOKS: usize = 16;

/// What is left of elements: `max(lowered - threshold, 0)`.
#[derive(Debug)]
pub(super) struct Threshold {
    /// The elements less the largest one.
    pub(super) lowered: Array,
    /// In the widest real dtype; at most 0.
    pub(super) threshold: Array,
}

impl Threshold {
    /// With `Σ max(a - largest - threshold, 0) = radius`, of real elements.
    ///
    /// The largest element is taken from all, exactly where it matters, so that the threshold is known as precisely as the radius,
    /// however large elements are. From there it is found by Newton's method, whose steps are from below, and end at the solution
    /// itself once they count the right elements.
    pub(super) fn find(
        on: &dyn Executor,
        scratch: &mut Scratch,
        a: &View<'_>,
        radius: f64,
    ) -> Result<Self> {
        let (wide, dtype) = (widest_real(on.device()), a.dtype());
        let axes: Vec<usize> = (0..a.shape().len()).collect();
        let mut narrow = scratch.take(on, &[], dtype)?;
        let mut lowered = scratch.take(on, a.shape(), dtype)?;
        a.max_into(on, &mut narrow)?;
        lowered.assign_on(on, a - &narrow)?;

        let mut threshold = scratch.number(on, -radius)?;
        let mut before = scratch.number(on, 0.0)?;
        let mut moments = scratch.take(on, &[2], wide)?;
        let counts = above(input(0), input(1));
        for _ in 0..LOOKS {
            for _ in 0..PASSES {
                before.assign_on(on, &threshold)?;
                narrow.assign_on(on, &threshold)?;
                let inputs = [lowered.view(), narrow.view(), lowered.view()];
                on.moments(&counts, &inputs, &axes, moments.view_mut())?;
                let number = moments.view().selected(0, 0)?;
                let sum = moments.view().selected(0, 1)?;
                // Where none is above, the threshold is the largest element but for rounding.
                let [number, sum] = [number, sum].map(Elementwise::from);
                let some = number.clone().div_or_zero(&number);
                let next = (sum - radius * some.clone()).div_or_zero(number);
                threshold.update_on(on, |now| {
                    let kept = (1.0 - some) * now.clone();
                    now.maximum(next + kept)
                })?;
            }
            if on.records() {
                continue;
            }
            let found = [&before, &threshold].map(|number| reals(&number.view()));
            let [before, found] = found;
            let (before, found) = (before?[0], found?[0]);
            if found.total_cmp(&before).is_eq() || found.is_nan() {
                break;
            }
        }
        scratch.give_all([narrow, before, moments]);
        Ok(Self { lowered, threshold })
    }

    pub(super) fn give(self, scratch: &mut Scratch) {
        scratch.give(self.lowered);
        scratch.give(self.threshold);
    }

    /// The bytes of finding it.
    pub(super) fn memory(space: &Space) -> usize {
        bytes::of_real(space).saturating_add(5 * NUMBER)
    }
}

/// How far a sum may be off by rounding alone, relatively.
pub(super) fn slack(space_len: usize, dtype: DType) -> f64 {
    let epsilon = crate::engine::scale::epsilon(dtype);
    4.0 * epsilon * (space_len.max(1) as f64).sqrt()
}
