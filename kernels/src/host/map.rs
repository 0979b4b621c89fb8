//! `out ← expression(inputs, out)` on the host.

use arrayspan_bridge::{Lanes, LanesMut, Operand, View, copy_past_caches, goes_past_caches};

use super::evaluate::{Given, Program, chunk};
use super::line;
use super::operands::{Operands, given, number};
use super::parts::{Parts, arranged, for_each_lane, for_each_part};
use super::scalar::{Scalar, with_scalar};
use crate::Result;
use crate::verb::MapCall;

pub(super) fn run(call: &mut MapCall<'_>) -> Result<()> {
    if call.out.layout().is_empty() {
        return Ok(());
    }
    with_scalar!("map", call.out.dtype(), T => if line::run::<T>(call)? { Ok(()) } else { map::<T>(call) })
}

fn map<T: Scalar>(call: &mut MapCall<'_>) -> Result<()> {
    let reads = call.expression.reads_previous();
    let dtype = call.out.dtype();
    let elements = call.inputs.iter().filter(|input| input.dtype() == dtype);
    let elements: Vec<View<'_>> = elements.map(Operand::view).collect();
    let wide = call.inputs.iter().map(|input| {
        let wide = input.dtype() != dtype;
        wide.then(|| number(&input.view())).transpose()
    });
    let wide = wide.collect::<Result<Vec<_>>>()?;
    let (inputs, mut out) = arranged(&elements, call.out.view_mut())?;
    let inputs = inputs.iter().map(|view| Ok(view.lanes()?)).collect::<Result<Vec<_>>>()?;
    let mut elements = given(&inputs).into_iter();
    let known = |number: Option<f64>| {
        number.map(Given::Wide).or_else(|| elements.next()).unwrap_or(Given::Number(T::default()))
    };
    let known: Vec<Given<T>> = wide.into_iter().map(known).collect();
    let program = Program::new(&call.expression, &known);
    let arrays = 1 + usize::from(reads) + inputs.len();
    let cost = (arrays * size_of::<T>(), program.len());
    let out = out.lanes_mut::<T>()?;
    let bytes = out.shape().iter().product::<usize>() * size_of::<T>();
    let map = Map { program, inputs, reads, past_caches: !reads && goes_past_caches(bytes) };
    for_each_part(out, Parts::Lanes, cost, &|origin, part| map.part(origin, part));
    Ok(())
}

struct Map<'a, T> {
    program: Program<T>,
    inputs: Vec<Lanes<'a, T>>,
    reads: bool,
    past_caches: bool,
}

/// Chunks that are computed before they are written past the caches.
const BUFFERED: usize = 8;

impl<T: Scalar> Map<'_, T> {
    /// Computes the part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut out: LanesMut<'_, T>) {
        let shape = out.shape().to_vec();
        let axis = shape.len() - 1;
        let chunk = chunk::<T>().min(shape[axis]);
        let mut operands = Operands::<T, T>::new(chunk, self.inputs.len());
        let mut registers = self.program.registers(chunk);
        let mut result = Vec::new();
        for_each_lane(origin, &shape, usize::MAX, |index, at, len| {
            operands.start(&self.inputs, at, axis, len);
            let mut lane = out.lane(index, axis, len);
            if let Some(slice) = lane.as_mut_slice().filter(|_| self.past_caches) {
                result.resize(BUFFERED * chunk, T::default());
                for (number, slice) in slice.chunks_mut(BUFFERED * chunk).enumerate() {
                    let result = &mut result[..slice.len()];
                    for (within, result) in result.chunks_mut(chunk).enumerate() {
                        let (from, n) = ((number * BUFFERED + within) * chunk, result.len());
                        operands.load(from, n);
                        let input = |number| operands.get(number, from, n);
                        self.program.run(input, &mut registers, result);
                    }
                    copy_past_caches(result, slice);
                }
                return;
            }
            for from in (0..len).step_by(chunk) {
                let n = chunk.min(len - from);
                operands.load(from, n);
                let input = |number| operands.get(number, from, n);
                if let Some(slice) = lane.as_mut_slice() {
                    self.program.run(input, &mut registers, &mut slice[from..from + n]);
                    continue;
                }
                result.resize(n, T::default());
                if self.reads {
                    lane.read().gather(from, &mut result);
                }
                self.program.run(input, &mut registers, &mut result);
                lane.scatter(from, &result);
            }
        });
    }
}
