//! Index maps carried out by verbs.

use arrayspan_bridge::{DType, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Factor, Reduction, Update, constant, input};
use num_complex::Complex64;

use super::turned::Turned;
use super::{BoxSource, IndexBox, IndexMap};
use crate::{Context, Error, Result, Space, elementwise, scratch_bytes};

const NAME: &str = "IndexMap";

impl IndexMap {
    /// `y ← alpha · x[m] + beta · y`. Enqueued; does not wait.
    ///
    /// Cost: 1 launch; each element that is read is read once, and each of `y` written, and read where `beta` is not 0. Where the
    /// last axis is read across, or some axis has more than 8 pieces, 1 launch for each box, but none for zeros where `beta` is 1.
    ///
    /// # Errors
    /// [`Error::Shape`] when an array does not fit; as the verbs `copy` and `map`.
    #[allow(clippy::needless_pass_by_value, reason = "views are given as to a `LinearMap`")]
    pub fn enqueue(
        &self,
        on: &dyn Executor,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.fits(x.shape(), y.shape())?;
        let mut y = y;
        if let Some(reads) = self.mapped(update, y.dtype()) {
            return Ok(on.copy_mapped(&[reads.of_input(x)?], y, update)?);
        }
        self.boxes().try_for_each(|found| found.set(on, &x, y.reborrow(), update))
    }

    /// `x ← alpha · mᵀ y + beta · x`: each `x[i]` gets the sum of all `y[o]` that read it. Enqueued; does not wait.
    ///
    /// Boxes that read the same elements are added one after the other, and what one box repeats is summed by the verb
    /// `reduce`. The order of sums depends on the map alone.
    ///
    /// Cost: for each box that is not zero 1 launch, 2 values moved per element of `y`, and 1 more where it is added to what is
    /// there. Besides,
    ///
    /// * nothing, if some box reads all of `x` (a permutation, a flip, a padding, a repetition, the mirror image in
    ///   `symmetrize`): it is the first;
    /// * 2 to 4 boxes that read step by step, as many as there are, are 1 launch that adds what they read of `y`;
    /// * where no element is read twice, it is the [`adjoint`](Self::adjoint) that is carried out, if that has at most
    ///   2·rank + 1 times as many boxes (a slice with a step of 1);
    /// * else (a slice with another step) all of `x` is scaled first: 1 launch, 1 value written per element, and 1 read where
    ///   `beta` is not 0. Nothing where it is 1;
    /// * a box that repeats elements and is added takes 1 launch more, and writes and reads its sums once more, by way of
    ///   [`workspace`](Self::workspace).
    ///
    /// # Errors
    /// [`Error::Shape`] when an array does not fit, [`Error::Parameter`] when the workspace is too small; as the verbs `copy`,
    /// `map` and `reduce`.
    pub fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.fits(x.shape(), y.shape())?;
        let (mut on, mut x) = (on, x);
        let Some(reads) = &self.inner.reads else { return elementwise::scale(&*on, x, update) };
        let Turned { covering, inverse, .. } = self.turned();
        let (mut update, mut first, dtype) = (update, covering.as_ref(), x.dtype());
        if let Some(adjoint) = inverse.as_ref().filter(|map| map.mapped(update, dtype).is_some()) {
            return adjoint.enqueue(&*on, y, x, update);
        }
        if let Some(parts) = self.mapped_adjoint(update, dtype) {
            let reads = parts.iter().filter_map(|part| part.inner.reads.as_ref());
            let sources = reads.map(|reads| reads.of_input(y.clone()));
            return Ok(on.copy_mapped(&sources.collect::<Result<Vec<_>>>()?, x, update)?);
        }
        let mut sets = false;
        if let Some(found) = first {
            found.add(on.reborrow(), &y, x.reborrow(), update)?;
        } else if update.beta != Factor::ONE {
            if let Some(adjoint) = inverse {
                return adjoint.enqueue(&*on, y, x, update);
            }
            elementwise::scale(&*on, x.reborrow(), update)?;
            // Elements that are zero now are set instead of added to, where no two boxes write to the same.
            sets = !update.reads() && reads.is_apart();
        }
        if !sets {
            update = update.then_add();
        }
        for found in self.boxes().filter(|found| found.source.is_some()) {
            if first == Some(&found) {
                first = None;
                continue;
            }
            found.add(on.reborrow(), &y, x.reborrow(), update)?;
        }
        Ok(())
    }

    /// The bytes that [`enqueue_adjoint`](Self::enqueue_adjoint) takes from [`Context::scratch`]: for the sums of the largest
    /// box that repeats elements.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when these cannot be addressed.
    pub fn workspace(&self, dtype: DType) -> Result<usize> {
        let mut most = 0;
        for found in self.boxes() {
            let Some(source) = found.source.as_ref() else { continue };
            if source.repeats(&found.extent) {
                let sums = Space::of(NAME, source.shape(&found.extent), dtype)?;
                most = most.max(scratch_bytes(&sums));
            }
        }
        Ok(most)
    }

    fn fits(&self, x: &[usize], y: &[usize]) -> Result<()> {
        for (argument, expected, found) in [("model", self.domain(), x), ("data", self.range(), y)]
        {
            if expected != found {
                let (expected, found) = (expected.to_vec(), found.to_vec());
                return Err(Error::Shape { operator: NAME.into(), argument, expected, found });
            }
        }
        Ok(())
    }
}

