//! What operators on windows have in common: a matrix along the first axis of each window, or on all of its elements.

use arrayspan_bridge::DType;
use arrayspan_operators::taper::{Ramp, taper};
use arrayspan_operators::{MatrixMult, Operator, Result, Windows};

use super::{golden_array, space, table};
use crate::suite::{Case, Cell, Moves, Values};

/// Data and windows of a case.
#[derive(Clone, Copy)]
pub(super) struct Windowed {
    /// Of the data.
    pub(super) shape: &'static [usize],
    /// Length and overlap along the first axes.
    pub(super) windows: &'static [(usize, usize)],
    pub(super) taper: Option<Ramp>,
    /// Columns of the matrix.
    pub(super) columns: usize,
    /// Whether the matrix is one of all elements of a window.
    pub(super) flat: bool,
}

/// As most cases are.
pub(super) const TAPERED: Windowed =
    Windowed { shape: &[], windows: &[], taper: Some(Ramp::Cosine), columns: 3, flat: false };

/// Makes the operator of windows.
type Make = fn(Operator, Windowed) -> Result<Operator>;

impl Windowed {
    /// Windows along an axis.
    pub(super) fn along(&self, axis: usize) -> Windows {
        let (len, overlap) = self.windows[axis];
        Windows { len, overlap, taper: self.taper }
    }

    pub(super) fn case(self, dtype: DType, make: Make, key: Option<&'static str>) -> Case {
        let name = format!("{:?} of {:?}, {:?}", self.windows, self.shape, self.taper);
        let name = if self.flat { format!("{name}, flat") } else { name };
        let rows = if self.flat { self.window().iter().product() } else { self.window()[0] };
        let values = move |cell: &Cell| match key {
            Some(key) => golden_array(cell, key, "matrix"),
            None => Ok(Values::random(&space(cell, &[rows, self.columns])?, 22)),
        };
        let others = if self.flat { Vec::new() } else { self.window()[1..].to_vec() };
        let made = move |cell: &Cell| {
            let matrix = cell.array(&values(cell)?)?.into_shared();
            make(MatrixMult::new(matrix, &others)?, self)
        };
        let [forward, adjoint] = self.moves(dtype);
        let case = Case::new(name, made).moves(forward, adjoint);
        match key {
            Some(key) => case.golden(key),
            None => case,
        }
    }

    /// The shape of a window.
    fn window(&self) -> Vec<usize> {
        let first = self.windows.iter().map(|window| window.0);
        first.chain(self.shape[self.windows.len()..].iter().copied()).collect()
    }

    /// The matrix on all windows, and one launch that adds them up.
    fn moves(&self, dtype: DType) -> [Moves; 2] {
        let window = self.window();
        let windows: usize = self.counts().iter().product();
        let height = if self.flat { window.iter().product() } else { window[0] };
        let width = window.iter().product::<usize>() / height;
        let [model, data] = [self.columns, height].map(|extent| windows * extent * width);
        let matrix = height * self.columns;
        let applied = [Moves::one(matrix + model, data), Moves::one(matrix + data, model)];
        let added = self.added(dtype);
        [applied[0].then(added[0]), added[1].then(applied[1])]
    }

    /// One launch that adds up all windows.
    pub(super) fn added(&self, dtype: DType) -> [Moves; 2] {
        let (window, all, counts) = (self.window(), self.windows.len(), self.counts());
        // Axes that are not cut are those of the table, too, where elements have no axes.
        let behind: usize = self.shape[all..].iter().product();
        let (within, others) = if self.flat { (behind, 1) } else { (1, behind) };
        let inside = window[..all].iter().product::<usize>() * within;
        let mut rows = vec![vec![(0, 0, 1.0)]];
        for axis in 0..all {
            let samples = places(self.shape[axis], self.along(axis));
            let both = |row: &Vec<Place>| {
                let row = row.clone();
                let joined =
                    samples.iter().map(|sample| product(&row, sample, counts[axis], window[axis]));
                joined.collect::<Vec<_>>()
            };
            rows = rows.iter().flat_map(both).collect();
        }
        let weighted = rows.iter().flatten().any(|place| place.2 > 0.0 && place.2 < 1.0);
        let row = |row: &Vec<Place>, at: usize| -> Vec<usize> {
            let kept = row.iter().filter(|place| place.2 != 0.0);
            kept.map(|(number, place, _)| number * inside + place * within + at).collect()
        };
        let rows: Vec<Vec<usize>> =
            rows.iter().flat_map(|places| (0..within).map(move |at| row(places, at))).collect();
        let windows: usize = counts.iter().product();
        table::moves(&rows, windows * inside, others, weighted.then(|| dtype.real()))
    }

    /// Windows along each axis.
    fn counts(&self) -> Vec<usize> {
        let axes = self.shape.iter().zip(self.windows);
        axes.map(|(extent, windows)| count(*extent, *windows)).collect()
    }
}

/// A window that a sample is in, where it is there, and its weight.
type Place = (usize, usize, f64);

fn count(extent: usize, (len, overlap): (usize, usize)) -> usize {
    (extent - len) / (len - overlap) + 1
}

/// For each sample the windows that it is in, where, and with which weight.
fn places(extent: usize, windows: Windows) -> Vec<Vec<Place>> {
    let Windows { len, overlap, taper: ramp } = windows;
    let count = count(extent, (len, overlap));
    // Cannot fail: the operator is made of the same.
    let weights = ramp.and_then(|ramp| taper(len, overlap, ramp).ok());
    let weight = |number: usize, at: usize| {
        let outer = number == 0 && at < overlap || number + 1 == count && at >= len - overlap;
        weights.as_ref().filter(|_| !outer).map_or(1.0, |weights| weights[at])
    };
    let all = |sample: usize| {
        let start = |number: usize| number * (len - overlap);
        let inside =
            (0..count).filter(|&number| (start(number)..start(number) + len).contains(&sample));
        inside
            .map(|number| (number, sample - start(number), weight(number, sample - start(number))))
            .collect()
    };
    (0..extent).map(all).collect()
}

fn product(row: &[Place], sample: &[Place], count: usize, len: usize) -> Vec<Place> {
    let both = row.iter().flat_map(|outer| sample.iter().map(move |inner| (outer, inner)));
    both.map(|(a, b)| (a.0 * count + b.0, a.1 * len + b.1, a.2 * b.2)).collect()
}
