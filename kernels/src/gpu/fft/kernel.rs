//! The kernels of Fourier transforms: what is compiled into one.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::Text;

use super::super::formula::Formula;
use super::super::line_arrays::{LineArrays, Parameters};
use super::steps::Steps;
use super::tables::{FINE, Pass};
use crate::fourier::{Halves, LOCAL, LinePass, Lines, SIDE_BY_SIDE, Schedule};
use crate::{Fourier, Signals};

const TEXT: &str =
    concat!(include_str!("../../source/fft_samples.cl.h"), include_str!("../../source/fft.cl.h"));
const PAIRS: &str = concat!(
    include_str!("../../source/fft_samples.cl.h"),
    include_str!("../../source/fft_pairs.cl.h")
);

/// Points of a group, unless those of one transform are more.
const TOGETHER: usize = 1024;

/// Bytes of neighbours that a group takes side by side, if local memory has room for them; and of those that do not begin where what memory
/// moves at once does.
const BESIDE: usize = 128;
const BESIDE_BETWEEN: usize = 256;

/// Threads of a group at most: of one of several on a processor, and of one that takes most of its local memory.
const MOST_THREADS: [usize; 2] = [256, 512];

/// Local memory of a group of which a processor holds but one or two.
const ALONE: usize = 72 << 10;

/// More groups take the same transforms one after the other.
const MOST_GROUPS: usize = 1 << 20;

/// A pass of Fourier transforms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "each is a macro of the source")]
pub(in crate::gpu) struct Variant {
    pub(in crate::gpu) arrays: LineArrays,
    points: usize,
    /// Elements of a line between passes.
    length: usize,
    half: u8,
    /// Which half is computed in several passes, and the points of the first.
    halves: u8,
    digit: usize,
    /// As `half`, of sums with cosines.
    cosines: u8,
    positive: bool,
    pads: bool,
    pairs: bool,
    place: Place,
    group: Group,
}

/// A pass among those of a transform.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// Its transforms.
    of: LinePass,
    /// Whether it reads the input, and writes the result.
    user: [bool; 2],
    last: bool,
    /// 1 or 2: in the first or the second transform of a convolution.
    chirp: u8,
    tables: Pass,
}

/// What a group does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Group {
    steps: Steps,
    lines_first: bool,
    /// Whether neighbouring threads take several transforms, where they store and where they load.
    across: [bool; 2],
}

/// What all passes of a call have in common.
pub(in crate::gpu) struct Common<'a> {
    pub(in crate::gpu) fourier: &'a Fourier,
    pub(in crate::gpu) dtype: DType,
    pub(in crate::gpu) lines: &'a Lines,
    pub(in crate::gpu) schedule: &'a Schedule,
    /// How the elements of `y` and `x` are aligned.
    pub(in crate::gpu) align: [usize; 2],
    /// Whether elements of their lines are in pairs.
    pub(in crate::gpu) pairs: [bool; 2],
}

impl Common<'_> {
    /// Whether elements of `y`, or those of `x`, follow each other and are taken in that order.
    fn is_plain(&self, operand: usize) -> bool {
        let Self { fourier, lines, schedule, .. } = *self;
        let [signal, spectrum] = fourier.turns();
        let bins = fourier.is_inverse() == (operand == 1);
        let turn = if bins { spectrum } else { signal };
        // Transforms of whole lines have bins that half a spectrum has not.
        let all = match (bins, fourier.signals()) {
            (true, Signals::Half) => operand == 1 || schedule.pairs,
            (true, _) => true,
            (false, _) => fourier.extent() >= fourier.points(),
        };
        all && turn == 0 && lines.strides[operand] == 1
    }
}

