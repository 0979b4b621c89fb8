//! Several outputs in one pass on the host, over real and complex arrays of one precision.

use arrayspan_bridge::iteration::{Axes, collapse};
use arrayspan_bridge::{Lanes, LanesMut, Layout, OperandMut, Relayout, ViewMut};

use super::elementwise::Operand;
use super::evaluate::chunk;
use super::lines;
use super::one_element;
use super::operands::number;
use super::parts::{Divide, Parts, by_stride, for_each_lane, for_each_part};
use super::reduce;
use super::scalar::{Scalar, with_scalar};
use super::steps::Steps;
use crate::Result;
use crate::program::Kind;
use crate::verb::{Epilogue, MapManyCall};

pub(super) fn run(call: &mut MapManyCall<'_>) -> Result<()> {
    let lines = with_scalar!("map", call.element, C => lines::run::<C>(call))?;
    if lines {
        return Ok(());
    }
    let alone = with_scalar!("map", call.element, C => {
        one_element::run::<<C as Scalar>::Part, C>(call)
    })?;
    if !alone && call.outs.first().is_some_and(|out| !out.layout().is_empty()) {
        with_scalar!("map", call.element, C => many::<<C as Scalar>::Part, C>(call))?;
    }
    call.each_dot(reduce::run)
}

/// Computes what is computed of sums.
pub(super) fn epilogue(epilogue: &mut Epilogue<'_>) -> Result<()> {
    epilogue.numbers_mut().map_or(Ok(()), |numbers| run(&mut MapManyCall::of_numbers(numbers)))
}

/// Elements are `C`, real arrays beside complex ones `R`.
fn many<R: Scalar, C: Scalar>(call: &mut MapManyCall<'_>) -> Result<()> {
    let reads: Vec<bool> = (0..call.outs.len()).map(|out| call.reads(out)).collect();
    let arrangement = {
        let inputs = call.inputs.iter().zip(&call.kinds);
        let inputs = inputs.filter(|(_, kind)| **kind != Kind::Number);
        let inputs = inputs.map(|(input, _)| input.layout());
        let outs = call.outs.iter().map(OperandMut::layout);
        Arrangement::of(&outs.chain(inputs).collect::<Vec<_>>())?
    };
    let (mut reals, mut elements) = (Vec::new(), Vec::new());
    // The value of a number, and the place of an array among those of its type.
    let mut inputs = Vec::with_capacity(call.inputs.len());
    for (input, kind) in call.inputs.iter().zip(&call.kinds) {
        match kind {
            Kind::Number => inputs.push((number(&input.view())?, 0)),
            Kind::Real => {
                inputs.push((f64::NAN, reals.len()));
                reals.push(arrangement.apply(input.view())?.lanes::<R>()?);
            }
            Kind::Element => {
                inputs.push((f64::NAN, elements.len()));
                elements.push(arrangement.apply(input.view())?.lanes::<C>()?);
            }
        }
    }
    let steps = Steps::new(&call.program, &call.constants, &inputs);
    let real = call.element.real();
    let mut outs = call
        .outs
        .iter_mut()
        .map(|out| arrangement.apply(out.view_mut()))
        .collect::<Result<Vec<ViewMut<'_>>>>()?;
    let lanes = outs.iter_mut().map(|out| {
        let is_real = out.dtype() == real && call.element != real;
        Ok(if is_real { Out::Real(out.lanes_mut()?) } else { Out::Element(out.lanes_mut()?) })
    });
    let lanes = lanes.collect::<Result<Vec<Out<'_, R, C>>>>()?;
    let arrays = lanes.len() + reads.iter().filter(|reads| **reads).count() + inputs.len();
    let cost = (arrays * size_of::<C>(), call.program.steps.len());
    let many = Many { steps, reals, elements, reads };
    for_each_part(lanes, Parts::Lanes, cost, &|origin, outs| many.part(origin, outs));
    Ok(())
}

/// The order, direction and number of axes in which the first array is walked from its start to its end.
struct Arrangement {
    order: Axes<usize>,
    backwards: Axes<usize>,
    shape: Axes<usize>,
}

impl Arrangement {
    fn of(layouts: &[&Layout]) -> Result<Self> {
        let Some(first) = layouts.first() else {
            return Ok(Self {
                order: Axes::new(),
                backwards: Axes::new(),
                shape: Axes::from_slice(&[1]),
            });
        };
        let order = by_stride(first.strides());
        let falls = |axis: &usize| first.strides()[order[*axis]] < 0;
        let backwards: Axes<usize> = (0..order.len()).filter(falls).collect();
        let arranged = |layout: &&Layout| {
            let turned = layout.permuted(&order)?;
            backwards.iter().try_fold(turned, |layout, axis| layout.reversed(*axis))
        };
        let arranged = layouts.iter().map(arranged).collect::<Result<Vec<_>, _>>()?;
        let mut shape = collapse(&arranged.iter().collect::<Vec<_>>()).shape;
        if shape.is_empty() {
            shape.push(1);
        }
        Ok(Self { order, backwards, shape })
    }

