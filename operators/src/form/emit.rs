//! From a normal form to steps: who writes where, in which order, and where intermediate results lie.

use std::sync::Arc;

use arrayspan_bridge::CARVE_BYTES;
use num_complex::Complex64;

use super::Orientation;
use super::leaf::Leaf;
use super::normal::{Blocks, Factor, Normal, Part, Term};
use super::partition::{Partition, Slice};
use super::program::{Act, Place, Program, Step};
use super::properties::{cost, is_real};
use super::registers::{Lifetime, arranged};
use super::rewrite::{ONE, fits};
use crate::number::Gain;
use crate::{Space, scratch_bytes};

/// The arrays that the caller gives.
const INPUT: usize = 0;
const OUTPUT: usize = 1;

/// An array, numbered, and which part of it.
#[derive(Clone)]
struct Register {
    number: usize,
    path: Vec<Slice>,
}

impl Register {
    fn of(number: usize) -> Self {
        Self { number, path: Vec::new() }
    }

    fn part(&self, slice: Option<&Slice>) -> Self {
        let path = self.path.iter().chain(slice).cloned().collect();
        Self { number: self.number, path }
    }
}

/// Something still to be emitted.
struct Task<'a> {
    what: What<'a>,
    scale: Complex64,
    from: Register,
    to: Register,
    /// Whether it is the first to write there.
    first: bool,
}

#[derive(Clone, Copy)]
enum What<'a> {
    Normal(&'a Normal),
    Term(&'a Term, &'a Space),
    Factor(&'a Factor),
    Copy,
}

/// A step whose places are not known yet.
struct Draft {
    act: Act,
    from: Register,
    to: Register,
    scale: Complex64,
    first: bool,
}

/// Tasks wait on a list, the next one last.
#[derive(Default)]
struct Emitter<'a> {
    tasks: Vec<Task<'a>>,
    drafts: Vec<Draft>,
    /// The spaces of the intermediate results, which are numbered behind input and output.
    spaces: Vec<Space>,
}

pub(super) fn emit(normal: &Normal) -> Program {
    let mut emitter = Emitter::default();
    let (from, to) = (Register::of(INPUT), Register::of(OUTPUT));
    emitter.tasks.push(Task { what: What::Normal(normal), scale: ONE, from, to, first: true });
    while let Some(task) = emitter.tasks.pop() {
        match task.what {
            What::Normal(normal) => emitter.terms(normal, &task),
            What::Term(term, range) => emitter.factors(term, range, task),
            What::Factor(factor) => emitter.factor(factor, task),
            What::Copy => emitter.draft(Act::Copy, &task),
        }
    }
    emitter.program(&normal.domain, &normal.range)
}

impl<'a> Emitter<'a> {
    /// A sum. The term that needs most intermediate results is first, so that the sum itself is not there yet while it
    /// runs; or last, if the sum goes to the caller's array and it is the input that can be given up meanwhile.
    fn terms(&mut self, normal: &'a Normal, task: &Task<'a>) {
        if normal.terms.is_empty() {
            if task.first {
                self.draft(Act::Zero, task);
            }
            return;
        }
        let mut terms: Vec<&Term> = normal.terms.iter().collect();
        if task.to.number == OUTPUT && task.from.number != INPUT {
            terms.sort_by_key(|term| term.need());
        } else {
            terms.sort_by_key(|term| std::cmp::Reverse(term.need()));
        }
        let dtype = normal.range.dtype();
        let start = self.tasks.len();
        for (at, term) in terms.into_iter().enumerate() {
            let (from, first) = (task.from.clone(), task.first && at == 0);
            let what = What::Term(term, &normal.range);
            let scale = task.scale * term.scale;
            if fits(scale, dtype) {
                let to = task.to.clone();
                self.tasks.push(Task { what, scale, from, to, first });
                continue;
            }
            // Two factors whose product is no number of the dtype: one after the other.
            let between = self.register(&normal.range);
            let to = between.clone();
            self.tasks.push(Task { what, scale: term.scale, from, to, first: true });
            let (scale, to) = (task.scale, task.to.clone());
            self.tasks.push(Task { what: What::Copy, scale, from: between, to, first });
        }
        self.tasks[start..].reverse();
    }

    /// A product: from one factor to the next by way of intermediate results.
    fn factors(&mut self, term: &'a Term, range: &Space, task: Task<'a>) {
        let Task { scale, to, first, .. } = task;
        let mut from = task.from;
        let Some(last) = term.factors.len().checked_sub(1) else {
            debug_assert!(term.scale.is_finite() && range.dtype().is_computable());
            self.tasks.push(Task { what: What::Copy, scale, from, to, first });
            return;
        };
        let start = self.tasks.len();
        for (at, factor) in term.factors.iter().rev().enumerate() {
            let what = What::Factor(factor);
            if at == last {
                self.tasks.push(Task { what, scale, from, to, first });
                break;
            }
            let next = self.register(&factor.range);
            let to = next.clone();
            self.tasks.push(Task { what, scale: ONE, from, to, first: true });
            from = next;
        }
        self.tasks[start..].reverse();
    }

    fn factor(&mut self, factor: &'a Factor, task: Task<'a>) {
        match &factor.part {
            Part::Leaf(leaf) => self.leaf(leaf, factor, task),
            Part::Sum(sum) => self.tasks.push(Task { what: What::Normal(sum), ..task }),
            Part::Blocks(blocks) => self.blocks(blocks, &task),
        }
    }