impl Variant {
    /// That of pass `number` of all passes of a call, with so many arguments for the formula's constants.
    pub(in crate::gpu) fn new(
        common: &Common<'_>,
        number: usize,
        tables: &[Pass],
        (formula, constants): (&Formula, usize),
    ) -> Self {
        let Common { fourier, dtype, lines, schedule, .. } = *common;
        let passes = schedule.passes.len();
        let (at, total) = (number % passes, schedule.count());
        let (first, last) = (number == 0, number + 1 == total);
        let place = Place {
            of: schedule.line_pass(at),
            user: [first, last],
            last: at + 1 == passes,
            chirp: if schedule.chirp { 1 + u8::from(number >= passes) } else { 0 },
            tables: tables[at],
        };
        let bytes = dtype.bytes();
        let [x, y] = fourier.dtypes(dtype).map(|dtype| !dtype.is_complex());
        let real = [y && last, x && first];
        let align = [
            if last { common.align[0] } else { bytes },
            if first { common.align[1] } else { bytes },
        ];
        let side = if fourier.is_inverse() { 1 } else { 2 };
        let of = |signals: Signals| if fourier.signals() == signals { side } else { 0 };
        let cosines = of(Signals::Cosines);
        let wide = lines.wide || is_wide(schedule);
        let arguments = 4 + 2 + 2 + 9 + 2 + constants;
        let written = (formula.clone(), arguments);
        let two = schedule.pairs || place.of.two;
        Self {
            arrays: LineArrays::new(dtype, (lines, wide), (real, align), written)
                .in_pairs(common.pairs.map(|pairs| pairs && two && fourier.turns() == [0; 2]))
                .in_order([last && common.is_plain(0), first && common.is_plain(1)]),
            points: fourier.points(),
            length: schedule.room(),
            half: of(Signals::Half),
            halves: match schedule.halves {
                None => 0,
                Some(Halves::Results) => 1,
                Some(Halves::Transforms) => 2,
            },
            digit: schedule.passes[0],
            cosines,
            positive: fourier.is_positive() && cosines == 0,
            pairs: schedule.pairs,
            pads: fourier.is_inverse() && fourier.extent() > fourier.points(),
            group: Group::new(&place, common, bytes),
            place,
        }
    }

    /// Groups that take so many lines together, and the threads of each. Beyond so many, groups take several lots one after the other, but for
    /// those whose numbers are in registers, of which each takes one.
    pub(in crate::gpu) fn groups(&self, lines: usize) -> [usize; 2] {
        let all = lines.saturating_mul(self.place.of.transforms);
        let groups = all.div_ceil(self.group.steps.lines);
        let most = if self.group.steps.is_in_registers() { usize::MAX } else { MOST_GROUPS };
        [groups.min(most), self.group.steps.threads]
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let Place { of, user, last, chirp, tables } = &self.place;
        let indices = ["first_line", "count", "y_extent", "y_turn", "x_extent", "x_turn"];
        let numbers = ["scale", "inner"];
        let parameters = Parameters { indices: &indices, table: true, numbers: &numbers };
        self.arrays.define(&parameters, text);
        let Group { steps, lines_first, across } = &self.group;
        text.define("N", self.points);
        text.define("LENGTH", self.length);
        text.define("PARTS", of.transforms);
        text.define("STRIDE", of.stride);
        text.define("DONE", of.done);
        text.flag("TWO", of.two);
        text.define("HALVES", self.halves);
        text.define("DIGIT", self.digit);
        steps.define(text);
        text.flag("FROM_USER", user[0]);
        text.flag("TO_USER", user[1]);
        text.flag("LAST", *last);
        text.flag("POSITIVE", self.positive);
        text.define("HALF", self.half);
        text.define("COSINES", self.cosines);
        text.flag("PADS", self.pads);
        text.flag("LINES_FIRST", *lines_first);
        text.flag("STORE_ACROSS", across[0]);
        text.flag("LOAD_ACROSS", across[1]);
        text.define("CHIRP", chirp);
        tables.define(text);
        text.define("FINE", FINE);
    }
}

/// Whether places between passes, or numbers of transforms, need 64 bits.
fn is_wide(schedule: &Schedule) -> bool {
    let all = schedule.at_once.saturating_mul(schedule.length);
    all >= 1 << 30 || schedule.lines >= 1 << 30
}

