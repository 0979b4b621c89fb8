//! Elementwise kernels some of whose inputs are the same in all rows: a thread loads these once for the rows that it takes.

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{
    Axes, Each, IterationForm, IterationSpace, Runs, Start, THREADS, Text, WIDEST, grid,
};

pub(super) const TEXT: &str = include_str!("../source/map_held.cl.h");

/// Rows that a thread takes, and how many of them at once.
const ROWS: usize = 8;
const AT_ONCE: usize = 4;
/// Fewer inputs than these are loaded again for each row from the cache.
const FEWEST: usize = 2;
/// Runs of a row that are worth cutting its first and its last.
const LEAST_RUNS: usize = 16;
/// Threads per multiprocessor that are left.
const BUSY_THREADS: usize = 1024;

/// The operands that are the same in all rows, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Held {
    operands: u64,
    /// Whether runs are aligned, though rows begin at odd places.
    skewed: bool,
}

/// The inputs that are held; `None` where they are few beside the others, or rows are.
pub(super) fn of(space: &IterationSpace, form: &IterationForm, units: usize) -> Option<Held> {
    let IterationSpace { extents, strides, .. } = space;
    if extents.len() < 2 || strides.len() > 64 || !extents[0].is_multiple_of(form.runs().len) {
        return None;
    }
    let is_held = |own: &&_| -> bool {
        let own: &[isize] = own;
        own[1] == 0 && own[0] != 0
    };
    let inputs = strides[1..].iter().map(|own| &own[..]);
    let count = inputs.clone().filter(is_held).count();
    if count < FEWEST || 2 * count < inputs.len() {
        return None;
    }
    let held = inputs.enumerate().filter(|(_, own)| is_held(own));
    let operands = held.fold(0, |bits, (input, _)| bits | 1 << (input + 1));
    let [runs, lines, outer] = space.items(form);
    let busy = runs * (lines / ROWS) * outer >= units * BUSY_THREADS;
    busy.then_some(Held { operands, skewed: false })
}

impl Held {
    /// The same with wider accesses to an output whose rows begin at odd places, in a block at this address, and the runs of these;
    /// `None` where accesses are wide, or an input is neither held nor a single number of each row. The output must not be read.
    pub(super) fn skewed(
        self,
        space: &IterationSpace,
        form: &IterationForm,
        (address, bytes): (usize, usize),
    ) -> Option<(Self, Runs)> {
        let IterationSpace { extents, strides, .. } = space;
        let is_fit = |(operand, own): (usize, &Axes<isize>)| match own[0] {
            1 => operand == 0 || self.contains(operand),
            0 => operand > 0 && !self.contains(operand),
            _ => false,
        };
        let narrow = 2 * form.runs().len * bytes <= WIDEST && address.is_multiple_of(WIDEST);
        if !narrow || !strides.iter().enumerate().all(is_fit) {
            return None;
        }
        let starts: Each<Start> =
            strides.iter().map(|own| Start { stride: own[0], first: 0, steps: 0 }).collect();
        let runs = Runs::new(&starts, bytes, extents[0]);
        // A row's first and last run are cut.
        let worthwhile = extents[0] >= LEAST_RUNS * runs.len && extents[1] >= ROWS * runs.len;
        worthwhile.then_some((Self { skewed: true, ..self }, runs))
    }

    /// A thread for each run of so many rows.
    pub(super) fn grid(self, space: &IterationSpace, form: &IterationForm) -> Grid {
        let [runs, lines, outer] = space.items(form);
        let blocks = lines.div_ceil(ROWS);
        let step = form.runs().len;
        let skewed = || [runs + 1, space.extents[1].div_ceil(ROWS * step) * step, outer];
        grid(if self.skewed { skewed() } else { [runs, blocks, outer] }, THREADS)
    }

    fn contains(self, operand: usize) -> bool {
        self.operands >> operand & 1 == 1
    }

    /// The macros of the kernel, for operands of this form.
    pub(super) fn define(self, form: &IterationForm, text: &mut Text) {
        let operands = form.operands();
        let of = |wanted: bool| -> String {
            let wanted = (1..operands).filter(|operand| self.contains(*operand) == wanted);
            let named = wanted.map(|operand| format!(" DO({})", IterationForm::operand(operand)));
            named.collect::<Vec<_>>().concat()
        };
        text.define("HELD(DO)", of(true));
        text.define("OTHERS(DO)", of(false));
        for operand in 0..operands {
            let name = IterationForm::operand(operand);
            text.flag(format_args!("{name}_HELD"), self.contains(operand));
        }
        text.define("ROWS", ROWS);
        text.define("AT_ONCE", AT_ONCE);
        text.flag("SKEWED", self.skewed);
    }
}
