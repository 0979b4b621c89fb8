//! The steps of transforms in local memory, as a kernel's text is told of them.

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::ops::Range;

use arrayspan_bridge::devices::KernelSource;
use arrayspan_bridge::iteration::Text;

use super::super::element::PRELUDE;
use super::apart::{Apart, Exchanged, Pads};
use crate::fourier::{Couples, LOCAL, Limits, Packed, Registers, packed, parts, radices, unpacked};

pub(in crate::gpu) const BUTTERFLY: &str = include_str!("../../source/fft_butterfly.cl.h");
pub(in crate::gpu) const FACTOR: &str = include_str!("../../source/fft_factor.cl.h");
pub(in crate::gpu) const CELLS: &str = include_str!("../../source/fft_cells.cl.h");
const TEXT: &str = include_str!("../../source/fft_steps.cl.h");
const IN_LOCAL: &str = include_str!("../../source/fft_local.cl.h");
const IN_REGISTERS: &str = include_str!("../../source/fft_registers.cl.h");

/// Numbers side by side in local memory that threads side by side take at once.
const BANKS: usize = 16;

/// Bytes of local memory that threads side by side take at once.
const WIDTH: usize = 128;

/// Registers of a processor, and those of a thread that are enough for the largest radix in single precision, of large groups and of small
/// ones, which are divided less coarsely.
const REGISTERS: usize = 64 << 10;
const OF_THREAD: [usize; 2] = [76, 84];

/// Groups that every processor can hold.
const MOST_RESIDENT: usize = 16;

/// Transforms of so many points that a group has in local memory, or in registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Steps {
    points: usize,
    radices: Packed,
    couples: Couples,
    /// What keeps numbers in local memory apart.
    pads: Pads,
    /// What the number of a transform is multiplied by to tell in which of the [`BANKS`] its first number is; 0 if all begin in one.
    mix: usize,
    /// Transforms of a group, and from one to the next in local memory.
    pub(in crate::gpu) lines: usize,
    pub(in crate::gpu) pitch: usize,
    pub(in crate::gpu) threads: usize,
    /// Numbers of a thread, if they are in registers, and whether threads exchange them by halves.
    numbers: Option<usize>,
    halved: bool,
    /// Bytes of what is in local memory: of a number, or of a part of it.
    bytes: usize,
    /// Groups that a processor is to have registers for.
    resident: usize,
}

impl Steps {
    /// `lines` transforms of so many points, in so much local memory, where a number takes so many bytes, by so many threads at most.
    pub(in crate::gpu) fn new(
        points: usize,
        lines: usize,
        (local, bytes): (usize, usize),
        most: usize,
    ) -> Self {
        Self::coupled(points, (lines, bytes), (local, most), ([false; 2], Couples::default()))
    }

    /// The same where two butterflies are made together at an end, or at both; `across` says whether threads side by side store and load
    /// several transforms.
    pub(in crate::gpu) fn coupled(
        points: usize,
        (lines, bytes): (usize, usize),
        (local, most): (usize, usize),
        (across, couples): ([bool; 2], Couples),
    ) -> Self {
        let (radices, room) = (radices(points, couples), local / bytes);
        let mixes = lines > 1 && points.is_power_of_two() && points > BANKS;
        // As many transforms as threads have numbers of at once are apart from each other.
        let at_once = (WIDTH / bytes).clamp(1, BANKS);
        let mix = if mixes { (at_once / lines.next_power_of_two()).max(1) } else { 0 };
        let Apart { pads, pitch } =
            if couples.any() && radices.len() > 1 && !points.is_power_of_two() {
                let packed = packed(&radices);
                let banks = WIDTH / bytes;
                Exchanged { points, radices: packed, couples, lines, across, room, banks }.apart()
            } else {
                apart(points, &radices, (lines, room), mixes)
            };
        let threads = threads(&radices, couples, points * lines, most);
        let of_thread = OF_THREAD[usize::from(threads < 256)];
        let resident = if bytes == 8 {
            (REGISTERS / (threads * of_thread)).clamp(1, MOST_RESIDENT)
        } else {
            1
        };
        let (radices, numbers) = (packed(&radices), None);
        Self {
            points,
            radices,
            couples,
            pads,
            mix,
            lines,
            pitch,
            threads,
            numbers,
            halved: false,
            bytes,
            resident,
        }
    }