    /// Parts write to their own part of the range, or add up in the whole of it.
    fn blocks(&mut self, blocks: &'a Blocks, task: &Task<'a>) {
        let slice = |partition: &'a Option<Arc<Partition>>, at: usize| {
            partition.as_ref().map(|partition| &partition.slices()[at])
        };
        let added = blocks.ranges.is_none();
        let mut order: Vec<usize> = (0..blocks.parts.len()).collect();
        if added {
            order.sort_by_key(|&at| std::cmp::Reverse(blocks.parts[at].need()));
        }
        let tasks = order.into_iter().enumerate().map(|(turn, at)| Task {
            what: What::Normal(&blocks.parts[at]),
            scale: task.scale,
            from: task.from.part(slice(&blocks.domains, at)),
            to: task.to.part(slice(&blocks.ranges, at)),
            first: task.first && (turn == 0 || !added),
        });
        let tasks: Vec<_> = tasks.collect();
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn leaf(&mut self, leaf: &Leaf, factor: &Factor, task: Task<'a>) {
        match leaf {
            Leaf::Map { map, orientation } if orientation.conj => {
                let orientation = Orientation { conj: false, ..*orientation };
                let plain = Leaf::Map { map: map.clone(), orientation };
                self.conjugated(Act::Leaf(plain), factor, task);
            }
            Leaf::Call(program) if !program.gain().times(task.scale).fits(factor.range.dtype()) => {
                // Factors within and without whose product is no number of the dtype: one after the other.
                let between = self.register(&factor.range);
                let Task { from, to, scale, first, .. } = task;
                let (whole, inner) = (between.clone(), between);
                let act = Act::Leaf(leaf.clone());
                self.drafts.push(Draft { act, from, to: inner, scale: ONE, first: true });
                self.drafts.push(Draft { act: Act::Copy, from: whole, to, scale, first });
            }
            leaf => self.draft(Act::Leaf(leaf.clone()), &task),
        }
    }

    /// `conj(A) x = conj(A conj(x))`
    fn conjugated(&mut self, act: Act, factor: &Factor, task: Task<'a>) {
        let [x, y] = [&factor.domain, &factor.range].map(|space| self.register(space));
        let set = |act, from, to| Draft { act, from, to, scale: ONE, first: true };
        self.drafts.push(set(Act::Conjugate, task.from, x.clone()));
        self.drafts.push(set(act, x, y.clone()));
        let Task { to, scale, first, .. } = task;
        self.drafts.push(Draft { act: Act::Conjugate, from: y, to, scale, first });
    }

    fn draft(&mut self, act: Act, task: &Task<'_>) {
        let (from, to) = (task.from.clone(), task.to.clone());
        self.drafts.push(Draft { act, from, to, scale: task.scale, first: task.first });
    }

    /// A new intermediate result.
    fn register(&mut self, space: &Space) -> Register {
        self.spaces.push(space.clone());
        Register::of(OUTPUT + self.spaces.len())
    }

    /// The steps, with a place for each intermediate result from its first use to its last.
    fn program(self, domain: &Space, range: &Space) -> Program {
        let dtype = range.dtype();
        let mut lifetimes: Vec<Lifetime> =
            self.spaces.iter().map(|space| Lifetime::new(scratch_bytes(space))).collect();
        for (at, draft) in self.drafts.iter().enumerate() {
            for register in [&draft.from, &draft.to] {
                if let Some(number) = register.number.checked_sub(OUTPUT + 1) {
                    lifetimes[number].used(at);
                }
            }
        }
        // What a step takes for itself lives as long as the step.
        let first_own = lifetimes.len();
        for (at, draft) in self.drafts.iter().enumerate() {
            // An author may ask for any number of bytes: for so many that there is no room, there is no room.
            let bytes = draft.act.bytes(dtype).checked_next_multiple_of(CARVE_BYTES);
            let mut own = Lifetime::new(bytes.unwrap_or(usize::MAX));
            own.used(at);
            lifetimes.push(own);
        }
        let (starts, bytes) = arranged(&lifetimes);
        let place = |register: Register| Place {
            scratch: register
                .number
                .checked_sub(OUTPUT + 1)
                .map(|number| (starts[number], self.spaces[number].clone())),
            path: register.path.into(),
        };
        let mut gain: Option<Gain> = None;
        let steps = self.drafts.into_iter().enumerate().map(|(at, draft)| {
            let Draft { act, from, to, scale, first } = draft;
            if to.number == OUTPUT {
                let here = Gain::ONE.times(scale);
                let inner = match &act {
                    Act::Leaf(Leaf::Call(program)) => program.gain.times(scale),
                    _ => here,
                };
                gain = Some(gain.map_or(inner, |gain| gain.union(inner)));
            }
            let own = (starts[first_own + at], act.bytes(dtype));
            Step { act, from: place(from), to: place(to), scale, first, own }
        });
        let steps: Vec<Step> = steps.collect();
        let (is_real, cost) = (is_real(&steps, domain, range), cost(&steps, domain, range, ONE));
        Program { steps, bytes, gain: gain.unwrap_or(Gain::ONE), is_real, cost }
    }
}
