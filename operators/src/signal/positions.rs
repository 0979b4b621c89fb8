//! Sums of samples around positions along an axis, as sparse matrices.

use arrayspan_bridge::DType;
use arrayspan_kernels::Gather;
use num_complex::Complex64;

use crate::number::ZERO;
use crate::{Error, Form, Operator, Result, Space};

/// The entries of a sparse matrix, row by row.
pub(super) struct Rows {
    starts: Vec<usize>,
    indices: Vec<usize>,
    weights: Vec<Complex64>,
}

impl Rows {
    /// Room for `rows` of at most `each` entries; `shape` and `dtype` are of what is too large.
    pub(super) fn new(
        operator: &str,
        shape: &[usize],
        dtype: DType,
        rows: usize,
        each: usize,
    ) -> Result<Self> {
        Self::of(operator, shape, dtype, rows, rows.saturating_mul(each))
    }

    /// Room for `rows` of at most so many entries together.
    pub(super) fn of(
        operator: &str,
        shape: &[usize],
        dtype: DType,
        rows: usize,
        entries: usize,
    ) -> Result<Self> {
        let mut table = Self { starts: Vec::new(), indices: Vec::new(), weights: Vec::new() };
        let room = [
            table.starts.try_reserve_exact(rows.saturating_add(1)),
            table.indices.try_reserve_exact(entries),
            table.weights.try_reserve_exact(entries),
        ];
        if room.iter().any(Result::is_err) {
            let shape = shape.iter().map(|&extent| extent as u128).collect();
            return Err(Error::TooLarge { operation: operator.into(), shape, dtype });
        }
        table.starts.push(0);
        Ok(table)
    }

    /// A sample with weight zero gets no entry: it may be NaN, and zero times that is NaN.
    pub(super) fn add(&mut self, index: usize, weight: impl Into<Complex64>) {
        let weight = weight.into();
        if weight != ZERO {
            self.indices.push(index);
            self.weights.push(weight);
        }
    }

    pub(super) fn end(&mut self) {
        self.starts.push(self.indices.len());
    }

    /// The operator with this matrix from `axis` on, between `columns` of the domain and as many rows as there are.
    pub(super) fn operator(
        self,
        name: &'static str,
        spaces: [Space; 2],
        axis: usize,
        columns: &[usize],
    ) -> Result<Operator> {
        let rows = [self.starts.len() - 1];
        self.between(name, spaces, axis, [&rows, columns])
    }

    /// The same with rows that several axes of the range count together.
    pub(super) fn between(
        self,
        name: &'static str,
        [domain, range]: [Space; 2],
        axis: usize,
        [rows, columns]: [&[usize]; 2],
    ) -> Result<Operator> {
        let Self { starts, indices, weights } = self;
        let gather = Gather::new(axis, rows, columns, starts, indices, Some(weights))
            .map_err(|error| Error::from(error).of(name))?;
        Operator::of(name, domain, range, Form::Gather(gather))
    }
}

/// Fails unless a position, the one of that number, is between the first and the last sample along an axis.
pub(super) fn check(
    operator: &str,
    space: &Space,
    axis: usize,
    number: usize,
    position: f64,
) -> Result<()> {
    let extent = space.shape()[axis];
    if (0.0..=extent as f64 - 1.0).contains(&position) {
        return Ok(());
    }
    let why = format!(
        "position {position}, number {number}, is not among the {extent} samples along axis {axis} of {space}: before the first, or behind the last"
    );
    Error::parameter(operator, why)
}

/// The operator that has at each position along an axis a sum of at most `each(extent)` samples, which `row(position, extent)` adds.
pub(super) fn along(
    name: &'static str,
    space: Space,
    axis: isize,
    positions: &[f64],
    each: impl FnOnce(usize) -> usize,
    row: impl Fn(f64, usize, &mut Rows),
) -> Result<Operator> {
    space.stored(name)?;
    let axis = space.axis(name, axis)?;
    let mut shape = space.shape().to_vec();
    let extent = std::mem::replace(&mut shape[axis], positions.len());
    let range = Space::of(name, shape, space.dtype())?;
    for (number, position) in positions.iter().enumerate() {
        check(name, &space, axis, number, *position)?;
    }
    let each = each(extent).min(extent);
    let mut rows = Rows::new(name, space.shape(), space.dtype(), positions.len(), each)?;
    for position in positions {
        row(*position, extent, &mut rows);
        rows.end();
    }
    rows.operator(name, [space, range], axis, &[extent])
}
