//! What a matrix product reads and writes, as cuBLAS and our own kernel both look at it.

use arrayspan_bridge::Layout;
use arrayspan_bridge::devices::Memory;

/// A batch of matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand<'a> {
    pub(super) memory: &'a Memory,
    pub(super) offset: usize,
    /// Of the batch, the rows and the columns.
    pub(super) extents: [usize; 3],
    pub(super) strides: [isize; 3],
}

impl<'a> Operand<'a> {
    pub(super) fn new(memory: &'a Memory, layout: &Layout) -> Self {
        let (extents, mut strides) = match (layout.shape(), layout.strides()) {
            (&[batch, rows, columns], &[s, t, u]) => ([batch, rows, columns], [s, t, u]),
            (&[rows, columns], &[t, u]) => ([1, rows, columns], [0, t, u]),
            _ => unreachable!("a checked call has matrices or batches of them"),
        };
        // An axis of extent 1 may have any stride.
        let single = strides.iter_mut().zip(extents).filter(|(_, extent)| *extent <= 1);
        single.for_each(|(stride, _)| *stride = 0);
        Self { memory, offset: layout.offset(), extents, strides }
    }
}
