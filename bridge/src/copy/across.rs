//! Stacks whose sources go side by side: what is baked into their kernels.

use crate::iteration::{IterationSpace, Start, Text};

/// How the elements that several sources have at one index become consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Across {
    pub(super) bytes: usize,
    pub(super) sources: usize,
    /// Elements that are written in one access, a power of two that divides the sources.
    width: usize,
    /// The alignment of such a run in bytes.
    align: usize,
}

impl Across {
    /// `None` unless the slices, `step` elements apart in the target (operand 0 of the space, in a block at `address`),
    /// lie closer than the elements of one.
    pub(crate) fn new(
        space: &IterationSpace,
        address: usize,
        step: isize,
        bytes: usize,
        sources: usize,
    ) -> Option<Self> {
        let apart = space.strides.first()?.iter().all(|stride| *stride > 1);
        if step != 1 || sources < 2 || !apart {
            return None;
        }
        // Runs go along the slices; all axes of one are steps to other runs.
        let steps = space.steps(0, 0);
        let aligned = Start { stride: 1, steps, ..space.start(0, address, bytes) }.aligned(bytes);
        let width = (aligned / bytes).max(1).min(1 << sources.trailing_zeros());
        Some(Self { bytes, sources, width, align: aligned.min(width * bytes) })
    }

    /// Threads for one place: each takes `width` of the sources.
    pub(super) fn parts(self) -> usize {
        self.sources / self.width
    }

    pub(super) fn define(self, sources: &[String], text: &mut Text) {
        text.define("SOURCES", self.sources);
        text.define("ACROSS", self.width);
        text.define("ACROSS_ALIGN", self.align);
        let each: Vec<_> = (0..self.width).map(|k| format!("DO({k})")).collect();
        text.define("EACH(DO)", each.join(" "));
        choose(sources, self.width, text);
    }
}

/// `FROM_k` and `STEP_k` for each k below `width`: of a part's `width` sources the row and the step of the kth. Chosen by the
/// number of the part, because a kernel with a copy of its loop for each source takes compilers minutes.
pub(super) fn choose(sources: &[String], width: usize, text: &mut Text) {
    for k in 0..width {
        let of_parts = || sources.iter().skip(k).step_by(width);
        let chosen = |what: &dyn Fn(&String) -> String| {
            let mut all: Vec<_> = of_parts().map(what).collect();
            let last = all.pop().unwrap_or_default();
            let numbered = all.iter().enumerate();
            let others: Vec<_> =
                numbered.map(|(part, one)| format!("part == {part} ? {one} : ")).collect();
            format!("({}{last})", others.concat())
        };
        text.define(format_args!("FROM_{k}"), chosen(&|x| format!("{x} + ({x}_ROW)")));
        text.define(format_args!("STEP_{k}"), chosen(&|x| format!("(idx){x}_s0")));
    }
}
