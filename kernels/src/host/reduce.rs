//! `out ← reduction over axes of expression(inputs)` on the host.
//!
//! Work is cut by its shape alone, never by the number of threads, so sums come out the same everywhere.

use arrayspan_bridge::expression::{Node, Unary};
use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{DType, Lanes, LanesMut, Operand, Relayout, View, ViewMut, parallel};
use num_complex::{Complex32, Complex64};

use super::evaluate::{Program, Registers, chunk};
use super::fold::{combine, fold, fold_each, identity, squares};
use super::map;
use super::operands::{Operands, given};
use super::parts::{Parts, advance, by_stride, for_each_block};
use super::scalar::{Scalar, with_scalar};
use crate::cost::distinct_bytes;
use crate::verb::{MapCall, ReduceCall};
use crate::{Expression, Reduction, Result, constant};

/// Sums carried along side by side where lanes run along a kept axis: enough for long lanes, and few
/// enough for the cache.
const KEPT: usize = 4096;

/// Fewer elements are reduced by one thread. Of sums it decides in which order they are added up, so it is a number, not
/// a matter of what cores can do.
const GRAIN: usize = 64 * 1024;

/// The most parts of one reduction.
const MOST_PARTS: usize = 256;

/// Elements whose squares are summed at a time.
const SQUARES: usize = 4096;

/// Elements that go into each sum, at least, before sums are made apart and put together.
const DEEP: usize = 64;

pub(super) fn run(call: &mut ReduceCall<'_>) -> Result<()> {
    if call.out.layout().is_empty() {
        return Ok(());
    }
    if call.moments > 1 {
        return (0..call.moments).try_for_each(|number| run(&mut call.moment(number)?));
    }
    if call.shape().contains(&0) {
        let nothing = constant(identity::<f64>(call.reduction));
        return map::run(&mut MapCall::new(&nothing, &[], call.out.view_mut())?);
    }
    match (call.dtype(), call.out.dtype()) {
        (DType::Float32, DType::Float64) => reduce::<f32, f64, f64>(call),
        (DType::Complex64, DType::Float32) => reduce::<Complex32, Complex32, f32>(call),
        (DType::Complex64, DType::Float64) => reduce::<Complex32, Complex64, f64>(call),
        (DType::Complex128, DType::Float64) => reduce::<Complex64, Complex64, f64>(call),
        (dtype, _) => with_scalar!("reduce", dtype, T => reduce::<T, T, T>(call)),
    }
}

/// The input whose squared absolute value an expression is, if it is nothing else.
fn square_of(expression: &Expression) -> Option<usize> {
    let Node::Unary(Unary::AbsoluteSquare, a) = expression.node() else { return None };
    match a.node() {
        Node::Input(number) => Some(*number),
        _ => None,
    }
}

/// Reduces elements `T`, computing with `C`, to results `O`.
fn reduce<T: Scalar, C: Scalar, O: Scalar>(call: &mut ReduceCall<'_>) -> Result<()> {
    let square = square_of(&call.expression).filter(|_| {
        // The squares that the computation would have are those of the sum.
        call.reduction == Reduction::Sum && C::DTYPE.real() == DType::Float64
    });
    let inputs: Vec<View<'_>> = call.inputs.iter().map(Operand::view).collect();
    let (inputs, mut out) = arranged(inputs, &call.axes, call.out.view_mut())?;
    let kept = out.shape().len();
    // The lane with the smaller steps is the one to walk along.
    let along_kept = inputs
        .iter()
        .max_by_key(|view| distinct_bytes(view.layout(), view.dtype()))
        .is_some_and(|view| {
            let strides = view.layout().strides();
            let step = |axis: usize| match (view.shape()[axis], strides[axis].unsigned_abs()) {
                (1, _) | (_, 0) => usize::MAX,
                (_, step) => step,
            };
            step(kept - 1) < step(strides.len() - 1)
        });
    let inputs = inputs.iter().map(View::lanes::<T>).collect::<Result<Vec<_>, _>>()?;
    let program = Program::<C>::new(&call.expression, &given(&inputs));
    let reduce = Reduce { reduction: call.reduction, program, square, inputs, kept, along_kept };
    reduce.run(out.lanes_mut::<O>()?);
    Ok(())
}

