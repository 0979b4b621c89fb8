//! How often operators are applied.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, LinearMap, Operator, Properties, Result, Space};

/// Counts how often an operator is applied, forward and adjoint, by whatever applies it: solvers, products and stacks it is a
/// part of, [`matmat`](Operator::matmat), which counts once for each right-hand side.
///
/// Only the operator that [`of`](Self::of) gives is counted; others pay nothing. It is opaque: it is not rewritten with what stands
/// beside it, so that each application is one; what is applied once for several terms is counted once, as in `&a + &a`, which is
/// `2 a`. A [`Plan`](arrayspan_kernels::Plan) applies it when it is recorded, not when it is
/// replayed. Clones share their counts, also between threads.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::Counter;
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let slope = FirstDerivative::new(Space::new([3], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let (slope, counter) = Counter::of(slope);
/// adjoint(&slope).after(&slope).build()?.forward(&Array::from_slice(&[1.0, 2.0, 4.0], [3])?)?;
/// assert_eq!((counter.forward(), counter.adjoint()), (1, 1));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Counter {
    /// Forward and adjoint.
    counts: Arc<[AtomicUsize; 2]>,
}

impl Counter {
    /// The same operator, counted, and its counter.
    pub fn of(operator: impl Into<Operator>) -> (Operator, Self) {
        let counter = Self::default();
        let counted = Counted { operator: operator.into(), counter: counter.clone() };
        (Operator::new(counted), counter)
    }

    /// How often it was applied forward, since it was made or [`reset`](Self::reset).
    #[must_use]
    pub fn forward(&self) -> usize {
        self.counts[0].load(Relaxed)
    }

    /// How often its adjoint was applied.
    #[must_use]
    pub fn adjoint(&self) -> usize {
        self.counts[1].load(Relaxed)
    }

    /// Begins to count from zero.
    pub fn reset(&self) {
        self.counts.iter().for_each(|count| count.store(0, Relaxed));
    }

    /// Counts what did not fail.
    fn count(&self, adjoint: bool, applied: Result<()>) -> Result<()> {
        if applied.is_ok() {
            self.counts[usize::from(adjoint)].fetch_add(1, Relaxed);
        }
        applied
    }
}

#[derive(Debug)]
struct Counted {
    operator: Operator,
    counter: Counter,
}

impl LinearMap for Counted {
    fn name(&self) -> &str {
        self.operator.name()
    }

    fn domain(&self) -> &Space {
        self.operator.domain()
    }

    fn range(&self) -> &Space {
        self.operator.range()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.counter.count(false, self.operator.enqueue(on, x, y, update))
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.counter.count(true, self.operator.enqueue_adjoint(on, y, x, update))
    }

    fn inner(&self) -> Option<&dyn LinearMap> {
        Some(&self.operator)
    }

    fn description(&self) -> Option<String> {
        Some("counted".to_owned())
    }

    fn properties(&self) -> Properties {
        // Of one that is its own adjoint the other direction would be counted.
        let properties = self.operator.properties();
        Properties { self_adjoint: false, positive: false, ..properties }
    }
}