    fn apply<V: Relayout>(&self, view: V) -> Result<V> {
        let view = view.permuted(&self.order)?;
        let view = self.backwards.iter().try_fold(view, |view, axis| view.reversed(*axis))?;
        Ok(view.reshaped(&self.shape)?)
    }
}

/// An output.
enum Out<'a, R, C> {
    Real(LanesMut<'a, R>),
    Element(LanesMut<'a, C>),
}

impl<R: Scalar, C: Scalar> Out<'_, R, C> {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Real(lanes) => lanes.shape(),
            Self::Element(lanes) => lanes.shape(),
        }
    }

    fn split_at(self, axis: usize, index: usize) -> (Self, Self) {
        match self {
            Self::Real(lanes) => {
                let (a, b) = lanes.split_at(axis, index);
                (Self::Real(a), Self::Real(b))
            }
            Self::Element(lanes) => {
                let (a, b) = lanes.split_at(axis, index);
                (Self::Element(a), Self::Element(b))
            }
        }
    }
}

impl<R: Scalar, C: Scalar> Divide for Vec<Out<'_, R, C>> {
    fn shape(&self) -> &[usize] {
        self.first().map_or(&[], Out::shape)
    }

    fn split_at(self, axis: usize, index: usize) -> (Self, Self) {
        self.into_iter().map(|out| out.split_at(axis, index)).unzip()
    }
}

struct Many<'a, R, C> {
    steps: Steps<'a, R, C>,
    reals: Vec<Lanes<'a, R>>,
    elements: Vec<Lanes<'a, C>>,
    /// Of each output whether what it held is read.
    reads: Vec<bool>,
}

impl<R: Scalar, C: Scalar> Many<'_, R, C> {
    /// Computes the parts of the outputs that begin at `origin`.
    fn part(&self, origin: &[usize], mut outs: Vec<Out<'_, R, C>>) {
        let shape = outs.first().map_or(&[][..], Out::shape).to_vec();
        let axis = shape.len() - 1;
        let chunk = chunk::<C>().min(shape[axis]);
        let inputs = [self.reals.len(), self.elements.len()];
        let mut values = self.steps.values(chunk, inputs, outs.len());
        for_each_lane(origin, &shape, usize::MAX, |index, at, len| {
            values.reals.start(&self.reals, at, axis, len);
            values.elements.start(&self.elements, at, axis, len);
            for from in (0..len).step_by(chunk) {
                let n = chunk.min(len - from);
                values.reals.load(from, n);
                values.elements.load(from, n);
                for (number, out) in outs.iter_mut().enumerate().filter(|(at, _)| self.reads[*at]) {
                    match out {
                        Out::Real(lanes) => {
                            let held = &mut values.previous_reals[number];
                            held.resize(n, R::default());
                            lanes.lane(index, axis, len).read().gather(from, held);
                        }
                        Out::Element(lanes) => {
                            let held = &mut values.previous_elements[number];
                            held.resize(n, C::default());
                            lanes.lane(index, axis, len).read().gather(from, held);
                        }
                    }
                }
                self.steps.run(&mut values, from, n);
                for (number, out) in outs.iter_mut().enumerate() {
                    let place = (index, axis, len);
                    match out {
                        Out::Real(lanes) => {
                            let result = self.steps.real_result(&values, number, from, n);
                            write(lanes, place, from, n, result);
                        }
                        Out::Element(lanes) => {
                            let result = self.steps.element_result(&values, number, from, n);
                            write(lanes, place, from, n, result);
                        }
                    }
                }
            }
        });
    }
}

/// Writes the `n` elements from `from` on of the lane of `len` elements from `index` along `axis`.
fn write<T: Scalar>(
    lanes: &mut LanesMut<'_, T>,
    (index, axis, len): (&[usize], usize, usize),
    from: usize,
    n: usize,
    values: Operand<'_, T>,
) {
    let mut lane = lanes.lane(index, axis, len);
    match (lane.as_mut_slice(), values) {
        (Some(slice), Operand::Slice(values)) => slice[from..from + n].copy_from_slice(values),
        (Some(slice), Operand::Number(value)) => slice[from..from + n].fill(value),
        (None, Operand::Slice(values)) => lane.scatter(from, values),
        (None, Operand::Number(value)) => lane.scatter(from, &vec![value; n]),
        (_, Operand::Out) => {}
    }
}
