//! Opaque operators on slices of arrays.

use std::sync::Arc;

use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, LinearMap, Result, Space};

/// An opaque operator for each index of axes before and behind its own, one after the other.
#[derive(Debug)]
pub(super) struct Slices {
    map: Arc<dyn LinearMap>,
    /// Axes before and behind.
    others: [usize; 2],
    domain: Space,
    range: Space,
}

impl Slices {
    pub(super) fn new(
        map: Arc<dyn LinearMap>,
        others: [usize; 2],
        (domain, range): (Space, Space),
    ) -> Self {
        Self { map, others, domain, range }
    }

    /// The other axes first.
    fn ordered<V: Relayout>(&self, array: V) -> Result<V> {
        let [before, behind] = self.others;
        let rank = array.layout().rank();
        let order = (0..before).chain(rank - behind..rank).chain(before..rank - behind);
        Ok(array.permuted(&order.collect::<Vec<_>>())?)
    }
}

/// What `apply` does for each index of the first `axes` axes.
fn each(
    on: &mut Context<'_>,
    axes: usize,
    x: View<'_>,
    y: ViewMut<'_>,
    apply: &dyn Fn(Context<'_>, View<'_>, ViewMut<'_>) -> Result<()>,
) -> Result<()> {
    if axes == 0 {
        return apply(on.reborrow(), x, y);
    }
    let mut rest = y;
    for index in 0..x.shape()[0] {
        let (slice, after) = rest.split_at(0, 1)?;
        each(on, axes - 1, x.clone().selected(0, index)?, slice.selected(0, 0)?, apply)?;
        rest = after;
    }
    Ok(())
}

impl LinearMap for Slices {
    fn name(&self) -> &str {
        self.map.name()
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(
        &self,
        mut on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let (x, y, axes) = (self.ordered(x)?, self.ordered(y)?, self.others.iter().sum());
        each(&mut on, axes, x, y, &|on, x, y| self.map.enqueue(on, x, y, update))
    }

    fn enqueue_adjoint(
        &self,
        mut on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let (y, x, axes) = (self.ordered(y)?, self.ordered(x)?, self.others.iter().sum());
        each(&mut on, axes, y, x, &|on, y, x| self.map.enqueue_adjoint(on, y, x, update))
    }

    fn inner(&self) -> Option<&dyn LinearMap> {
        Some(&*self.map)
    }

    fn only_enqueues(&self) -> bool {
        self.map.only_enqueues()
    }

    fn description(&self) -> Option<String> {
        let inner = self.map.description().map_or(String::new(), |inner| format!("{inner}, "));
        Some(format!("{inner}one array after the other"))
    }
}
