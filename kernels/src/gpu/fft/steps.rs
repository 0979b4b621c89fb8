//! The steps of transforms in local memory, as a kernel's text is told of them.

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::ops::Range;

use arrayspan_bridge::devices::KernelSource;
use arrayspan_bridge::iteration::Text;

use super::super::element::PRELUDE;
use super::apart::{Apart, Exchanged, Pads};
use crate::fourier::{LOCAL, Limits, Registers, parts, radices};

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

/// Registers of a processor, and those of a thread that are enough for the largest radix.
const REGISTERS: usize = 64 << 10;
const OF_THREAD: usize = 76;

/// Transforms of so many points that a group has in local memory, or in registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Steps {
    points: usize,
    /// What keeps numbers in local memory apart.
    pads: Pads,
    /// What the number of a transform is multiplied by to tell in which of the [`BANKS`] its first number is; 0 if all begin in one.
    mix: usize,
    /// Transforms of a group, and from one to the next in local memory.
    pub(in crate::gpu) lines: usize,
    pub(in crate::gpu) pitch: usize,
    pub(in crate::gpu) threads: usize,
    /// How threads share them, if they are in registers.
    registers: Option<Registers>,
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
        let (radices, room) = (radices(points), local / bytes);
        let mixes = lines > 1 && points.is_power_of_two() && points > BANKS;
        let mut pads = pads(points, &radices);
        let odd = usize::from(lines > 1 && !mixes);
        let pitch = |pads: Pads| {
            let free = pads.iter().map(|[of, many]| points.checked_div(*of).unwrap_or(0) * many);
            (points + free.sum::<usize>()) | odd
        };
        if pitch(pads) * lines > room {
            pads = Pads::default();
        }
        let fits = pitch(pads) * lines <= room;
        let pitch = if fits { pitch(pads) } else { points };
        // As many transforms as threads have numbers of at once are apart from each other.
        let at_once = (WIDTH / bytes).clamp(1, BANKS);
        let mix = if mixes { (at_once / lines.next_power_of_two()).max(1) } else { 0 };
        let threads = threads(&radices, points * lines, most);
        let resident = (REGISTERS / (threads * OF_THREAD)).max(1);
        Self { points, pads, mix, lines, pitch, threads, registers: None, bytes, resident }
    }

    /// The same of numbers that threads hold, where `across` says whether those side by side store and load several transforms, `pairs`
    /// whether numbers and their mirror images are taken together; `None` if they cannot.
    pub(in crate::gpu) fn in_registers(
        points: usize,
        (lines, bytes): (usize, usize),
        limits: Limits,
        (across, pairs): ([bool; 2], bool),
    ) -> Option<Self> {
        let held = Registers::new(points, lines, bytes, limits)?;
        let part = bytes / 2;
        let (room, banks) = (limits.local / part, WIDTH / part);
        let Apart { pads, pitch } =
            Exchanged { points, held, lines, across, pairs, room, banks }.apart();
        let (threads, registers) = (held.threads, Some(held));
        let resident = held.resident(bytes, pairs);
        Some(Self { points, pads, mix: 0, lines, pitch, threads, registers, bytes: part, resident })
    }

    /// Whether numbers that would be apart from each other are not, for want of room.
    pub(in crate::gpu) fn is_crowded(&self) -> bool {
        self.pads != pads(self.points, &radices(self.points))
    }

    fn radices(&self) -> Vec<usize> {
        self.registers.map_or_else(|| radices(self.points), |held| held.radices())
    }

    /// Bytes of local memory.
    pub(in crate::gpu) fn local_bytes(&self) -> usize {
        self.lines * self.pitch * self.bytes
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
        let from = |first: usize, at: usize| match (first, at) {
            (0, 0) => "PAIRED, 2".to_owned(),
            (1, 1) => format!("LOADED, {}", radices[0]),
            _ => format!("STEPPED, {}", radices[at - 1]),
        };
        let steps = |range: Range<usize>| {
            range.clone().fold(String::new(), |mut list, at| {
                let (radix, before, behind) = all[at];
                // Writing to a String cannot fail.
                let _ =
                    write!(list, " STEP({radix}, {before}, {behind}, {})", from(range.start, at));
                list
            })
        };
        let back = all.iter().skip(ends_of(&radices)).rev().fold(
            String::new(),
            |mut list, (radix, before, behind)| {
                let _ = write!(list, " BACK({radix}, {before}, {behind})");
                list
            },
        );
        let ends = ends_of(&radices);
        let inner = all.len() - ends;
        text.define("FIRST", first);
        text.define("FINAL", last);
        // Those between the first and the last; before the last; behind the first; and back, up to the first.
        text.define("STEPS", steps(ends..inner.max(ends)));
        text.define("ALL_STEPS", steps(0..all.len()));
        text.define("STEPS_AHEAD", steps(0..inner));
        text.define("STEPS_BEHIND", steps(ends..all.len()));
        text.define("STEPS_BACK", back);
        text.define(KernelSource::RESIDENT, self.resident);
        text.flag("LARGE", self.local_bytes() > LOCAL);
        if let (Some(held), [.., before, _]) = (self.registers, &radices[..]) {
            text.define("HELD", held.numbers);
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
        if points.is_power_of_two() && self.registers.is_none() {
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
        let places = if self.registers.is_some() { IN_REGISTERS } else { IN_LOCAL };
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
        let with_parts = parts(*radix).into_iter().flatten().chain([*radix]);
        for radix in with_parts {
            if !all.contains(&radix) {
                all.push(radix);
            }
        }
    }
    all
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

/// Whether there are a first and a last radix, beside others.
fn ends_of(radices: &[usize]) -> usize {
    usize::from(radices.len() > 1)
}

/// Threads that share butterflies of these radices, of so many points in all, most evenly.
fn threads(radices: &[usize], points: usize, most: usize) -> usize {
    // What they do and wait for others to do; and of few threads there is none to take the place of one that waits for memory.
    let cost = |threads: usize| {
        let rounds = radices.iter().map(|radix| (points / radix).div_ceil(threads) * radix);
        rounds.sum::<usize>() * (threads + FEW)
    };
    let all = (1..=most / WARP).map(|warps| warps * WARP);
    all.min_by_key(|threads| (cost(*threads), std::cmp::Reverse(*threads))).unwrap_or(WARP)
}

/// Threads that a device runs together, and how many more would be worth their idle ones.
const WARP: usize = 32;
const FEW: usize = 96;
