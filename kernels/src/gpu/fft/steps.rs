//! The steps of transforms in local memory, as a kernel's text is told of them.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use arrayspan_bridge::iteration::Text;

use super::super::element::PRELUDE;
use crate::fourier::{parts, radices};

pub(in crate::gpu) const BUTTERFLY: &str = include_str!("../../source/fft_butterfly.cl.h");
pub(in crate::gpu) const FACTOR: &str = include_str!("../../source/fft_factor.cl.h");
pub(in crate::gpu) const CELLS: &str = include_str!("../../source/fft_cells.cl.h");
const TEXT: &str = include_str!("../../source/fft_steps.cl.h");

/// Numbers side by side in local memory that threads side by side take at once.
const BANKS: usize = 16;

/// Bytes of local memory that threads side by side take at once.
const WIDTH: usize = 128;

/// Transforms of so many points that a group has in local memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Steps {
    points: usize,
    /// How many numbers follow each other in local memory before one that only keeps them apart, in two ways; 0 for none.
    pads: [usize; 2],
    /// What the number of a transform is multiplied by to tell in which of the [`BANKS`] its first number is; 0 if all begin in one.
    mix: usize,
    /// Transforms of a group, and from one to the next in local memory.
    pub(in crate::gpu) lines: usize,
    pub(in crate::gpu) pitch: usize,
    pub(in crate::gpu) threads: usize,
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
        let pitch = |pads: [usize; 2]| {
            let all =
                points + pads.iter().filter(|pad| **pad > 0).map(|pad| points / pad).sum::<usize>();
            all | odd
        };
        if pitch(pads) * lines > room {
            pads = [0; 2];
        }
        let fits = pitch(pads) * lines <= room;
        let pitch = if fits { pitch(pads) } else { points };
        // As many transforms as threads have numbers of at once are apart from each other.
        let at_once = (WIDTH / bytes).clamp(1, BANKS);
        let mix = if mixes { (at_once / lines.next_power_of_two()).max(1) } else { 0 };
        Self { points, pads, lines, pitch, mix, threads: threads(&radices, points * lines, most) }
    }

    /// Numbers in local memory.
    pub(in crate::gpu) fn held(&self) -> usize {
        self.lines * self.pitch
    }

    /// The macros before the prelude.
    pub(in crate::gpu) fn define(&self, text: &mut Text) {
        let Self { points, lines, pitch, threads, .. } = self;
        text.define("POINTS", points);
        text.define("LINES", lines);
        text.define("PITCH", pitch);
        text.define("THREADS", threads);
        self.define_places(text);
        let radices = radices(*points);
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
        let named = |name: &str, of: &mut dyn Iterator<Item = &(&usize, usize, usize)>| {
            of.fold(String::new(), |mut list, (radix, before, behind)| {
                // Writing to a String cannot fail.
                let _ = write!(list, " {name}({radix}, {before}, {behind})");
                list
            })
        };
        let ends = usize::from(radices.len() > 1);
        let inner = all.len() - ends;
        text.define("FIRST", first);
        text.define("FINAL", last);
        // Those between the first and the last; before the last; behind the first; and back, up to the first.
        text.define("STEPS", named("STEP", &mut all[ends..inner].iter()));
        text.define("ALL_STEPS", named("STEP", &mut all.iter()));
        text.define("STEPS_AHEAD", named("STEP", &mut all[..inner].iter()));
        text.define("STEPS_BEHIND", named("STEP", &mut all[ends..].iter()));
        text.define("STEPS_BACK", named("BACK", &mut all[ends..].iter().rev()));
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
        if points.is_power_of_two() {
            // Those a power of two apart are in different banks.
            let mask = BANKS - 1;
            let turned = format!("((n) ^ ((((n) >> 4) ^ ((n) >> 8) ^ ((n) >> 12)) & {mask}))");
            text.define("CELL(n)", if points > BANKS { &turned } else { "(n)" });
            text.define("JOIN(a, b)", "((a) ^ (b))");
            text.define("MIX(own)", format_args!("((own) * {} & {mask})", self.mix));
        } else {
            let pads =
                self.pads.iter().filter(|pad| **pad > 0).map(|pad| format!(" + (n) / {pad}"));
            text.define("CELL(n)", format_args!("((n){})", pads.collect::<String>()));
            text.define("JOIN(a, b)", "((a) + (b))");
            text.define("MIX(own)", 0);
        }
        let (mut before, mut digits) = (1, Vec::new());
        for radix in radices(points) {
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
        for part in [BUTTERFLY, CELLS, FACTOR, TEXT] {
            text.add(part);
        }
    }

    /// The tables of butterflies.
    fn constants(&self) -> String {
        let mut text = String::new();
        let all = butterflies(&radices(self.points));
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
fn pads(points: usize, radices: &[usize]) -> [usize; 2] {
    let ([first, .., last], false) = (radices, points.is_power_of_two()) else { return [0; 2] };
    let row = if last.is_multiple_of(2) { *last } else { 0 };
    let behind = points / first;
    let apart = behind + behind.checked_div(row).unwrap_or(0);
    [row, if apart.is_multiple_of(2) && radices.len() > 2 { behind } else { 0 }]
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
