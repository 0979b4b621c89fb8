//! How many consecutive elements a thread takes in one access.

use arrayspan_devices::Memory;
use smallvec::SmallVec;

use super::text::Text;

/// How many consecutive elements along axis 0 a thread takes in one access, and the strides of the operands along it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Runs {
    inner: SmallVec<[Inner; 8]>,
    /// Elements of a run, a power of two.
    pub len: usize,
    /// The alignment of a run in bytes.
    align: usize,
}

/// The stride of an operand along axis 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    /// Contiguous (stride 1).
    Unit,
    /// Broadcast (stride 0).
    Repeated,
    /// Any other stride.
    Apart,
}

/// No device moves more bytes in one access, and every block begins at a multiple of them.
pub const WIDEST: usize = 16;

/// Where an operand's runs begin.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Elements from one element to the next along axis 0.
    pub stride: isize,
    /// The bits of the byte address of the first element.
    pub first: usize,
    /// The bits of all steps to other rows, in elements.
    pub steps: usize,
}

impl Start {
    /// The alignment of all runs of elements of `bytes` bytes, up to the widest access.
    #[must_use]
    pub fn aligned(&self, bytes: usize) -> usize {
        let stride = if self.stride == 1 { 0 } else { bytes };
        match self.first | (self.steps * bytes) | stride {
            0 => WIDEST,
            bits => WIDEST.min(1 << bits.trailing_zeros()),
        }
    }
}

impl Runs {
    /// The longest runs of elements of `bytes` bytes along an axis of `extent` elements.
    #[must_use]
    pub fn new(starts: &[Start], bytes: usize, extent: usize) -> Self {
        let inner: SmallVec<[Inner; 8]> = starts.iter().map(|start| inner(start.stride)).collect();
        let several = inner.contains(&Inner::Unit) && !inner.contains(&Inner::Apart);
        let places = starts.iter().zip(&inner).filter(|(_, inner)| **inner != Inner::Repeated);
        let bits = places.fold(0, |bits, (start, _)| {
            bits | start.first | if several { start.steps * bytes } else { bytes }
        });
        let aligned = if bits == 0 { WIDEST } else { WIDEST.min(1 << bits.trailing_zeros()) };
        let mut len = if several { (aligned / bytes).max(1) } else { 1 };
        while len > extent.max(1) {
            len /= 2;
        }
        Self { inner, len, align: aligned.min(len * bytes) }
    }

    /// As [`new`](Self::new), for elements of a size for each operand: runs that the widest one takes in one
    /// access. `ALIGN` is that of operand 0.
    #[must_use]
    pub fn of_sizes(starts: &[Start], bytes: &[usize], extent: usize) -> Self {
        let inner: SmallVec<[Inner; 8]> = starts.iter().map(|start| inner(start.stride)).collect();
        let mut len = 1;
        if inner.contains(&Inner::Unit) && !inner.contains(&Inner::Apart) {
            let near = starts.iter().zip(bytes).zip(&inner);
            let near = near.filter(|(_, inner)| **inner == Inner::Unit).map(|(operand, _)| operand);
            let fitting = near.map(|(start, &bytes)| start.aligned(bytes) / bytes).min();
            let widest = bytes.iter().copied().max().unwrap_or(WIDEST);
            len = fitting.unwrap_or(1).clamp(1, (WIDEST / widest).max(1));
            while len > extent.max(1) {
                len /= 2;
            }
        }
        let align = match (starts.first(), bytes.first()) {
            (Some(start), Some(&bytes)) => start.aligned(bytes).min(len * bytes),
            _ => 1,
        };
        Self { inner, len, align }
    }

    /// The same, but of a length that divides `extent`.
    #[must_use]
    pub fn dividing(mut self, extent: usize) -> Self {
        while !extent.is_multiple_of(self.len) {
            self = self.halved();
        }
        self
    }

    /// The same, with `ALIGN` of so many bytes.
    #[must_use]
    pub fn aligned_to(self, align: usize) -> Self {
        Self { align, ..self }
    }

    /// The alignment of a run in bytes.
    #[must_use]
    pub fn align(&self) -> usize {
        self.align
    }

    /// The same, of half the length. There must be more than one element.
    #[must_use]
    pub fn halved(self) -> Self {
        Self { len: self.len / 2, align: self.align / 2, ..self }
    }

    /// The same, of single elements.
    #[must_use]
    pub fn single(self) -> Self {
        let align = self.align / self.len;
        Self { len: 1, align, ..self }
    }

    /// How each operand lies along axis 0.
    #[must_use]
    pub fn inner(&self) -> &[Inner] {
        &self.inner
    }

    /// `V`, `ALIGN` and how each operand's run is loaded.
    pub fn define(&self, names: &[String], text: &mut Text) {
        text.define("V", self.len);
        text.define("ALIGN", self.align);
        for (name, inner) in names.iter().zip(&self.inner) {
            let load = if *inner == Inner::Repeated { "run_repeat" } else { "run_load" };
            text.define(format_args!("{name}_LOAD"), load);
        }
    }
}

fn inner(stride: isize) -> Inner {
    match stride {
        1 => Inner::Unit,
        0 => Inner::Repeated,
        _ => Inner::Apart,
    }
}

/// The address of a block as far as it tells alignment: in `OpenCL` it is a handle, and blocks are aligned for
/// every access.
#[must_use]
pub fn address(memory: &Memory) -> usize {
    if memory.device().has_pointers() { memory.address() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(starts: &[(isize, usize, usize)], bytes: usize, extent: usize) -> (usize, usize) {
        let start = |&(stride, first, steps): &_| Start { stride, first, steps };
        let runs = Runs::new(&starts.iter().map(start).collect::<Vec<_>>(), bytes, extent);
        (runs.len, runs.align)
    }

    #[test]
    fn aligned_neighbours_move_sixteen_bytes_at_once() {
        assert_eq!(runs(&[(1, 0, 0), (1, 256, 8)], 4, 100), (4, 16));
        assert_eq!(runs(&[(1, 0, 0), (0, 4, 1)], 8, 100), (2, 16));
        assert_eq!(runs(&[(1, 0, 0)], 16, 100), (1, 16));
        assert_eq!(runs(&[(1, 0, 0)], 4, 3), (2, 8));
    }

    #[test]
    fn odd_places_make_runs_short() {
        assert_eq!(runs(&[(1, 4, 0), (1, 0, 0)], 4, 100), (1, 4));
        assert_eq!(runs(&[(1, 0, 2), (1, 0, 0)], 4, 100), (2, 8));
        assert_eq!(runs(&[(1, 8, 0)], 16, 100), (1, 8));
    }

    #[test]
    fn elements_apart_are_taken_singly() {
        assert_eq!(runs(&[(1, 0, 0), (2, 0, 0)], 4, 100), (1, 4));
        assert_eq!(runs(&[(-1, 0, 0)], 8, 100), (1, 8));
    }

    #[test]
    fn runs_can_be_made_to_divide() {
        let start = Start { stride: 1, first: 0, steps: 0 };
        let runs = |extent| Runs::new(&[start], 4, extent).dividing(extent);
        assert_eq!((runs(100).len, runs(102).len, runs(101).len), (4, 2, 1));
        assert_eq!(runs(102).align, 8);
    }
}