    /// The same of numbers that threads hold; `None` if they cannot.
    pub(in crate::gpu) fn in_registers(
        points: usize,
        (lines, bytes): (usize, usize),
        limits: Limits,
        (across, couples): ([bool; 2], Couples),
    ) -> Option<Self> {
        let held = Registers::new(points, (lines, bytes), couples, limits)?;
        let Registers { threads, numbers, radices, halved } = held;
        let part = bytes / 2;
        let (room, banks) = (limits.local / part, WIDTH / part);
        let Apart { pads, pitch } = if halved {
            Apart { pads: Pads::default(), pitch: held.cells() }
        } else {
            Exchanged { points, radices, couples, lines, across, room, banks }.apart()
        };
        Some(Self {
            points,
            radices,
            couples,
            pads,
            mix: 0,
            lines,
            pitch,
            threads,
            numbers: Some(numbers),
            halved,
            bytes: part,
            resident: held.resident(bytes, couples),
        })
    }

    /// Whether numbers that would be apart from each other are not, for want of room for more than so many.
    pub(in crate::gpu) fn is_crowded(&self, room: usize) -> bool {
        let (none, all) = (Pads::default(), self.points * self.lines);
        self.pads == none && pads(self.points, &self.radices()) != none && all + all / 16 > room
    }

    /// Whether threads hold numbers.
    pub(in crate::gpu) fn is_in_registers(&self) -> bool {
        self.numbers.is_some()
    }

    fn radices(&self) -> Vec<usize> {
        unpacked(&self.radices)
    }

    /// Bytes of local memory that are asked for, if they are more than is given without being asked; else 0.
    pub(in crate::gpu) fn asked_bytes(&self) -> usize {
        let bytes = self.lines * self.pitch * self.bytes;
        if bytes > LOCAL { bytes } else { 0 }
    }

    /// The macros before the prelude.
    pub(in crate::gpu) fn define(&self, text: &mut Text) {
        let Self { points, lines, pitch, threads, .. } = self;
        text.define("POINTS", points);
        text.define("LINES", lines);
        text.define("PITCH", pitch);
        text.define("THREADS", threads);
        self.define_places(text);
        let radices = self.radices();
        let (mut all, mut before) = (Vec::new(), 1);
        for radix in &radices {
            let behind = points / (before * radix);
            all.push((radix, before, behind));
            before *= radix;
        }
        let (first, last) = match &radices[..] {
            [first, .., last] => (*first, *last),
            _ => (1, 1),
        };
        // Each step with what its numbers are of, and with the radix before it.
        let couples = if self.couples.first { "_COUPLES" } else { "" };
        let from = |at: usize| match at {
            0 => String::from("NONE, 1"),
            1 => format!("LOADED{couples}, {}", radices[0]),
            _ => format!("STEPPED, {}", radices[at - 1]),
        };
        let steps = |range: Range<usize>| {
            range.fold(String::new(), |mut list, at| {
                let (radix, before, behind) = all[at];
                // Writing to a String cannot fail.
                let _ = write!(list, " STEP({radix}, {before}, {behind}, {})", from(at));
                list
            })
        };
        // Whether there are a first and a last radix, beside others.
        let ends = usize::from(radices.len() > 1);
        let inner = all.len() - ends;
        let back = all[ends..].iter().rev().fold(String::new(), |mut list, step| {
            let (radix, before, behind) = step;
            let _ = write!(list, " BACK({radix}, {before}, {behind})");
            list
        });
        text.define("FIRST", first);
        text.define("FINAL", last);
        // Those between the first and the last; behind the first; and back, up to the first.
        text.define("STEPS", steps(ends..inner.max(ends)));
        text.define("STEPS_BEHIND", steps(ends..all.len()));
        text.define("STEPS_BACK", back);
        text.define(KernelSource::RESIDENT, self.resident);
        text.flag("LARGE", self.asked_bytes() > 0);
        if let (Some(numbers), [.., before, _]) = (self.numbers, &radices[..]) {
            text.define("HELD", numbers);
            text.flag("HALVED", self.halved);
            text.define("BEFORE_FINAL", before);
        }
        let butterflies = butterflies(&radices);
        for odd in [3, 5, 7, 11, 13].into_iter().filter(|odd| butterflies.contains(odd)) {
            text.define(format_args!("HAS_{odd}"), 1);
        }
        let products = butterflies.into_iter().filter_map(|radix| Some((radix, parts(radix)?)));
        let products = products.fold(String::new(), |mut list, (radix, [a, b])| {
            let _ = write!(list, " PRODUCT({radix}, {a}, {b})");
            list
        });
        text.define("PRODUCTS", products);
    }