/// Views with as few axes as possible, at least one that is kept and, behind these, one that is reduced.
fn arranged<'a>(
    inputs: Vec<View<'a>>,
    axes: &[usize],
    out: ViewMut<'a>,
) -> Result<(Vec<View<'a>>, ViewMut<'a>)> {
    if axes.len() == inputs.first().map_or(0, |view| view.shape().len())
        && inputs.iter().all(|view| view.layout().is_contiguous())
    {
        let len = inputs.first().map_or(0, |view| view.layout().len());
        let line = |view: View<'a>| Ok(view.reshaped(&[1, len])?);
        return Ok((inputs.into_iter().map(line).collect::<Result<_>>()?, out.reshaped(&[1])?));
    }
    let Some(largest) =
        inputs.iter().max_by_key(|view| distinct_bytes(view.layout(), view.dtype()))
    else {
        return Ok((inputs, out));
    };
    let all = by_stride(largest.layout().strides());
    let (reduced, kept): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|a| axes.contains(a));
    // Axis `a` of the inputs is this axis of the output.
    let of_out = |a: &usize| a - axes.iter().filter(|axis| *axis < a).count();
    let out = out.permuted(&kept.iter().map(of_out).collect::<Vec<_>>())?;
    let order = [kept.clone(), reduced].concat();
    let permuted = |view: View<'a>| Ok(view.permuted(&order)?);
    let inputs = inputs.into_iter().map(permuted).collect::<Result<Vec<_>>>()?;

    // One index of the other axes stands for all of them.
    let group = |view: &View<'a>, others: std::ops::Range<usize>| {
        others.into_iter().try_fold(view.layout().clone(), |layout, axis| layout.sliced(axis, 0, 1))
    };
    let (rank, split) = (order.len(), kept.len());
    let layouts = |others: std::ops::Range<usize>| {
        inputs.iter().map(|view| group(view, others.clone())).collect::<Result<Vec<_>, _>>()
    };
    let (kept, reduced) = (layouts(split..rank)?, layouts(0..split)?);
    let target = out.layout().reshaped([out.shape(), &vec![1; rank - split]].concat())?;
    let mut shape = collapse(&std::iter::once(&target).chain(&kept).collect::<Vec<_>>()).shape;
    let mut inner = collapse(&reduced.iter().collect::<Vec<_>>()).shape;
    for shape in [&mut shape, &mut inner] {
        if shape.is_empty() {
            shape.push(1);
        }
    }
    let out = out.reshaped(&shape)?;
    shape.append(&mut inner);
    let reshaped = |view: View<'a>| Ok(view.reshaped(&shape)?);
    Ok((inputs.into_iter().map(reshaped).collect::<Result<_>>()?, out))
}

struct Reduce<'a, T, C> {
    reduction: Reduction,
    program: Program<C>,
    /// The input whose squares are summed, if nothing else is.
    square: Option<usize>,
    inputs: Vec<Lanes<'a, T>>,
    /// How many axes are kept; they come first.
    kept: usize,
    /// Whether lanes run along the last kept axis, not along the last one.
    along_kept: bool,
}

/// A part of all indices: where it begins and how far it goes along each axis.
#[derive(Clone)]
struct Part {
    origin: Vec<usize>,
    shape: Vec<usize>,
}

