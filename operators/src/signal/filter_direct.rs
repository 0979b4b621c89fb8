//! Convolutions by sums of products.

use std::sync::Arc;

use arrayspan_bridge::iteration::Each;
use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::verb::{Mapped, Span};
use arrayspan_kernels::{Band, Stencil, StencilTerm, Update};
use num_complex::Complex64;

use super::filter::Filter;
use crate::laws::values;
use crate::number::ZERO;
use crate::{Context, LinearMap, Result, Space, scratch_bytes};

/// A filter as bands along its longest axis, one for each place along the others: of what lies there in a copy between zeros.
#[derive(Debug)]
pub(super) struct Direct {
    name: &'static str,
    space: Space,
    filter: Filter,
    forward: Bands,
    adjoint: Bands,
}

/// One direction.
#[derive(Debug)]
struct Bands {
    /// Of the copy.
    padded: Space,
    /// Where the array begins in the copy, along each axis.
    before: Vec<usize>,
    terms: Vec<Term>,
}

/// A band of an array that begins there in the copy, along each axis.
#[derive(Debug)]
struct Term {
    stencil: Stencil,
    starts: Vec<usize>,
}

impl Direct {
    pub(super) fn new(name: &'static str, space: &Space, filter: &Filter) -> Result<Self> {
        let taps = filter.taps.iter().rev().map(Complex64::conj).collect();
        let ends = filter.extents.iter().zip(&filter.offsets);
        let offsets = ends.map(|(&extent, &offset)| extent - 1 - offset).collect();
        let turned = Filter { offsets, taps, ..filter.clone() };
        Ok(Self {
            name,
            space: space.clone(),
            forward: Bands::new(name, space, filter)?,
            adjoint: Bands::new(name, space, &turned)?,
            filter: filter.clone(),
        })
    }
}

impl Bands {
    fn new(name: &'static str, space: &Space, filter: &Filter) -> Result<Self> {
        // Of equally long ones the last, whose neighbours lie side by side.
        let long = (0..filter.extents.len()).max_by_key(|&at| filter.extents[at]).unwrap_or(0);
        let (axis, extent) = (filter.axes[long], filter.extents[long]);
        let mut before = vec![0; space.shape().len()];
        let mut shape = space.shape().to_vec();
        for (at, &other) in filter.axes.iter().enumerate().filter(|(at, _)| *at != long) {
            before[other] = filter.extents[at] - 1 - filter.offsets[at];
            shape[other] += filter.extents[at] - 1;
        }
        let padded = Space::of(name, shape, space.dtype())?;
        let stride: usize = filter.extents[long + 1..].iter().product();
        let firsts = (0..filter.taps.len()).filter(|at| (at / stride).is_multiple_of(extent));
        let mut terms = Vec::new();
        for first in firsts {
            let row = (0..extent).map(|k| (k, filter.taps[first + k * stride]));
            let row: Vec<_> = row.filter(|(_, tap)| *tap != ZERO).collect();
            if row.is_empty() {
                continue;
            }
            let offset = filter.offsets[long] as isize;
            let band = row.into_iter().map(|(k, tap)| (offset - k as isize, tap));
            let stencil = Stencil::along(axis, Band::uniform_complex(space.shape()[axis], band))?;
            let mut starts = vec![0; space.shape().len()];
            let index = values::index_of(&filter.extents, first);
            for (at, &other) in filter.axes.iter().enumerate().filter(|(at, _)| *at != long) {
                starts[other] = filter.extents[at] - 1 - index[at];
            }
            terms.push(Term { stencil, starts });
        }
        Ok(Self { padded, before, terms })
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        mut update: Update,
    ) -> Result<()> {
        let (mut padded, on) = on.scratch(&self.padded)?;
        let extents = x.shape().to_vec();
        if y.layout().is_empty() {
            return Ok(());
        }
        let axes = extents.iter().zip(self.before.iter().zip(self.padded.shape()));
        let axes = axes.map(|(&extent, (&before, &all))| spans(extent, before, all)).collect();
        on.copy_mapped(&[Mapped { x, axes }], padded.reborrow(), Update::set())?;
        let padded = padded.view();
        for terms in self.terms.chunks(StencilTerm::MOST) {
            let term = |term: &Term| {
                let mut part = padded.clone();
                for (axis, (&start, &extent)) in term.starts.iter().zip(&extents).enumerate() {
                    part = part.sliced(axis, start, extent)?;
                }
                Ok(StencilTerm::new(&term.stencil, part))
            };
            let terms = terms.iter().map(term).collect::<Result<Vec<_>>>()?;
            on.stencil_sum(&terms, y.reborrow(), update)?;
            update = update.then_add();
        }
        Ok(())
    }
}

/// An axis of a copy of that extent, with zeros before and behind.
fn spans(extent: usize, before: usize, all: usize) -> Each<Span> {
    let spans = [(before, None), (before + extent, Some((0, 1))), (all, None)];
    let mut start = 0;
    let mut kept = Vec::with_capacity(spans.len());
    for (end, reads) in spans.into_iter().filter(|(end, _)| *end > 0) {
        if end > start {
            kept.push(Span { end, reads });
            start = end;
        }
    }
    kept.into_iter().collect()
}

impl LinearMap for Direct {
    fn name(&self) -> &str {
        self.name
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.forward.enqueue(on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.adjoint.enqueue(on, y, x, update)
    }

    fn workspace(&self) -> usize {
        scratch_bytes(&self.forward.padded)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let lifted = || {
            let shape = [before, self.space.shape(), behind].concat();
            let space = Space::of(self.name, shape, self.space.dtype())?;
            let axes = self.filter.axes.iter().map(|axis| axis + before.len()).collect();
            Self::new(self.name, &space, &Filter { axes, ..self.filter.clone() })
        };
        Some(lifted().map(|lifted| Arc::new(lifted) as Arc<dyn LinearMap>))
    }
}
