//! Sums along curves that cross the lines of an array, as data.

mod beams;
mod curves;
mod moveout;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use beams::{Beam, Rays};
pub(crate) use curves::{APART, Curves, Paths, floor_root};

use arrayspan_bridge::DType;

use crate::{Cost, Result};

/// Sums along curves: `y[r, s] = w(r, s) Σₖ x[k, p(r, k, s)]`, where ray `r, s` crosses line `k` of `x` at a position `p` between samples,
/// whose two neighbours are interpolated; and the transpose, in which each `y[r, s]` is spread along its curve. Cheap to clone.
///
/// Positions are not kept: they are computed in integers of 64 bits from a few numbers for each ray and line ([moveouts](Self::shifts)), or
/// for each ray ([straight rays](Self::beams)), so that both directions, and all devices, take the same ones. No direction adds to
/// what another thread writes: each of its results is one sum, whose order shapes decide.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Projection, Update, on};
/// // Along t + c, where c is half a sample for each line.
/// let sums = Projection::shifts(&[1], &[2], 4, |_, line| 0.5 * line as f64, false)?;
/// let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0], [2, 4])?;
/// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 4], [1, 4])?);
/// on.project(&sums, x.view(), y.view_mut(), Update::set())?;
/// assert_eq!(y.to_vec::<f64>()?, [16.0, 27.0, 38.0, 4.0]); // half a sample behind the last there is nothing
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    curves: Arc<Curves>,
    /// The first of its axes.
    axis: usize,
    transposed: bool,
}

impl Projection {
    fn of(curves: Curves) -> Self {
        Self { curves: Arc::new(curves), axis: 0, transposed: false }
    }

    /// The transpose, which is the adjoint: weights are real.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self { transposed: !self.transposed, ..self.clone() }
    }

    /// Whether it spreads along curves, rather than sums.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// The first of its axes; those before and behind are others.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// The same along axes from another one on.
    #[must_use]
    pub fn at_axis(&self, axis: usize) -> Self {
        Self { axis, ..self.clone() }
    }

    /// The extents of an input from [`axis`](Self::axis) on: two or three.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        if self.transposed { &self.curves.rays } else { &self.curves.lines }
    }

    /// The extents of a result from [`axis`](Self::axis) on, as many.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        if self.transposed { &self.curves.lines } else { &self.curves.rays }
    }

    /// Whether any ray crosses a line, as far as it is not left out: not so of [straight rays](Self::beams) that all go along them.
    #[must_use]
    pub fn crosses(&self) -> bool {
        match &self.curves.paths {
            Paths::Straight { weight, .. } => weight.iter().any(|weight| *weight != 0.0),
            _ => true,
        }
    }

    /// The shape of the result for an input of that shape; `None` unless the input has such axes.
    #[must_use]
    pub fn range_of(&self, domain: &[usize]) -> Option<Vec<usize>> {
        let behind = self.axis.checked_add(self.columns().len())?;
        if domain.get(self.axis..behind)? != self.columns() {
            return None;
        }
        Some([&domain[..self.axis], self.rows(), &domain[behind..]].concat())
    }

    /// The bytes of its table on a device, for arrays of that dtype.
    #[must_use]
    pub fn table_bytes(&self, dtype: DType) -> usize {
        let [places, numbers] = self.curves.table();
        places.saturating_add(numbers.saturating_mul(dtype.real().bytes()))
    }

    /// What it costs for arrays of that dtype without reading the old content, for so many indices of the other axes.
    #[must_use]
    pub fn cost(&self, others: usize, dtype: DType) -> Cost {
        let len = |shape: &[usize]| shape.iter().product::<usize>();
        let (read, written) = (others * len(self.columns()), others * len(self.rows()));
        if written == 0 {
            return Cost::default();
        }
        let crossings = self.curves.count().saturating_mul(len(&self.curves.rays));
        let table = if read > 0 { self.table_bytes(dtype) } else { 0 };
        Cost {
            launches: 1,
            bytes_read: read * dtype.bytes() + table,
            bytes_written: written * dtype.bytes(),
            flops: crossings.saturating_mul(4).saturating_mul(others),
        }
    }

    pub(crate) fn curves(&self) -> &Curves {
        &self.curves
    }

    /// Whether nobody else has its table.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.curves) == 1
    }

    /// The same table, which both directions have.
    pub(crate) fn forward(&self) -> Self {
        Self { transposed: false, axis: 0, ..self.clone() }
    }
}

/// Those of one table are the same.
impl PartialEq for Projection {
    fn eq(&self, other: &Self) -> bool {
        (self.transposed, self.axis) == (other.transposed, other.axis)
            && Arc::ptr_eq(&self.curves, &other.curves)
    }
}

impl Eq for Projection {}

impl Hash for Projection {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.curves).addr(), self.transposed, self.axis).hash(state);
    }
}

/// Fails for numbers of samples or of crossings that cannot be counted in 32 and 64 bits.
fn checked(shapes: [&[usize]; 2], most: usize) -> Result<[usize; 2]> {
    let len = |shape: &[usize]| {
        let (last, outer) = shape.split_last()?;
        let outer = outer.iter().try_fold(1_usize, |len, extent| len.checked_mul(*extent))?;
        (*last <= most && outer <= isize::MAX as usize / 64).then_some(outer)
    };
    match shapes.map(len) {
        [Some(rays), Some(lines)]
            if rays.checked_mul(lines).is_some_and(|all| all <= isize::MAX as usize / 64) =>
        {
            Ok([rays, lines])
        }
        _ => {
            let [rays, lines] = shapes;
            let why = format!("rays {rays:?} and lines {lines:?}, of at most {most} samples each");
            crate::verb::check::argument("project", why)
        }
    }
}