impl<T: Scalar, C: Scalar> Reduce<'_, T, C> {
    fn all(&self) -> &[usize] {
        self.inputs.first().map_or(&[], |lanes| lanes.shape())
    }

    fn run<O: Scalar>(&self, out: LanesMut<'_, O>) {
        let reduced: usize = self.all()[self.kept..].iter().product();
        let least = if self.along_kept { KEPT } else { 1 };
        let grain = (GRAIN / reduced.max(1)).max(least);
        let len: usize = out.shape().iter().product();
        let block = (len > grain).then(|| Parts::Lanes.block(out.shape(), grain));
        for_each_block(out, block, &|origin, out| self.keep(origin.to_vec(), out));
    }

    /// Fills the part of the output that begins at `origin`.
    fn keep<O: Scalar>(&self, mut origin: Vec<usize>, mut out: LanesMut<'_, O>) {
        let reduced = &self.all()[self.kept..];
        origin.resize(self.all().len(), 0);
        let shape = [out.shape(), reduced].concat();
        let sums = self.partial(&Part { origin, shape });

        let sums: Vec<O> = sums.into_iter().map(Scalar::converted).collect();
        let shape = out.shape().to_vec();
        let axis = shape.len() - 1;
        let mut index = vec![0; shape.len()];
        for lane in sums.chunks_exact(shape[axis]) {
            out.lane(&index, axis, shape[axis]).scatter(0, lane);
            advance(&mut index[..axis], &shape[..axis]);
        }
    }

    /// The results for the kept indices of `part`, row-major, over its reduced indices.
    fn partial(&self, part: &Part) -> Vec<C::Wide> {
        if self.halves(part).is_none() {
            return self.sums(part);
        }
        let mut leaves = Vec::new();
        self.cut(part.clone(), &mut leaves);
        let sums = parallel::collect(leaves, &|leaf: Part| self.sums(&leaf));
        self.together(part, &mut sums.into_iter())
    }

    /// The halves of a part, if it is large.
    fn halves(&self, part: &Part) -> Option<(Part, Part)> {
        let work: usize = part.shape.iter().product();
        let places: usize = part.shape[..self.kept].iter().product();
        let all: usize = self.all().iter().product();
        let grain = GRAIN.max(DEEP * places).max(all / MOST_PARTS);
        let long = (self.kept..part.shape.len()).find(|&axis| part.shape[axis] > 1);
        let axis = long.filter(|_| work > grain)?;
        let (mut first, mut second) = (part.clone(), part.clone());
        let half = first.shape[axis] / 2;
        first.shape[axis] = half;
        second.shape[axis] -= half;
        second.origin[axis] += half;
        Some((first, second))
    }

    /// The parts that are reduced by one thread each, in order.
    fn cut(&self, part: Part, leaves: &mut Vec<Part>) {
        match self.halves(&part) {
            None => leaves.push(part),
            Some((first, second)) => {
                self.cut(first, leaves);
                self.cut(second, leaves);
            }
        }
    }

    /// Puts the results of the parts together, halves with halves.
    fn together(&self, part: &Part, sums: &mut impl Iterator<Item = Vec<C::Wide>>) -> Vec<C::Wide> {
        let Some((first, second)) = self.halves(part) else {
            return sums.next().unwrap_or_default();
        };
        let (mut a, b) = (self.together(&first, sums), self.together(&second, sums));
        for (a, b) in a.iter_mut().zip(b) {
            *a = combine(self.reduction, *a, b);
        }
        a
    }

    /// As [`partial`](Self::partial), on this thread.
    fn sums(&self, part: &Part) -> Vec<C::Wide> {
        let places: usize = part.shape[..self.kept].iter().product();
        let mut sums = vec![identity(self.reduction); places];
        let axis = if self.along_kept { self.kept } else { part.shape.len() } - 1;
        let len = part.shape[axis];
        let mut walked = part.shape.clone();
        walked[axis] = 1;
        let mut index = vec![0; walked.len()];
        // Squares are summed as they are read; nothing of them is kept.
        let squares = self.square.is_some() && !self.along_kept;
        let chunk = if squares { SQUARES } else { chunk::<C>() }.min(len);
        let mut lanes = Evaluated::new(self, chunk);
        loop {
            let at: Vec<usize> = part.origin.iter().zip(&index).map(|(a, b)| a + b).collect();
            let kept = index.iter().zip(&part.shape).take(self.kept);
            let place = kept.fold(0, |place, (at, extent)| place * extent + at);
            lanes.operands.start(&self.inputs, &at, axis, len);
            for from in (0..len).step_by(chunk) {
                let n = chunk.min(len - from);
                if let Some(sum) = self.squares(&lanes, from, n) {
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
        let items = lanes.operands.items(input, from, n)?;
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

impl<'a, T: Scalar, C: Scalar> Evaluated<'a, T, C> {
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
