//! `out ← expression(inputs, out)` on the host.

use arrayspan_bridge::{DType, Lanes, LanesMut, Operand, View, copy_past_caches, goes_past_caches};
use half::{bf16, f16};

use super::evaluate::{Given, Program, chunk};
use super::line;
use super::operands::{Operands, given, single};
use super::parts::{Parts, arranged, for_each_lane, for_each_part};
use super::scalar::with_scalar;
use super::stored::Stored;
use crate::Result;
use crate::verb::MapCall;

pub(super) fn run(call: &mut MapCall<'_>) -> Result<()> {
    if call.out.layout().is_empty() {
        return Ok(());
    }
    match call.out.dtype() {
        DType::Float16 => map::<f16>(call),
        DType::BFloat16 => map::<bf16>(call),
        dtype => {
            with_scalar!("map", dtype, T => if line::run::<T>(call)? { Ok(()) } else { map::<T>(call) })
        }
    }
}

fn map<T: Stored>(call: &mut MapCall<'_>) -> Result<()> {
    let reads = call.expression.reads_previous();
    let dtype = call.out.dtype();
    let elements = call.inputs.iter().filter(|input| input.dtype() == dtype);
    let elements: Vec<View<'_>> = elements.map(Operand::view).collect();
    let wide = call.inputs.iter().map(|input| {
        let wide = input.dtype() != dtype;
        wide.then(|| single(&input.view())).transpose()
    });
    let wide = wide.collect::<Result<Vec<_>>>()?;
    let (inputs, mut out) = arranged(&elements, call.out.view_mut())?;
    let inputs = inputs.iter().map(|view| Ok(view.lanes()?)).collect::<Result<Vec<_>>>()?;
    let mut elements = given(&inputs).into_iter();
    let known = |number: Option<Given<T::Number>>| {
        number.or_else(|| elements.next()).unwrap_or(Given::Number(T::Number::default()))
    };
    let known: Vec<Given<T::Number>> = wide.into_iter().map(known).collect();
    let program = Program::new(&call.expression, &known);
    let arrays = 1 + usize::from(reads) + inputs.len();
    let cost = (arrays * size_of::<T>(), program.len());
    let out = out.lanes_mut::<T>()?;
    let bytes = out.shape().iter().product::<usize>() * size_of::<T>();
    let map = Map { program, inputs, reads, past_caches: !reads && goes_past_caches(bytes) };
    for_each_part(out, Parts::Lanes, cost, &|origin, part| map.part(origin, part));
    Ok(())
}

struct Map<'a, T: Stored> {
    program: Program<T::Number>,
    inputs: Vec<Lanes<'a, T>>,
    reads: bool,
    past_caches: bool,
}

/// Chunks that are computed before they are written past the caches.
const BUFFERED: usize = 8;

impl<T: Stored> Map<'_, T> {
    /// Computes the part of the output that begins at `origin`.
    fn part(&self, origin: &[usize], mut out: LanesMut<'_, T>) {
        let shape = out.shape().to_vec();
        let axis = shape.len() - 1;
        let chunk = chunk::<T::Number>().min(shape[axis]);
        let mut operands = Operands::<T, T::Number>::new(chunk, self.inputs.len());
        let mut registers = self.program.registers(chunk);
        let mut result = Vec::new();
        for_each_lane(origin, &shape, usize::MAX, |index, at, len| {
            operands.start(&self.inputs, at, axis, len);
            let mut lane = out.lane(index, axis, len);
            if let Some(slice) = T::slice_mut(&mut lane).filter(|_| self.past_caches) {
                result.resize(BUFFERED * chunk, T::Number::default());
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
                if let Some(slice) = T::slice_mut(&mut lane) {
                    self.program.run(input, &mut registers, &mut slice[from..from + n]);
                    continue;
                }
                result.resize(n, T::Number::default());
                if self.reads {
                    T::load(&lane.read(), from, &mut result);
                }
                self.program.run(input, &mut registers, &mut result);
                T::store(&mut lane, from, &result);
            }
        });
    }
}