    /// Where numbers are in local memory, and which one a bin is left at.
    fn define_places(&self, text: &mut Text) {
        let points = self.points;
        if points.is_power_of_two() && self.numbers.is_none() {
            // Those a power of two apart are in different banks.
            let mask = BANKS - 1;
            let turned = format!("((n) ^ ((((n) >> 4) ^ ((n) >> 8) ^ ((n) >> 12)) & {mask}))");
            text.define("CELL(n)", if points > BANKS { &turned } else { "(n)" });
            text.define("JOIN(a, b)", "((a) ^ (b))");
            text.define("MIX(own)", format_args!("((own) * {} & {mask})", self.mix));
        } else {
            let pads = self.pads.iter().filter(|[of, _]| *of > 0);
            let pads = pads.map(|[of, many]| format!(" + (n) / {of} * {many}"));
            text.define("CELL(n)", format_args!("((n){})", pads.collect::<String>()));
            text.define("JOIN(a, b)", "((a) + (b))");
            text.define("MIX(own)", 0);
        }
        let (mut before, mut digits) = (1, Vec::new());
        for radix in self.radices() {
            let behind = points / (before * radix);
            digits.push(format!("(k) / {before} % {radix} * {behind}"));
            before *= radix;
        }
        let place = if digits.is_empty() { "0".to_owned() } else { digits.join(" + ") };
        text.define("BIN(k)", format_args!("({place})"));
    }

    /// The text behind the macros: the prelude, butterflies, and steps.
    pub(in crate::gpu) fn add(&self, text: &mut Text) {
        text.add(PRELUDE);
        text.add(self.constants());
        let places = if self.numbers.is_some() { IN_REGISTERS } else { IN_LOCAL };
        for part in [BUTTERFLY, CELLS, FACTOR, TEXT, places] {
            text.add(part);
        }
    }

    /// The tables of butterflies.
    fn constants(&self) -> String {
        let mut text = String::new();
        let all = butterflies(&self.radices());
        for radix in all.into_iter().filter(|radix| radix % 2 == 1 || parts(*radix).is_some()) {
            let angle = |k: usize| TAU * k as f64 / radix as f64;
            let list = |of: fn(f64) -> f64| {
                let all = (0..radix).map(|k| format!("R({:e})", of(angle(k))));
                all.collect::<Vec<_>>().join(", ")
            };
            for (name, values) in [("COSINES", list(f64::cos)), ("SINES", list(f64::sin))] {
                // As above.
                let _ = writeln!(text, "CONSTANT real {name}_{radix}[{radix}] = {{ {values} }};");
            }
        }
        text
    }
}

/// The butterflies that these are made of, each once, parts first.
fn butterflies(radices: &[usize]) -> Vec<usize> {
    let mut all = Vec::new();
    for radix in radices {
        add_butterfly(*radix, &mut all);
    }
    all
}

fn add_butterfly(radix: usize, all: &mut Vec<usize>) {
    if !all.contains(&radix) {
        for part in parts(radix).into_iter().flatten() {
            add_butterfly(part, all);
        }
        all.push(radix);
    }
}

/// Those that bring numbers apart which threads side by side take: a butterfly's of the last step, and those of a bin and the next.
fn pads(points: usize, radices: &[usize]) -> Pads {
    let none = [0; 2];
    let ([first, .., last], false) = (radices, points.is_power_of_two()) else {
        return Pads::default();
    };
    let row = if last.is_multiple_of(2) { *last } else { 0 };
    let behind = points / first;
    let apart = behind + behind.checked_div(row).unwrap_or(0);
    let second = apart.is_multiple_of(2) && radices.len() > 2;
    [[row, usize::from(row > 0)], if second { [behind, 1] } else { none }, none]
}

/// The same, and from one transform to the next, where that fits.
fn apart(points: usize, radices: &[usize], (lines, room): (usize, usize), mixes: bool) -> Apart {
    let odd = usize::from(lines > 1 && !mixes);
    let with = |pads: Pads| {
        let free = pads.iter().map(|[of, many]| points.checked_div(*of).unwrap_or(0) * many);
        Apart { pads, pitch: (points + free.sum::<usize>()) | odd }
    };
    let all = [with(pads(points, radices)), with(Pads::default())];
    let found = all.into_iter().find(|apart| apart.pitch * lines <= room);
    found.unwrap_or(Apart { pads: Pads::default(), pitch: points })
}

/// Threads that share butterflies of these radices, of so many points in all, most evenly.
fn threads(radices: &[usize], couples: Couples, points: usize, most: usize) -> usize {
    // What they do and wait for others to do; and of few threads there is none to take the place of one that waits for memory.
    let cost = |threads: usize| {
        let rounds = radices.iter().enumerate().map(|(at, radix)| {
            let radix = radix * couples.of_step(at, radices.len());
            (points / radix).div_ceil(threads) * radix
        });
        rounds.sum::<usize>() * (threads + FEW)
    };
    let all = (1..=most / WARP).map(|warps| warps * WARP);
    all.min_by_key(|threads| (cost(*threads), std::cmp::Reverse(*threads))).unwrap_or(WARP)
}

/// Threads that a device runs together, and how many more would be worth their idle ones.
const WARP: usize = 32;
const FEW: usize = 96;
