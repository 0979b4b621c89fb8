//! What steps cost: launches, bytes and operations, for contiguous arrays.

use arrayspan_kernels::{Cost, Update};
use num_complex::Complex64;

use super::program::{Act, Leaf, Step};
use crate::Space;
use crate::elementwise::{operations, zeros_read};

/// The cost of steps one after the other, from the one space to the other, times a factor. (Not counted is its
/// multiplication within shared parts.)
pub(super) fn cost(steps: &[Step], from: &Space, to: &Space, factor: Complex64) -> Option<Cost> {
    let mut sum = Cost::default();
    for step in steps {
        let update = step.update(Update::set().scaled(factor));
        sum += step.cost(step.from.space(from), step.to.space(to), update)?;
    }
    Some(sum)
}

impl Step {
    fn cost(&self, from: &Space, to: &Space, update: Update) -> Option<Cost> {
        let bytes = |space: &Space| space.len() * space.dtype().bytes();
        let (read, written) = (bytes(from), bytes(to));
        let previous = if update.reads() { written } else { 0 };
        let once = |bytes_read: usize, flops: usize| Cost {
            launches: usize::from(written > 0),
            bytes_read: bytes_read + previous,
            bytes_written: written,
            flops,
        };
        Some(match &self.act {
            Act::Zero => once(zeros_read(to.dtype()).min(to.len()) * to.dtype().bytes(), 0),
            Act::Copy | Act::Conjugate => once(read, 0),
            Act::Pass(pass) => pass.cost(to, update),
            Act::Leaf(Leaf::Pointwise(factor)) => {
                let operations = operations(factor.parts().0, update);
                let weights = if written > 0 { factor.read().1 } else { 0 };
                once(read + weights, operations.saturating_mul(to.len()))
            }
            Act::Maps(maps) => {
                let (weights, operations) = maps.cost(update);
                let weights = if written > 0 { weights } else { 0 };
                once(read + weights, operations.saturating_mul(maps.len(to)))
            }
            Act::Leaf(Leaf::Stencil(stencil)) | Act::Each(stencil, _) => {
                let flops = stencil.terms().iter().map(|(_, band)| {
                    let lanes = from.len() / band.len().max(1);
                    lanes.saturating_mul(band.entries()).saturating_mul(2)
                });
                once(read, flops.fold(0, usize::saturating_add))
            }
            Act::Leaf(Leaf::Gather(gather)) => {
                let columns = gather.columns().iter().product::<usize>();
                let cost = gather.cost(from.len() / columns.max(1), to.dtype());
                let shares = gather.launches(from.shape());
                Cost {
                    launches: shares * usize::from(written > 0),
                    ..once(cost.bytes_read, cost.flops)
                }
            }
            Act::Leaf(Leaf::Projection(projection)) => {
                let rows = projection.rows().iter().product::<usize>();
                let cost = projection.cost(to.len() / rows.max(1), to.dtype());
                once(cost.bytes_read, cost.flops)
            }
            Act::Leaf(Leaf::Scan(_)) => once(if written > 0 { read } else { 0 }, 2 * to.len()),
            Act::Leaf(Leaf::Fourier(fourier)) => {
                let cost = fourier.cost(from.shape(), to.dtype()).ok()?;
                Cost { bytes_read: cost.bytes_read + previous, ..cost }
            }
            Act::Transforms(transforms) => {
                let cost = transforms.cost(from, to)?;
                Cost { bytes_read: cost.bytes_read + previous, ..cost }
            }
            Act::Leaf(Leaf::Matrix(matrix)) => {
                let entries = matrix.array.layout().len();
                let extents = to.shape().iter().enumerate();
                let others = extents.filter(|(axis, _)| *axis != matrix.axis);
                let columns = others.map(|(_, extent)| extent).product::<usize>();
                let matrix = entries * matrix.array.dtype().bytes();
                once(read + matrix, entries.saturating_mul(columns).saturating_mul(2))
            }
            Act::Leaf(Leaf::Move(_)) => {
                let moved = Cost { bytes_read: read, bytes_written: written, ..Cost::default() };
                let mut all = if update == Update::set() { Cost::default() } else { once(read, 0) };
                all += moved;
                all
            }
            Act::Leaf(Leaf::Index { map, adjoint }) => map.cost(*adjoint, update, to.dtype()),
            Act::Leaf(Leaf::Call(program)) => program.cost?,
            Act::Leaf(Leaf::Map { map, .. }) => once(read, map.operations()?),
        })
    }
}
