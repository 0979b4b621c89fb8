//! Elementwise kernels whose output has rows without gaps that begin at odd places: all rows are one line, in aligned runs.
//! Inputs lie as the output does, or repeat along some axis.

use std::fmt::Write as _;

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{
    Axes, IterationForm, IterationSpace, Runs, Start, THREADS, Text, WIDEST, grid_of,
};

pub(super) const TEXT: &str = include_str!("../source/map_flat.cl.h");

/// An input that does not lie as the output does has at most so small a part of its elements: they are loaded one by one, and
/// from the cache.
const REPEATED: usize = 16;

/// The operands that lie as the output does, a bit for each, the output's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lines(u64);

/// The aligned runs of the line, and the operands that lie along it; `None` where rows are best taken one by one: their
/// accesses are as wide as any, or the line's would not be. `form` is that of the rows.
pub(super) fn line(
    space: &IterationSpace,
    form: &IterationForm,
    addresses: &[usize],
    bytes: usize,
) -> Option<(Runs, Lines)> {
    let IterationSpace { extents, strides, .. } = space;
    let narrow = 2 * form.runs().len * bytes <= WIDEST;
    if !narrow || extents.len() < 2 || strides.len() > 64 || space.is_wide() {
        return None;
    }
    let all: usize = extents.iter().product();
    let mut lines = 0;
    for (operand, own) in strides.iter().enumerate() {
        if is_line(own, extents) {
            lines |= 1 << operand;
        } else if operand == 0 || distinct(own, extents) > all / REPEATED {
            return None;
        }
    }
    let lines = Lines(lines);
    let start = |operand: usize| {
        let Start { stride, first, .. } = space.start(operand, addresses[operand], bytes);
        Start { stride, first: if lines.contains(operand) { first } else { 0 }, steps: 0 }
    };
    let starts: Vec<Start> = (0..strides.len()).map(start).collect();
    let runs = Runs::new(&starts, bytes, extents[0]);
    (runs.len > 1 && runs.len * bytes == WIDEST).then_some((runs, lines))
}

/// A thread for each run of the line.
pub(super) fn grid(space: &IterationSpace, runs: &Runs) -> Grid {
    let items = space.extents.iter().product::<usize>().div_ceil(runs.len);
    grid_of([items, 1, 1], [THREADS, 1, 1])
}

/// Whether rows lie one behind the other, without gaps.
pub(super) fn is_line(strides: &Axes<isize>, extents: &Axes<usize>) -> bool {
    let mut step = 1;
    strides.iter().zip(extents).all(|(stride, extent)| {
        let follows = *stride == step;
        step *= *extent as isize;
        follows
    })
}

/// The aligned runs of two operands whose rows are all one line; `None` if they are not as wide as an access can be.
pub(super) fn runs(space: &IterationSpace, addresses: [usize; 2], bytes: usize) -> Option<Runs> {
    let start = |operand: usize| space.start(operand, addresses[operand], bytes);
    let starts: [Start; 2] = [0, 1].map(|operand| Start { steps: 0, ..start(operand) });
    let runs = Runs::new(&starts, bytes, space.extents[0]);
    (runs.len * bytes == WIDEST).then_some(runs)
}

/// How many elements there are, at most, of those that repeat.
fn distinct(strides: &Axes<isize>, extents: &Axes<usize>) -> usize {
    let along = strides.iter().zip(extents).filter(|(stride, _)| **stride != 0);
    along.map(|(_, extent)| *extent).product()
}

impl Lines {
    fn contains(self, operand: usize) -> bool {
        self.0 >> operand & 1 == 1
    }

    /// The macros of the kernel, for operands of this form.
    pub(super) fn define(self, form: &IterationForm, text: &mut Text) {
        let (operands, rank) = (form.operands(), form.rank());
        let of = |wanted: bool| -> String {
            let wanted = (1..operands).filter(|operand| self.contains(*operand) == wanted);
            let named = wanted.map(|operand| format!(" DO({})", IterationForm::operand(operand)));
            named.collect::<Vec<_>>().concat()
        };
        text.define("LINES(DO)", of(true));
        text.define("OTHERS(DO)", of(false));
        for operand in 0..operands {
            let name = IterationForm::operand(operand);
            text.flag(format_args!("{name}_IN_LINE"), self.contains(operand));
        }
        let extents: Vec<String> = (0..rank).map(|axis| format!("n{axis}")).collect();
        text.define("ALL", format_args!("({})", extents.join(" * ")));
        let (mut indices, mut next) = ("u32 rest = (u32)(f); ".to_owned(), String::new());
        // Writing to a String cannot fail.
        for axis in 0..rank - 1 {
            let _ = write!(indices, "idx i{axis} = (idx)(rest % (u32)n{axis}); ");
            let _ = write!(indices, "rest /= (u32)n{axis}; ");
            let _ = write!(next, "if (++i{axis} == n{axis}) {{ i{axis} = 0; ");
        }
        let _ = write!(indices, "idx i{} = (idx)rest;", rank - 1);
        let _ = write!(next, "++i{}; {}", rank - 1, "} ".repeat(rank - 1));
        text.define("INDICES(f)", indices);
        text.define("NEXT", next);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use arrayspan_bridge::Layout;

    use super::*;

    /// The length of runs, and which operands lie along the line.
    fn taken(layouts: &[&Layout], addresses: &[usize]) -> Option<(usize, u64)> {
        let space = IterationSpace::new(layouts);
        let form = space.form(4, addresses, 4);
        line(&space, &form, addresses, 4).map(|(runs, lines)| (runs.len, lines.0))
    }

    #[test]
    fn odd_rows_without_gaps_are_one_line_and_weights_along_an_axis_repeat() {
        let whole = Layout::contiguous([20, 21, 23]).unwrap();
        for axis in 0..3 {
            let mut strides = vec![0; 3];
            strides[axis] = 1;
            let weights = Layout::strided(vec![20, 21, 23], strides, 0).unwrap();
            assert_eq!(taken(&[&whole, &whole, &weights], &[0, 16, 4]), Some((4, 0b011)));
            // An output that begins at an odd place, rows of even length, and operands that are turned.
            assert_eq!(taken(&[&whole, &whole, &weights], &[4, 16, 0]), None);
        }
        let even = Layout::contiguous([20, 24]).unwrap();
        let weights = Layout::strided(vec![20, 24], vec![1, 0], 0).unwrap();
        assert_eq!(taken(&[&even, &even, &weights], &[0; 3]), None);
        let turned = Layout::contiguous([23, 21]).unwrap().permuted(&[1, 0]).unwrap();
        let part = Layout::contiguous([21, 25]).unwrap().sliced(1, 0, 23).unwrap();
        let whole = Layout::contiguous([21, 23]).unwrap();
        assert_eq!(taken(&[&whole, &turned], &[0; 2]), None);
        assert_eq!(taken(&[&whole, &part], &[0; 2]), None);
        assert_eq!(taken(&[&part, &whole], &[0; 2]), None);
    }
}
