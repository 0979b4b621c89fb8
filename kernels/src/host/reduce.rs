//! `out ← reduction over axes of expression(inputs)` on the host.

use arrayspan_bridge::expression::{Node, Unary};
use arrayspan_bridge::iteration::collapse;
use arrayspan_bridge::{DType, Operand, Relayout, View, ViewMut};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use super::evaluate::Program;
use super::fold::identity;
use super::map;
use super::operands::given;
use super::parts::by_stride;
use super::reduce_parts::Reduce;
use super::scalar::{Scalar, with_scalar};
use super::squares::{differences_of_all, products_of_all, squares_of_all};
use super::stored::Stored;
use crate::cost::distinct_bytes;
use crate::verb::{MapCall, ReduceCall, Terms};
use crate::{Expression, Reduction, Result, constant};

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
        (DType::Float16, out) => of_halves::<f16>(call, out),
        (DType::BFloat16, out) => of_halves::<bf16>(call, out),
        (dtype, _) => with_scalar!("reduce", dtype, T => reduce::<T, T, T>(call)),
    }
}

/// Of elements that are computed in `Float32`, or in the dtype of results that are wider.
fn of_halves<S: Stored<Number = f32>>(call: &mut ReduceCall<'_>, out: DType) -> Result<()> {
    match out {
        DType::Float64 => along_lanes::<S, f64, f64>(call, None),
        DType::Float32 => along_lanes::<S, f32, f32>(call, None),
        _ => along_lanes::<S, f32, S>(call, None),
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
    let wide = C::DTYPE.real() == DType::Float64;
    // Products of complex numbers are made one by one, as in all other expressions.
    let apart =
        |[a, b]: [usize; 2], terms| terms == Terms::Products && a != b && C::DTYPE.is_complex();
    if let Some(([a, b], terms)) = call.terms().filter(|(of, terms)| wide && !apart(*of, *terms))
        && [a, b].iter().all(|of| call.inputs[*of].layout().is_contiguous())
    {
        let (first, second) = (call.inputs[a].view(), call.inputs[b].view());
        let (first, second) = (first.as_slice::<T>()?, second.as_slice()?);
        let sum = match terms {
            Terms::Differences(factor) => differences_of_all(first, second, factor),
            Terms::Products if a == b => squares_of_all(first),
            Terms::Products => products_of_all(first, second),
        };
        call.out.view_mut().as_mut_slice()?.fill(O::rounded(Complex64::new(sum, 0.0)));
        return Ok(());
    }
    along_lanes::<T, C, O>(call, square)
}

/// The same lane by lane. `square` is the input whose squares are summed, if nothing else is.
fn along_lanes<T: Stored, C: Scalar, O: Stored>(
    call: &mut ReduceCall<'_>,
    square: Option<usize>,
) -> Result<()> {
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