impl Group {
    fn new(place: &Place, common: &Common<'_>, bytes: usize) -> Self {
        let Common { lines, schedule, .. } = *common;
        let several = schedule.length > place.of.points;
        let beside = lines.across.contains(&true);
        let least = if several || beside { SIDE_BY_SIDE.max(bytes) } else { bytes };
        let local = if place.of.points * least <= LOCAL { LOCAL } else { schedule.limits.local };
        let most = local / bytes / place.of.points;
        let mut together = (TOGETHER / place.of.points).max(1);
        if several || beside {
            let LinePass { stride, done, .. } = place.of;
            let begins = |apart: usize| (apart * bytes).is_multiple_of(SIDE_BY_SIDE);
            let whole = begins(stride) && begins(done);
            let between = several && !beside && !whole && BESIDE_BETWEEN / bytes <= most;
            let all = together.max(if between { BESIDE_BETWEEN } else { BESIDE } / bytes).min(most);
            // What memory moves at once is read and written whole.
            together = (all - all % (SIDE_BY_SIDE / bytes).max(1)).max(1);
        }
        let lines_first = beside;
        let [y, x] = lines.across;
        let across = if several {
            [lines_first || place.of.done > 1, true]
        } else {
            [
                if place.user[1] { y } else { lines_first },
                if place.user[0] { x } else { lines_first },
            ]
        };
        let of = (across, schedule.couples);
        let in_registers = || {
            let lines = (least / bytes, bytes);
            Steps::in_registers(place.of.points, lines, schedule.limits, of)
        };
        let in_local = |lines: usize| {
            let alone = place.of.points * lines * bytes > ALONE;
            let most = MOST_THREADS[usize::from(alone)];
            Steps::coupled(place.of.points, (lines, bytes), (local, most), of)
        };
        let steps = if place.of.points * least <= schedule.limits.of_lines(several || beside) {
            let steps = in_local(together);
            let crowded = !several && steps.is_crowded(local / bytes);
            if crowded { in_registers().unwrap_or(steps) } else { steps }
        } else {
            in_registers().unwrap_or_else(|| in_local(1))
        };
        Self { steps, lines_first, across }
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        self.group.steps.add(&mut text);
        let (entry, own) = if self.pairs { ("fft_pairs", PAIRS) } else { ("fft", TEXT) };
        text.add(own);
        let asked = self.group.steps.asked_bytes();
        self.arrays.element().kernel(entry, text).with_local_bytes(asked)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use arrayspan_bridge::Layout;

    use super::super::tables::Table;
    use super::*;
    use crate::factors::Factors;
    use crate::fourier::Limits;
    use crate::gpu::fft::variants;

    #[test]
    fn every_line_has_a_group_where_numbers_are_in_registers() {
        let count = 5_000_000;
        let limits = Limits { local: LOCAL, threads: 1024 };
        let mut held = 0;
        for (points, dtype) in
            [(336, DType::Complex64), (252, DType::Complex64), (1000, DType::Complex128)]
        {
            let fourier = Fourier::new(0, points).unwrap();
            let layout = Layout::contiguous(&[points, count][..]).unwrap();
            let lines = Lines::new(&fourier, [&layout, &layout]).unwrap();
            let schedule = Schedule::new(limits, &fourier, dtype, count, true);
            let places = Table::new(&schedule, &fourier).places();
            let align = [dtype.bytes(); 2];
            let (fourier, lines, schedule) = (&fourier, &lines, &schedule);
            let pairs = [false; 2];
            let common = Common { fourier, dtype, lines, schedule, align, pairs };
            for variant in variants(&common, &places, &Factors::set()) {
                let [groups, _] = variant.groups(schedule.at_once);
                if variant.group.steps.is_in_registers() {
                    held += 1;
                    assert!(groups * variant.group.steps.lines >= schedule.at_once, "{points}");
                } else {
                    assert!(groups <= MOST_GROUPS);
                }
            }
        }
        assert!(held > 0);
    }
}