impl IndexBox {
    /// `y ← alpha · x[m] + beta · y` for the elements of this box.
    fn set(&self, on: &dyn Executor, x: &View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        let inside = self.of_output(y)?;
        let Some(source) = &self.source else { return elementwise::scale(on, inside, update) };
        let read = source.of_input(x.clone(), &self.extent)?;
        // Repeated axes become axes of one index, which a view can repeat.
        let along = source.along.iter().zip(&self.extent);
        let ones: Vec<usize> = along.map(|(along, &extent)| along.map_or(1, |_| extent)).collect();
        Ok(on.copy(read.reshaped(&ones)?.broadcast(&self.extent)?, inside, update)?)
    }

    /// This box of an output.
    pub(super) fn of_output<V: Relayout>(&self, y: V) -> Result<V> {
        let bounds = self.start.iter().zip(&self.extent).enumerate();
        let sliced = |y: V, (axis, (&start, &len))| y.sliced(axis, start, len);
        Ok(bounds.into_iter().try_fold(y, sliced)?)
    }

    /// `x ← alpha · boxᵀ y + beta · x` for the elements of `x` that this box reads.
    fn add(&self, on: Context<'_>, y: &View<'_>, x: ViewMut<'_>, update: Update) -> Result<()> {
        let Some(source) = &self.source else { return Ok(()) };
        let target = source.of_input(x, &self.extent)?;
        let y = self.of_output(y.clone())?;
        if !source.repeats(&self.extent) {
            return Ok(on.copy(y.reshaped(target.shape())?, target, update)?);
        }
        let repeated = source.along.iter().enumerate().filter(|(_, along)| along.is_none());
        let repeated: Vec<usize> = repeated.map(|(axis, _)| axis).collect();
        // A sum takes no number of another dtype than its elements'.
        if let Some([alpha, _]) = update.known().filter(|_| !update.reads()) {
            let scaled =
                if alpha == Complex64::ONE { input(0) } else { constant(alpha) * input(0) };
            return Ok(on.reduce(Reduction::Sum, &scaled, &[y], &repeated, target)?);
        }
        let space = Space::of(NAME, target.shape(), target.dtype())?;
        let (mut sums, on) = on.scratch(&space)?;
        on.reduce(Reduction::Sum, &input(0), &[y], &repeated, sums.reborrow())?;
        Ok(on.copy(sums.view(), target, update)?)
    }
}

impl BoxSource {
    /// The elements that a box of this extent reads, each once: the axes that it does not repeat.
    pub(super) fn of_input<V: Relayout>(&self, x: V, extent: &[usize]) -> Result<V> {
        let mut lines = vec![(1, 1); self.first.len()];
        let mut order = Vec::with_capacity(self.first.len());
        for (along, &len) in self.along.iter().zip(extent) {
            if let Some((axis, step)) = *along {
                lines[axis] = (len, step);
                order.push(axis);
            }
        }
        let mut x = x;
        for (axis, ((len, step), &first)) in lines.iter().zip(&self.first).enumerate() {
            let apart = step.unsigned_abs();
            let reach = (len - 1) * apart;
            let low = if *step < 0 { first - reach } else { first };
            x = x.sliced(axis, low, reach + 1)?;
            if *step < 0 {
                x = x.reversed(axis)?;
            }
            if apart > 1 {
                x = x.stepped(axis, apart)?;
            }
        }
        let shape = self.shape(extent);
        let held = (0..lines.len()).filter(|axis| !order.contains(axis));
        let order: Vec<usize> = order.iter().copied().chain(held).collect();
        Ok(x.permuted(&order)?.reshaped(&shape)?)
    }

    /// The extents of the axes that a box of this extent does not repeat.
    pub(super) fn shape(&self, extent: &[usize]) -> Vec<usize> {
        let along = self.along.iter().zip(extent);
        along.filter(|(along, _)| along.is_some()).map(|(_, &extent)| extent).collect()
    }

    /// Whether a box of this extent reads elements several times.
    pub(super) fn repeats(&self, extent: &[usize]) -> bool {
        self.along.iter().zip(extent).any(|(along, &extent)| along.is_none() && extent > 1)
    }

    /// Whether a box of this extent reads every element of an input of this shape.
    pub(super) fn covers(&self, domain: &[usize], extent: &[usize]) -> bool {
        let mut read = vec![1; domain.len()];
        for (along, &len) in self.along.iter().zip(extent) {
            if let Some((axis, _)) = *along {
                read[axis] = len;
            }
        }
        // No index is read twice along an axis.
        read == domain
    }
}
