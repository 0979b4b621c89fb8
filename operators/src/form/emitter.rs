//! What is kept while a normal form becomes steps.

use arrayspan_bridge::devices::Device;
use num_complex::Complex64;

use super::draft::{Draft, OUTPUT, Register};
use super::normal::{Factor, Normal, Term};
use super::pass::Pass;
use super::program::Act;
use crate::Space;

/// Something still to be emitted.
pub(super) struct Task<'a> {
    pub(super) what: What<'a>,
    pub(super) scale: Complex64,
    pub(super) from: Register,
    pub(super) to: Register,
    /// Whether it is the first to write there.
    pub(super) first: bool,
}

#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    Normal(&'a Normal),
    Term(&'a Term, &'a Space),
    Factor(&'a Factor),
    /// By its number.
    Pass(usize),
    Copy,
}

/// Tasks wait on a list, the next one last.
#[derive(Default)]
pub(super) struct Emitter<'a> {
    pub(super) tasks: Vec<Task<'a>>,
    pub(super) drafts: Vec<Draft>,
    /// Sums that one pass computes.
    pub(super) passes: Vec<Pass>,
    /// The intermediate results, which are numbered behind input and output: their spaces, and where they lie.
    pub(super) spaces: Vec<(Space, Option<Device>)>,
    /// What has been moved to another device as it is, and where it is there.
    pub(super) moved: Vec<(Register, Register)>,
}

impl Emitter<'_> {
    pub(super) fn draft(&mut self, act: Act, task: &Task<'_>) {
        let (from, to) = (task.from.clone(), task.to.clone());
        self.drafts.push(Draft { act, from, to, scale: task.scale, first: task.first });
    }

    /// A new intermediate result.
    pub(super) fn register(&mut self, space: &Space, device: Option<Device>) -> Register {
        self.spaces.push((space.clone(), device));
        Register::of(OUTPUT + self.spaces.len(), device)
    }
}
