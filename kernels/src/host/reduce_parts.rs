//! How a reduction on the host is cut into parts.
//!
//! Work is cut by its shape alone, never by the number of threads, so sums come out the same everywhere.

use arrayspan_bridge::{Lanes, LanesMut};

use super::evaluate::{Program, Registers, chunk};
use super::fold::{combine, fold, fold_each, identity, squares};
use super::halves::{by_halves, middle};
use super::operands::Operands;
use super::parts::{Parts, advance, for_each_block};
use super::scalar::Scalar;
use super::stored::Stored;
use crate::Reduction;

/// Sums carried along side by side where lanes run along a kept axis: enough for long lanes, and few
/// enough for the cache.
const KEPT: usize = 4096;

/// Fewer elements are reduced by one thread. Of sums it decides in which order they are added up, so it is a number, not
/// a matter of what cores can do.
pub(super) const GRAIN: usize = 64 * 1024;

/// The most parts of one reduction.
pub(super) const MOST_PARTS: usize = 256;

/// Elements whose squares are summed at a time.
pub(super) const SQUARES: usize = 4096;

/// Elements that go into each sum, at least, before sums are made apart and put together; of those that are made by one thread, lanes
/// or elements that are added up one after the other, at most: thousands of equal terms would all round alike.
const DEEP: usize = 64;

/// What is reduced.
pub(super) struct Reduce<'a, T, C> {
    pub(super) reduction: Reduction,
    pub(super) program: Program<C>,
    /// The input whose squares are summed, if nothing else is.
    pub(super) square: Option<usize>,
    pub(super) inputs: Vec<Lanes<'a, T>>,
    /// How many axes are kept; they come first.
    pub(super) kept: usize,
    /// Whether lanes run along the last kept axis, not along the last one.
    pub(super) along_kept: bool,
}

/// A part of all indices: where it begins and how far it goes along each axis.
#[derive(Clone)]
struct Part {
    origin: Vec<usize>,
    shape: Vec<usize>,
}

impl Part {
    fn halves(&self, axis: usize) -> [Self; 2] {
        let (mut first, mut second) = (self.clone(), self.clone());
        let half = middle(first.shape[axis]);
        first.shape[axis] = half;
        second.shape[axis] -= half;
        second.origin[axis] += half;
        [first, second]
    }
}

