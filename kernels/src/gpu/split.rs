//! The axes of a reduction as two spaces: those that are kept, and those that are reduced.

use arrayspan_bridge::Layout;
use arrayspan_bridge::iteration::IterationSpace;

use super::walk::Walk;
use crate::Result;

/// A reduction of `inputs` over some of their axes.
#[derive(Debug)]
pub(super) struct Split {
    inputs: Vec<Layout>,
    /// The kept axes, of the inputs and then the outputs, ordered by the strides of input 0.
    pub(super) kept: IterationSpace,
    /// The reduced axes, of the inputs.
    pub(super) reduced: IterationSpace,
}

impl Split {
    /// Inputs are of `rank` axes, outputs of those that `axes` does not name.
    pub(super) fn new<'l>(
        inputs: impl Iterator<Item = &'l Layout>,
        outputs: impl Iterator<Item = &'l Layout>,
        rank: usize,
        axes: &[usize],
    ) -> Result<Self> {
        // A layout without elements may have any strides and offset. They are set to 0, because its kept axes are iterated, too.
        let readable = |layout: &Layout| {
            let nothing = || Layout::strided(layout.shape(), vec![0; layout.rank()], 0);
            Ok(if layout.is_empty() { nothing()? } else { layout.clone() })
        };
        let inputs = inputs.map(readable).collect::<Result<Vec<_>>>()?;
        let parts = |axes: &[usize]| {
            let part = |layout: &Layout| {
                let shape: Vec<usize> = axes.iter().map(|axis| layout.shape()[*axis]).collect();
                let strides: Vec<isize> = axes.iter().map(|axis| layout.strides()[*axis]).collect();
                Layout::strided(shape, strides, layout.offset())
            };
            inputs.iter().map(part).collect::<Result<Vec<_>, _>>()
        };
        let others: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
        let (mut kept, reduced) = (parts(&others)?, parts(axes)?);
        kept.extend(outputs.cloned());
        let space = |layouts: &[Layout]| IterationSpace::new(&layouts.iter().collect::<Vec<_>>());
        let (kept, reduced) = (space(&kept), space(&reduced));
        Ok(Self { inputs, kept, reduced })
    }

    /// The number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The number of results.
    pub(super) fn results(&self) -> usize {
        self.kept.extents.iter().product()
    }

    /// The number of elements of each result.
    pub(super) fn len(&self) -> usize {
        self.reduced.extents.iter().product()
    }

    /// Whether consecutive threads best take elements of one result, rather than consecutive results.
    pub(super) fn is_along(&self) -> bool {
        let near = |space: &IterationSpace| space.strides[0][0].unsigned_abs();
        self.results() == 1 || (self.len() > 1 && near(&self.reduced) <= near(&self.kept))
    }

    /// Where input `input` begins.
    pub(super) fn start(&self, input: usize) -> usize {
        // Both spaces may have turned axes round, which moves the first element.
        let turned = self.kept.offsets[input].wrapping_sub(self.inputs[input].offset());
        self.reduced.offsets[input].wrapping_add(turned)
    }

    /// Where the outputs begin.
    pub(super) fn starts_of_outputs(&self) -> &[usize] {
        &self.kept.offsets[self.inputs.len()..]
    }

    /// Where its layout says that input `input` begins.
    pub(super) fn offset(&self, input: usize) -> usize {
        self.inputs[input].offset()
    }

    /// The number of kept and of reduced axes.
    pub(super) fn ranks(&self) -> [usize; 2] {
        [self.kept.extents.len(), self.reduced.extents.len()]
    }

    /// Whether indices need 64 bits.
    pub(super) fn is_wide(&self) -> bool {
        self.kept.is_wide() || self.reduced.is_wide()
    }

    /// Extents and strides, in the order of the names of two [`Walk`]s.
    pub(super) fn numbers(&self) -> impl Iterator<Item = isize> {
        Walk::numbers(&self.kept).chain(Walk::numbers(&self.reduced))
    }
}
