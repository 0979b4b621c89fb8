//! What a library does, by our own kernels: to look at what stands before and behind it where there is none.

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::devices::vendor::{LineSteps, Transform, TransformKind};
use arrayspan_bridge::iteration::{Axes, IterationSpace};
use arrayspan_bridge::{Array, DType};

use super::super::Gpu;
use super::own::{self, Own};
use super::part::Part;
use crate::factors::Factors;
use crate::fourier::{Lines, Schedule};
use crate::{Fourier, Result};

/// Transforms a part: first along outer axes where real numbers come out, else along them last.
pub(super) fn run(gpu: &Gpu, part: &Part<'_>) -> Result<()> {
    let Transform { kind, points, lines, input, output, outer, .. } = part.transform;
    let line = Fourier::new(0, points as usize)?;
    let complex = |fourier: Fourier| if part.positive { fourier.conj() } else { fourier };
    let fourier = match kind {
        TransformKind::Complex => complex(line),
        TransformKind::FromReal => line.half(),
        TransformKind::ToReal => line.half().weighted(2.0)?.adjoint(),
    };
    let to_real = kind == TransformKind::ToReal;
    let steps = if to_real { input } else { output };
    let bins = if kind == TransformKind::Complex { points } else { points / 2 + 1 };
    let positive = if kind == TransformKind::Complex { part.positive } else { to_real };
    // The extent of an outer axis, and how far its elements are apart, in lines.
    let axes = [(outer[1], 1), (outer[0], outer[1])];
    let axes = axes.into_iter().filter(|(extent, _)| *extent > 1);
    let mut all: Vec<Along> = Vec::new();
    for (extent, apart) in axes {
        let fourier = Fourier::new(0, extent as usize)?;
        let fourier = if positive { fourier.conj() } else { fourier };
        let element = (apart * steps.line) as isize;
        // Each bin, and whatever lines are within the axis and around it.
        let others = [
            (bins as usize, steps.element as isize),
            (apart as usize, steps.line as isize),
            ((lines / (apart * extent)) as usize, element * extent as isize),
        ];
        all.push(Along {
            fourier,
            strides: [element; 2],
            others: others.map(|(n, s)| (n, [s; 2])),
        });
    }
    let steps = [output, input];
    let along = Along {
        fourier,
        strides: steps.map(|LineSteps { element, .. }| element as isize),
        others: [(lines as usize, steps.map(|LineSteps { line, .. }| line as isize)), NONE, NONE],
    };
    all.insert(if to_real { all.len() } else { 0 }, along);
    chain(gpu, part, &all)
}

const NONE: (usize, [isize; 2]) = (1, [0; 2]);

/// A transform along one axis, and the extents and strides of the others; those of `y` come first.
struct Along {
    fourier: Fourier,
    strides: [isize; 2],
    others: [(usize, [isize; 2]); 3],
}

/// One after the other, each into memory of its own.
fn chain(gpu: &Gpu, part: &Part<'_>, all: &[Along]) -> Result<()> {
    let bytes = part.memories.map(Memory::bytes);
    let room = |_| Array::empty([bytes[0].max(bytes[1])], DType::UInt8, &gpu.stream);
    let rooms: Vec<Array> = (1..all.len()).map(room).collect::<std::result::Result<_, _>>()?;
    let [y, x] = part.memories;
    for (number, along) in all.iter().enumerate() {
        let (to, to_start) =
            rooms.get(number).map_or((y, part.starts[0]), |room| (room.memory(), 0));
        let (from, from_start) = match number.checked_sub(1).and_then(|before| rooms.get(before)) {
            Some(room) => (room.memory(), 0),
            None => (x, part.starts[1]),
        };
        along.run(gpu, part.transform.float64, [to, from], [to_start, from_start])?;
    }
    Ok(())
}

impl Along {
    fn run(&self, gpu: &Gpu, float64: bool, users: [&Memory; 2], starts: [usize; 2]) -> Result<()> {
        let dtype = if float64 { DType::Complex128 } else { DType::Complex64 };
        let strides = |operand: usize| -> Axes<isize> {
            self.others.iter().map(|(_, strides)| strides[operand]).collect()
        };
        let near = self.others[0].1;
        let lines = Lines {
            others: IterationSpace {
                extents: self.others.iter().map(|(extent, _)| *extent).collect(),
                strides: [strides(0), strides(1)].into_iter().collect(),
                offsets: starts.into_iter().collect(),
            },
            strides: self.strides,
            starts,
            across: [0, 1]
                .map(|operand| self.others[0].0 > 1 && near[operand] < self.strides[operand]),
            wide: true,
        };
        let across = lines.across.contains(&true);
        let schedule =
            Schedule::new(super::limits(gpu), &self.fourier, dtype, lines.count(), across);
        let (fourier, lines, schedule) = (&self.fourier, &lines, &schedule);
        let own = Own { fourier, dtype, lines, schedule, users };
        own::run(gpu, &own, &Factors::set())
    }
}
