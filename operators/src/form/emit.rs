//! From a normal form to steps: who writes where, in which order, and where intermediate results lie.

use std::sync::Arc;

use arrayspan_kernels::{Band, Stencil, StencilTerm};
use num_complex::Complex64;

use super::addends::Addend;
use super::draft::{Draft, INPUT, OUTPUT, Register};
use super::emitter::{Emitter, Task, What};
use super::normal::{Blocks, Factor, Normal, Part, Term};
use super::order::ordered;
use super::partition::Partition;
use super::placed::placed;
use super::program::{Act, Leaf, Program};
use super::together::together;
use super::{Orientation, collect, collect_maps};
use crate::number::{self, ONE};
use crate::{Devices, Space};

/// What was moved to other devices last, and is looked up before it is moved again.
const MOST_KEPT: usize = 64;

impl Program {
    /// The steps of a normal form.
    pub(crate) fn of(normal: &Normal, devices: Option<Devices>) -> Self {
        // A program whose steps are all on one device needs no device names.
        let several = |devices: &Devices| devices.one().is_none() || normal.moves();
        emit(normal, devices.filter(several))
    }
}

/// The steps of a normal form that reads and writes on these devices, if its steps are on several.
fn emit(normal: &Normal, devices: Option<Devices>) -> Program {
    let mut emitter = Emitter::default();
    let from = Register::of(INPUT, devices.map(|devices| devices.domain));
    let to = Register::of(OUTPUT, devices.map(|devices| devices.range));
    emitter.tasks.push(Task { what: What::Normal(normal), scale: ONE, from, to, first: true });
    while let Some(task) = emitter.tasks.pop() {
        match task.what {
            What::Normal(normal) => emitter.terms(normal, &task),
            What::Term(term, range) => emitter.factors(term, range, task),
            What::Factor(factor) => emitter.factor(factor, task),
            What::Pass(number) => {
                let pass = emitter.passes[number].clone();
                emitter.draft(Act::Pass(pass), &task);
            }
            What::Copy => emitter.draft(Act::Copy, &task),
        }
    }
    if devices.is_some() {
        ordered(&mut emitter.drafts);
    }
    let Emitter { drafts, spaces, .. } = emitter;
    let drafts = together(drafts, &spaces);
    let linear = normal.is_complex_linear();
    placed(drafts, &spaces, [&normal.domain, &normal.range], devices, linear)
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
        let dtype = normal.range.dtype();
        let terms = normal.terms.iter().map(|term| (collect::of_term(term, dtype), term));
        let mut addends = self.addends(terms.collect(), &normal.range, task.scale);
        let need = |addend: &Addend<&Term>| addend.need(|term| term.need());
        if task.to.number == OUTPUT && task.from.number != INPUT {
            addends.sort_by_key(need);
        } else {
            addends.sort_by_key(|addend| std::cmp::Reverse(need(addend)));
        }
        let start = self.tasks.len();
        for (at, addend) in addends.into_iter().enumerate() {
            let (from, first) = (task.from.clone(), task.first && at == 0);
            let term = match addend {
                Addend::Own(term) => term,
                Addend::Pass(number, scale) => {
                    let (what, to) = (What::Pass(number), task.to.clone());
                    self.tasks.push(Task { what, scale, from, to, first });
                    continue;
                }
            };
            let what = What::Term(term, &normal.range);
            if let Some(scale) = number::product(task.scale, term.scale, dtype) {
                let to = task.to.clone();
                self.tasks.push(Task { what, scale, from, to, first });
                continue;
            }
            // Two factors whose product is no number of the dtype: one after the other.
            let between = self.register(&normal.range, task.to.device);
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
            debug_assert!(term.scale.is_finite());
            self.tasks.push(Task { what: What::Copy, scale, from, to, first });
            return;
        };
        let start = self.tasks.len();
        let dtype = range.dtype();
        let mut at = 0;
        while let Some(factor) = last.checked_sub(at).and_then(|at| term.factors.get(at)) {
            let rest = || term.factors.range(..=last - at).rev();
            // Weights before and behind bands take no pass of their own.
            let fused = self.fused(rest, scale, dtype);
            let (what, count, scale) =
                fused.unwrap_or((What::Factor(factor), 1, if at == last { scale } else { ONE }));
            at += count;
            if at > last {
                self.tasks.push(Task { what, scale, from, to, first });
                break;
            }
            if let Some(there) = self.there(factor, &from) {
                from = there;
                continue;
            }
            let Some(factor) = term.factors.get(last + 1 - at) else { break };
            let next = self.register(&factor.range, factor.to.or(from.device));
            if matches!(factor.part, Part::Leaf(Leaf::Move(_))) {
                // Nothing else is written there, and it comes before all that is emitted from now on.
                self.moved.push((from.clone(), next.clone()));
            }
            let to = next.clone();
            self.tasks.push(Task { what, scale, from, to, first: true });
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

    /// What a move would give, if that has been done.
    fn there(&self, factor: &Factor, from: &Register) -> Option<Register> {
        let Part::Leaf(Leaf::Move(devices)) = &factor.part else { return None };
        let there = self.moved.iter().rev().take(MOST_KEPT);
        let mut there =
            there.filter(|(moved, to)| moved == from && to.device == Some(devices.range));
        there.next().map(|(_, to)| to.clone())
    }

    /// Parts write to their own part of the range, or add up in the whole of it.
    fn blocks(&mut self, blocks: &'a Blocks, task: &Task<'a>) {
        let slice = |partition: &'a Option<Arc<Partition>>, at: usize| {
            partition.as_ref().map(|partition| &partition.slices()[at])
        };
        if blocks.ranges.is_none() {
            return self.added(blocks, task);
        }
        if let Some((stencil, axis, scale)) = each(blocks)
            && let Some(scale) = number::product(task.scale, scale, blocks.parts[0].range.dtype())
        {
            let (from, to) = (task.from.clone(), task.to.clone());
            let first = task.first;
            self.drafts.push(Draft { act: Act::Each(stencil, axis), from, to, scale, first });
            return;
        }
        if let Some(maps) = collect_maps::maps(blocks, task.scale) {
            let (from, to, first) = (task.from.clone(), task.to.clone(), task.first);
            self.drafts.push(Draft { act: Act::Maps(maps), from, to, scale: ONE, first });
            return;
        }
        let mut order: Vec<usize> = (0..blocks.parts.len()).collect();
        // What runs elsewhere is enqueued before the host has work of its own.
        order.sort_by_key(|&at| !blocks.parts[at].moves());
        let tasks = order.into_iter().map(|at| Task {
            what: What::Normal(&blocks.parts[at]),
            scale: task.scale,
            from: task.from.part(slice(&blocks.domains, at)),
            to: task.to.part(slice(&blocks.ranges, at)),
            first: task.first,
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
                let between = self.register(&factor.range, task.to.device);
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
        let x = self.register(&factor.domain, task.from.device);
        let y = self.register(&factor.range, task.to.device);
        let set = |act, from, to| Draft { act, from, to, scale: ONE, first: true };
        self.drafts.push(set(Act::Conjugate, task.from, x.clone()));
        self.drafts.push(set(act, x, y.clone()));
        let Task { to, scale, first, .. } = task;
        self.drafts.push(Draft { act: Act::Conjugate, from: y, to, scale, first });
    }
}

/// The terms of a stencil, if they are what is stacked along an axis of its own, in the order of their axes and all times one
/// factor; with that axis.
fn each(blocks: &Blocks) -> Option<(Stencil, usize, Complex64)> {
    let stacked = blocks.ranges.as_ref().filter(|ranges| ranges.is_stacked())?;
    if blocks.domains.is_some() || !(2..=StencilTerm::MOST).contains(&blocks.parts.len()) {
        return None;
    }
    let mut terms: Vec<(usize, Band)> = Vec::with_capacity(blocks.parts.len());
    let mut factor = None;
    for part in &blocks.parts {
        let [Term { scale, factors }] = &part.terms[..] else { return None };
        let (Some(only), 1) = (factors.front(), factors.len()) else { return None };
        let Part::Leaf(Leaf::Stencil(stencil)) = &only.part else { return None };
        let [(axis, band)] = stencil.terms() else { return None };
        let follows = terms.last().is_none_or(|(before, _)| before < axis);
        if !follows || *factor.get_or_insert(*scale) != *scale || part.moves() {
            return None;
        }
        terms.push((*axis, band.clone()));
    }
    let axis = stacked.slices().first()?.axis();
    Some((Stencil::new(terms).ok()?, axis, factor?))
}
