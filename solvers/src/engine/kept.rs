//! What one run has recorded is left to the next one like it in the same workspace.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::Arrays as _;
use arrayspan_operators::{LinearMap as _, Operator};

use super::recorded::{Alike, Kept, Place, Replay};
use super::replay::Shown;
use super::run::{Method, Run};

impl<M: Method> Run<'_, M> {
    /// What iterations that were recorded now would depend on; `None` if on something that nobody can compare.
    pub(super) fn alike(&mut self) -> Option<Alike> {
        let numbers = self.method.recorded_for(&self.w.vectors)?;
        let damping = std::iter::once(self.damping.to_bits());
        let other = |inner: Option<&Operator>| match inner {
            None => Some(None),
            Some(inner) => inner.key().map(Some),
        };
        let others = [self.method.preconditioner(), self.method.beside()].map(other);
        let [Some(preconditioner), Some(beside)] = others else { return None };
        Some(Alike {
            method: M::NAME,
            operator: self.a.key()?,
            others: [preconditioner, beside],
            scale: [self.scale.data, self.scale.operator],
            numbers: damping.chain(numbers).collect(),
            started: self.started,
            places: self.places(),
        })
    }

    fn places(&mut self) -> Vec<Place> {
        let place = |view: &View<'_>| {
            (view.memory().address(), view.memory().bytes(), view.layout().clone())
        };
        let mut places = vec![place(&self.y)];
        Shown(self).show(&mut |array: &mut Array| places.push(place(&array.view())));
        places
    }

    /// The iterations of a run before, if it was like this one; they are for no other one any more.
    pub(super) fn take_kept(&mut self) -> Option<Replay> {
        let kept = self.w.kept.take().filter(|kept| self.method.replays(kept.count))?;
        let alike = self.alike().filter(|alike| *alike == kept.alike)?;
        let Kept { count, mut graph, .. } = kept;
        if !self.on.has_graphs() || !graph.is_on(self.on.stream()) {
            return None;
        }
        graph.take(&self.x.view());
        graph.take(&self.y);
        graph.is_whole().then(|| Replay::Recorded(count, graph, Some(Box::new(alike))))
    }

    /// Leaves the iterations that it has recorded to the next run. Data and model are the caller's then.
    pub(crate) fn keep(&mut self) {
        let Replay::Recorded(count, mut graph, Some(alike)) = std::mem::take(&mut self.replay)
        else {
            // Nor does anything stay of a run before, for which this one had no use.
            self.w.kept = None;
            return;
        };
        // Vectors may have changed places an odd number of times.
        let here = self.places() == alike.places;
        if here && graph.release(&self.x.view()) && graph.release(&self.y) {
            self.w.kept = Some(Kept { alike: *alike, count, graph });
        }
    }
}
