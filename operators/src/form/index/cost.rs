//! What index maps cost, box by box: the same choices as where they are carried out.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Cost, Factor, Update, input};

use super::turned::Turned;
use super::{BoxSource, IndexBox, IndexMap};
use crate::elementwise;

/// The verbs so far; places are counted in elements.
struct Sum {
    dtype: DType,
    cost: Cost,
}

impl IndexMap {
    /// What [`enqueue`](Self::enqueue), or [`enqueue_adjoint`](Self::enqueue_adjoint), costs with contiguous arrays.
    pub(in crate::form) fn cost(&self, adjoint: bool, update: Update, dtype: DType) -> Cost {
        let mut sum = Sum { dtype, cost: Cost::default() };
        if adjoint {
            self.adjoint_cost(&mut sum, update);
        } else {
            self.forward_cost(&mut sum, update);
        }
        sum.cost
    }

    fn forward_cost(&self, sum: &mut Sum, update: Update) {
        if let Some(reads) = self.mapped(update, sum.dtype) {
            let written = self.range().iter().product();
            return sum.copy(self.read_of(reads), written, update);
        }
        for found in self.boxes() {
            let written = found.extent.iter().product();
            match &found.source {
                None => sum.scale(written, update),
                Some(source) => sum.copy(source.elements(&found.extent), written, update),
            }
        }
    }

    fn adjoint_cost(&self, sum: &mut Sum, update: Update) {
        let elements = self.domain().iter().product();
        let Some(reads) = &self.inner.reads else { return sum.scale(elements, update) };
        let Turned { covering, inverse, .. } = self.turned();
        let (mut update, mut first) = (update, covering.as_ref());
        let mapped = |map: &&Self| map.mapped(update, sum.dtype).is_some();
        if let Some(adjoint) = inverse.as_ref().filter(mapped) {
            return adjoint.forward_cost(sum, update);
        }
        if let Some(parts) = self.mapped_adjoint(update, sum.dtype) {
            let each =
                parts.iter().filter_map(|part| Some(part.read_of(part.inner.reads.as_ref()?)));
            let previous = if update.reads() { elements } else { 0 };
            let read = each.sum::<usize>() + previous;
            return sum.verb(read, elements, (parts.len() - 1).saturating_mul(elements));
        }
        let mut sets = false;
        if let Some(found) = first {
            sum.add(found, update);
        } else if update.beta != Factor::ONE {
            if let Some(adjoint) = inverse {
                return adjoint.forward_cost(sum, update);
            }
            sum.scale(elements, update);
            sets = !update.reads() && reads.is_apart();
        }
        if !sets {
            update = update.then_add();
        }
        for found in self.boxes() {
            if first == Some(&found) {
                first = None;
                continue;
            }
            sum.add(&found, update);
        }
    }
}

impl BoxSource {
    /// The elements that a box of this extent reads, each once.
    fn elements(&self, extent: &[usize]) -> usize {
        self.shape(extent).iter().product()
    }
}

impl Sum {
    fn verb(&mut self, read: usize, written: usize, flops: usize) {
        let bytes = self.dtype.bytes();
        let (bytes_read, bytes_written) = (read * bytes, written * bytes);
        self.cost += Cost { launches: usize::from(written > 0), bytes_read, bytes_written, flops };
    }

    fn scale(&mut self, elements: usize, update: Update) {
        if update.beta != Factor::ONE {
            let read = if update.reads() { elements } else { 0 };
            let zeros = elementwise::zeros_read(self.dtype).min(elements);
            self.verb(read + zeros, elements, 0);
        }
    }

    fn copy(&mut self, read: usize, written: usize, update: Update) {
        self.verb(read + if update.reads() { written } else { 0 }, written, 0);
    }

    /// As `IndexBox::add`.
    fn add(&mut self, found: &IndexBox, update: Update) {
        let Some(source) = &found.source else { return };
        let (all, results) =
            (found.extent.iter().product::<usize>(), source.elements(&found.extent));
        if !source.repeats(&found.extent) {
            return self.copy(all, results, update);
        }
        let reads = update.reads();
        let scaled = if reads { 0 } else { elementwise::operations(&input(0), update) };
        self.verb(all, results, all.saturating_mul(scaled + 1));
        if reads {
            self.copy(results, results, update);
        }
    }
}
