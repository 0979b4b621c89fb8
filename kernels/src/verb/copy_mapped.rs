//! `y ← alpha · Σ xₛ[mₛ] + beta · y` along index maps, one pass for all of `y`.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::iteration::{Axes, Each};
use arrayspan_bridge::{Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, check};
use crate::factors::Factors;
use crate::plan::{Moved, Operands};
use crate::{Cost, Result, Update, cost};

const NAME: &str = "copy_mapped";

/// The most inputs of a mapped copy.
pub const MOST_MAPPED: usize = 4;

/// The most spans along one axis of an input.
pub const MOST_SPANS: usize = 8;

/// Indices of an axis of the output up to, without, `end`, from the end of the span before it. They read evenly spaced indices
/// of the input's axis, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The index after the last.
    pub end: usize,
    /// What the first index reads, and the steps from there to what the next one reads; `None` where nothing is read.
    pub reads: Option<(usize, isize)>,
}

/// What is read along one axis.
pub type Spans = Each<Span>;

/// An input of a mapped copy, and what is read of it along each axis of the output: its index along an axis follows from the
/// output's index along the same axis. Where nothing is read along some axis, it adds nothing.
#[derive(Clone, Debug)]
pub struct Mapped<'a> {
    /// As many axes as the output, of any extents.
    pub x: View<'a>,
    /// For each axis its spans, which make up the output's extent.
    pub axes: Axes<Spans>,
}

/// An input, as the call has it.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) x: Operand<'a>,
    pub(crate) axes: Axes<Spans>,
}

/// `y ← alpha · Σ xₛ[mₛ] + beta · y`: each element of `y` gets one element of each input, or nothing; zeros around, mirror images,
/// and the sums of what these read twice. Of 16-bit floats sums are those of `Float32`, rounded once.
#[derive(Debug)]
pub struct CopyMappedCall<'a> {
    pub(crate) sources: Vec<Source<'a>>,
    pub(crate) y: OperandMut<'a>,
    pub(crate) factors: Factors<'a>,
}

impl<'a> CopyMappedCall<'a> {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When the dtype is not one to compute with or differs between arrays; for no inputs or more than [`MOST_MAPPED`], an input
    /// of another number of axes than `y`, or more than [`MOST_SPANS`] spans along an axis; when spans do not rise to the extent of
    /// `y`, or what they read is not there; when a factor does not fit the dtype.
    pub fn new(sources: &[Mapped<'a>], y: ViewMut<'a>, update: Update<'a>) -> Result<Self> {
        let computed = check::stored(NAME, y.dtype())?;
        if sources.is_empty() || sources.len() > MOST_MAPPED {
            let why = format!("{} inputs, expected 1 to {MOST_MAPPED}", sources.len());
            return check::argument(NAME, why);
        }
        let name = OperandName::Input;
        for (number, source) in sources.iter().enumerate() {
            check::dtype(NAME, name(number), y.dtype(), source.x.dtype())?;
            let (shape, axes) = (source.x.shape(), source.axes.len());
            if shape.len() != y.shape().len() || axes != shape.len() {
                let (x, rank) = (name(number), y.shape().len());
                let why = format!("{x} has shape {shape:?} and maps of {axes} axes, y {rank} axes");
                return check::argument(NAME, why);
            }
            for (axis, (spans, extents)) in
                source.axes.iter().zip(shape.iter().zip(y.shape())).enumerate()
            {
                if let Some(why) = wrong(spans, *extents.0, *extents.1) {
                    return check::argument(NAME, format!("{}, axis {axis}: {why}", name(number)));
                }
            }
        }
        let factors = Factors::new(NAME, update, computed)?;
        let sources = sources.iter().map(|source| {
            let Mapped { x, axes } = source.clone();
            Source { x: x.into(), axes }
        });
        Ok(Self { sources: sources.collect(), y: y.into(), factors })
    }

    pub(super) fn held(&mut self) -> CopyMappedCall<'_> {
        let sources = self.sources.iter();
        let sources =
            sources.map(|source| Source { x: source.x.held(), axes: source.axes.clone() });
        CopyMappedCall {
            sources: sources.collect(),
            y: self.y.held(),
            factors: self.factors.held(),
        }
    }
}

/// What is wrong with the spans of an axis of these extents, that of the input and that of the output.
fn wrong(spans: &[Span], input: usize, output: usize) -> Option<String> {
    if spans.len() > MOST_SPANS {
        return Some(format!("{} spans, expected at most {MOST_SPANS}", spans.len()));
    }
    let mut start = 0;
    for Span { end, reads } in spans {
        if *end <= start {
            return Some(format!("a span ends at {end}, where it begins at {start}"));
        }
        if let Some((first, step)) = *reads {
            let last = (step as i128).checked_mul((end - start - 1) as i128);
            let last = last.and_then(|reach| reach.checked_add(first as i128));
            let inside = |index: i128| (0..input as i128).contains(&index);
            if !inside(first as i128) || !last.is_some_and(inside) {
                let count = end - start;
                let why =
                    format!("{count} indices from {first} on, {step} apart, are not below {input}");
                return Some(why);
            }
        }
        start = *end;
    }
    (start != output).then(|| format!("spans end at {start}, expected {output}"))
}

/// The elements of an input of this shape that are read, each once, where spans overlap as little as they can.
#[must_use]
pub fn read_of_mapped<'s>(
    shape: impl IntoIterator<Item = usize>,
    axes: impl IntoIterator<Item = &'s [Span]>,
) -> usize {
    let along = |(extent, spans): (usize, &[Span])| {
        let starts = std::iter::once(0).chain(spans.iter().map(|span| span.end));
        let counts = starts.zip(spans).map(|(start, span)| match span.reads {
            None => 0,
            Some((_, 0)) => 1,
            Some(_) => span.end - start,
        });
        counts.sum::<usize>().min(extent)
    };
    shape.into_iter().zip(axes).map(along).fold(1, usize::saturating_mul)
}

impl Verb for CopyMappedCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        for (number, source) in self.sources.iter().enumerate() {
            visit(OperandName::Input(number), Access::Read, &source.x);
        }
        self.factors.visit(visit);
        visit(OperandName::Named("y"), Access::Write, self.y.as_operand());
    }

    fn cost(&self) -> Cost {
        let mut cost = cost::of_output(&self.y, self.factors.reads());
        if self.y.layout().is_empty() {
            return cost;
        }
        let read = self.sources.iter().map(|source| {
            let axes = source.axes.iter().map(|spans| &spans[..]);
            let shape = source.x.layout().shape().iter().copied();
            read_of_mapped(shape, axes) * self.y.dtype().bytes()
        });
        cost.bytes_read += read.sum::<usize>() + self.factors.bytes();
        cost.flops = (self.sources.len() - 1) * self.y.layout().len();
        cost
    }
}

impl Operands for CopyMappedCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        self.sources.iter_mut().for_each(|source| moved.read(&mut source.x));
        moved.written(&mut self.y);
        self.factors.move_operands(moved);
    }
}