impl<T: Stored, C: Scalar> Reduce<'_, T, C> {
    fn all(&self) -> &[usize] {
        self.inputs.first().map_or(&[], |lanes| lanes.shape())
    }

    pub(super) fn run<O: Stored>(&self, out: LanesMut<'_, O>) {
        let reduced: usize = self.all()[self.kept..].iter().product();
        let least = if self.along_kept { KEPT } else { 1 };
        let grain = (GRAIN / reduced.max(1)).max(least);
        let len: usize = out.shape().iter().product();
        let block = (len > grain).then(|| Parts::Lanes.block(out.shape(), grain));
        for_each_block(out, block, &|origin, out| self.keep(origin.to_vec(), out));
    }

    /// Fills the part of the output that begins at `origin`.
    fn keep<O: Stored>(&self, mut origin: Vec<usize>, mut out: LanesMut<'_, O>) {
        let reduced = &self.all()[self.kept..];
        origin.resize(self.all().len(), 0);
        let shape = [out.shape(), reduced].concat();
        let sums = self.partial(Part { origin, shape });

        let sums: Vec<O::Number> = sums.into_iter().map(Scalar::converted).collect();
        let shape = out.shape().to_vec();
        let axis = shape.len() - 1;
        let mut index = vec![0; shape.len()];
        for lane in sums.chunks_exact(shape[axis]) {
            O::store(&mut out.lane(&index, axis, shape[axis]), 0, lane);
            advance(&mut index[..axis], &shape[..axis]);
        }
    }

    /// The results for the kept indices of `part`, row-major, over its reduced indices.
    fn partial(&self, part: Part) -> Vec<C::Wide> {
        let join = |first, second| self.join(first, second);
        by_halves(part, &|part| self.halves(part), &|leaf: Part| self.sums(&leaf), &join)
    }

    /// Each of the sums with the one of the other half.
    fn join(&self, mut first: Vec<C::Wide>, second: Vec<C::Wide>) -> Vec<C::Wide> {
        for (a, b) in first.iter_mut().zip(second) {
            *a = combine(self.reduction, *a, b);
        }
        first
    }

    /// The halves of a part, if it is large.
    fn halves(&self, part: &Part) -> Option<[Part; 2]> {
        let work: usize = part.shape.iter().product();
        let places: usize = part.shape[..self.kept].iter().product();
        let all: usize = self.all().iter().product();
        let grain = GRAIN.max(DEEP * places).max(all / MOST_PARTS);
        let long = (self.kept..part.shape.len()).find(|&axis| part.shape[axis] > 1);
        long.filter(|_| work > grain).map(|axis| part.halves(axis))
    }

    /// The axis that lanes run along.
    fn along(&self) -> usize {
        if self.along_kept { self.kept - 1 } else { self.all().len() - 1 }
    }

    /// As [`partial`](Self::partial), on this thread.
    fn sums(&self, part: &Part) -> Vec<C::Wide> {
        // Squares are summed as they are read; nothing of them is kept.
        let squares = self.square.is_some() && !self.along_kept;
        let chunk = if squares { SQUARES } else { chunk::<C>() }.min(part.shape[self.along()]);
        self.in_steps(part, &mut Evaluated::new(self, chunk))
    }

    /// The sums of a part, of halves that are made one after the other where many lanes go into each.
    fn in_steps<'a>(&'a self, part: &Part, lanes: &mut Evaluated<'a, T, C>) -> Vec<C::Wide> {
        let beside = (self.kept..part.shape.len()).filter(|axis| *axis != self.along());
        let deep: usize = beside.clone().map(|axis| part.shape[axis]).product();
        let long = beside.max_by_key(|axis| part.shape[*axis]);
        match long.filter(|_| deep > DEEP && self.reduction == Reduction::Sum) {
            Some(axis) => {
                let [first, second] = part.halves(axis);
                let first = self.in_steps(&first, lanes);
                self.join(first, self.in_steps(&second, lanes))
            }
            None => self.in_order(part, lanes),
        }
    }

    /// The sums of a part, one lane after the other.
    fn in_order<'a>(&'a self, part: &Part, lanes: &mut Evaluated<'a, T, C>) -> Vec<C::Wide> {
        let places: usize = part.shape[..self.kept].iter().product();
        let mut sums = vec![identity(self.reduction); places];
        let (axis, chunk) = (self.along(), lanes.chunk);
        let len = part.shape[axis];
        let mut walked = part.shape.clone();
        walked[axis] = 1;
        let mut index = vec![0; walked.len()];
        loop {
            let at: Vec<usize> = part.origin.iter().zip(&index).map(|(a, b)| a + b).collect();
            let kept = index.iter().zip(&part.shape).take(self.kept);
            let place = kept.fold(0, |place, (at, extent)| place * extent + at);
            lanes.operands.start(&self.inputs, &at, axis, len);
            for from in (0..len).step_by(chunk) {
                let n = chunk.min(len - from);
                if let Some(sum) = self.squares(lanes, from, n) {
                    sums[place] = combine(self.reduction, sums[place], sum);
                    continue;
                }
                let values = lanes.values(&self.program, from, n);
                if self.along_kept {
                    let sums = &mut sums[place + from..place + from + n];
                    fold_each(self.reduction, sums, values);
                } else {
                    let sum = fold(self.reduction, values);
                    sums[place] = combine(self.reduction, sums[place], sum);
                }
            }
            if !advance(&mut index, &walked) {
                return sums;
            }
        }
    }

    /// The sum of squares along a lane, where that is all that is asked.
    fn squares(&self, lanes: &Evaluated<'_, T, C>, from: usize, n: usize) -> Option<C::Wide> {
        let input = self.square.filter(|_| !self.along_kept)?;
        let items = T::numbers(lanes.operands.items(input, from, n)?)?;
        Some(squares(items).converted())
    }
}

/// The expression's values along a lane.
struct Evaluated<'a, T, C> {
    operands: Operands<'a, T, C>,
    /// Room for steps and results, made when it is needed first: sums of squares need none.
    room: Option<(Registers<C>, Vec<C>)>,
    chunk: usize,
}

impl<'a, T: Stored, C: Scalar> Evaluated<'a, T, C> {
    fn new(reduce: &Reduce<'a, T, C>, chunk: usize) -> Self {
        Self { operands: Operands::new(chunk, reduce.inputs.len()), room: None, chunk }
    }

    fn values(&mut self, program: &Program<C>, from: usize, n: usize) -> &[C] {
        self.operands.load(from, n);
        if let Some(slice) = program.as_input().and_then(|at| self.operands.slice(at, from, n)) {
            return slice;
        }
        let input = |number| self.operands.get(number, from, n);
        let (registers, values) = self
            .room
            .get_or_insert_with(|| (program.registers(self.chunk), vec![C::default(); self.chunk]));
        program.run(input, registers, &mut values[..n]);
        &values[..n]
    }
}
