//! What one run has recorded is left to the next one like it in the same workspace.

use arrayspan_bridge::Array;
use arrayspan_operators::{LinearMap as _, Operator};

use super::recorded::{Alike, Kept, Place, Replay};
use super::run::{Method, Run};

/// Of how many runs: whoever has two operators, or two weights of damping, solves by turns.
const KEPT: usize = 2;

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
            model: (self.x.memory().bytes(), self.x.layout().clone()),
        })
    }

    fn places(&mut self) -> Vec<Place> {
        let mut places = Vec::new();
        self.w.show(M::arrays, &mut |array: &mut Array| {
            places.push((array.memory().address(), array.memory().bytes(), array.layout().clone()));
        });
        places
    }

    /// The iterations of a run before, if there was one like this, and they are no more than these; they are for no other one any more.
    pub(super) fn take_kept(&mut self, iterations: usize) -> Option<Replay> {
        let alike = if self.w.kept.is_empty() { None } else { self.alike() }?;
        let fits = |kept: &Kept| kept.count <= iterations && kept.alike == alike;
        let at = self.w.kept.iter().position(fits)?;
        let Kept { count, mut graph, model, .. } = self.w.kept.remove(at);
        if !self.method.replays(count) || !self.on.has_graphs() || !graph.is_on(self.on.stream()) {
            return None;
        }
        let whole = graph.take(model, &self.x.view()).is_ok() && graph.is_whole();
        whole.then(|| Replay::Recorded(count, graph, Some(Box::new(alike))))
    }

    /// Leaves the iterations that it has recorded to the next run. Data and model are the caller's then.
    pub(crate) fn keep(&mut self) {
        let own = match std::mem::take(&mut self.replay) {
            Replay::Recorded(count, mut graph, Some(alike)) => {
                // Vectors may have changed places an odd number of times.
                let here = self.places() == alike.places;
                // No iteration reads the data: where they are in it, they are the operator's as well, and the next ones are not.
                let free = here && !graph.uses(&self.y) && graph.release(&self.x.view());
                let model = self.x.memory().address();
                free.then_some(Kept { alike: *alike, count, graph, model })
            }
            _ => None,
        };
        // Nor does anything stay of runs before one that had no use for it.
        let others = if own.is_some() { KEPT - 1 } else { 0 };
        let old = self.w.kept.len().saturating_sub(others);
        self.w.kept.drain(..old);
        self.w.kept.extend(own);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use arrayspan_bridge::devices::{Device, DeviceKind};
    use arrayspan_bridge::{Array, DType};
    use arrayspan_operators::{Edge, FirstDerivative, Operator, Scheme, Space};

    use crate::{Cgls, Solver, Stop};

    /// A run like the one before takes up what that has recorded, and records more; one of something else records anew.
    #[test]
    fn recorded_iterations_are_taken_up() {
        let cuda = Device::all().into_iter().filter(|of| of.kind() == DeviceKind::Cuda);
        let mut tried = false;
        for device in cuda {
            tried = true;
            let space = Space::new([257], DType::Float64).unwrap();
            let a: Operator =
                FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced).unwrap();
            let y: Vec<f64> = (0..257).map(|k| f64::from(k * 37 % 11) - 5.0).collect();
            let y = Array::from(y).into_device(device).unwrap().0;
            let on = arrayspan_kernels::on(device).unwrap();
            let solver = |damping| Cgls { damping, stop: Stop::after(40), ..Cgls::default() };
            let mut workspace = solver(0.0).workspace(&a, &*on).unwrap();
            let mut run = |damping: f64| {
                let solver = solver(damping);
                solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
                workspace.kept.iter().map(|kept| kept.count).collect::<Vec<_>>()
            };
            // Each solution is gone before the next one is made, which lies where it lay.
            assert_eq!(run(0.0), [4]);
            assert_eq!(run(0.0), [10]);
            assert_eq!(run(0.0), [10]);
            assert_eq!(run(0.5), [10, 4]);
            assert_eq!(run(0.0), [4, 10]);
            workspace.forget_last_run();
            assert!(workspace.kept.is_empty());
            // Solutions that stay, so that each lies elsewhere.
            let mut all = Vec::new();
            for (number, count) in [4, 10, 10, 10, 10].into_iter().enumerate() {
                let solver = solver(0.0);
                let found =
                    solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
                let expected = solver.solve(&a, &y).unwrap();
                let [x, y] = [&found.x, &expected.x].map(|x| x.to_vec::<f64>().unwrap());
                assert_eq!((x, found.residuals), (y, expected.residuals), "run {number}");
                let counts: Vec<_> = workspace.kept.iter().map(|kept| kept.count).collect();
                assert_eq!(counts, [count], "run {number}");
                all.push(found.x);
            }
        }
        if !tried {
            // A closed stderr is no reason to fail.
            let _ = writeln!(std::io::stderr(), "skipped: no CUDA device");
        }
    }
}
