//! The rows of a sparse matrix, as all who read them have them.

use std::ops::Range;

use arrayspan_bridge::DType;
use num_complex::Complex64;

/// Rows with more entries than this are worth several threads.
pub(crate) const LONG: usize = 64;

/// A sparse matrix, row by row (CSR).
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) starts: Starts,
    pub(crate) indices: Indices,
    pub(crate) weights: Weights,
    /// The entries of the longest row.
    pub(crate) longest: usize,
    /// How many rows have more than [`LONG`] entries.
    pub(crate) long: usize,
    /// How many columns stand in some row.
    pub(crate) touched: usize,
    /// The largest magnitude of a weight's real or imaginary part; infinite if one is no number.
    pub(crate) largest: f64,
}

/// Where rows begin among the entries.
#[derive(Debug, PartialEq)]
pub(crate) enum Starts {
    /// Each has so many.
    Every(usize),
    /// Where each begins, and where the last one ends.
    At(Vec<usize>),
}

/// The column of each entry.
#[derive(Debug, PartialEq)]
pub(crate) enum Indices {
    Narrow(Vec<u32>),
    /// Where there are more columns than 32 bits count.
    Wide(Vec<u64>),
}

/// The weight of each entry.
#[derive(Debug, PartialEq)]
pub(crate) enum Weights {
    /// All are 1.
    Ones,
    Real(Vec<f64>),
    Complex(Vec<Complex64>),
}

/// Tables of up to so many entries a row are kept with as many places for each row, some of them empty.
const MOST_PLACES: usize = 8;

impl Table {
    /// Of entries that fit: `starts` rises from 0 to their number, and columns are there.
    pub(super) fn new(
        columns: usize,
        starts: Vec<usize>,
        indices: Vec<usize>,
        weights: Vec<Complex64>,
    ) -> Self {
        let rows = starts.len() - 1;
        let lengths = || starts.windows(2).map(|pair| pair[1] - pair[0]);
        let longest = lengths().max().unwrap_or(0);
        let long = lengths().filter(|len| *len > LONG).count();
        let even = lengths().all(|len| len == longest);
        let starts = if even { Starts::Every(longest) } else { Starts::At(starts) };
        let touched = touched(columns, &indices);
        let indices = match u32::try_from(columns) {
            Ok(_) => Indices::Narrow(indices.into_iter().map(|index| index as u32).collect()),
            Err(_) => Indices::Wide(indices.into_iter().map(|index| index as u64).collect()),
        };
        let size = |part: f64| if part.is_finite() { part.abs() } else { f64::INFINITY };
        let parts = weights.iter().flat_map(|weight| [size(weight.re), size(weight.im)]);
        let largest = parts.fold(if weights.is_empty() { 1.0 } else { 0.0 }, f64::max);
        let weights = Weights::new(weights);
        Self { rows, columns, starts, indices, weights, longest, long, touched, largest }
    }

    pub(crate) fn entries(&self) -> usize {
        match &self.indices {
            Indices::Narrow(indices) => indices.len(),
            Indices::Wide(indices) => indices.len(),
        }
    }

    /// Where the entries of a row are; nowhere of a row that there is not.
    #[inline]
    pub(crate) fn span(&self, row: usize) -> Range<usize> {
        match &self.starts {
            Starts::Every(len) => row * len..row * len + len,
            Starts::At(starts) => starts[row]..starts[row + 1],
        }
    }

    /// The columns and weights of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, Complex64)> + '_ {
        let span = if row < self.rows { self.span(row) } else { 0..0 };
        span.map(|at| (self.indices.get(at), self.weights.get(at)))
    }

    /// The places that each row has in a table whose rows are equally long, some of them empty; `None` where rows are too
    /// uneven for that, or too long.
    pub(crate) fn places(&self) -> Option<usize> {
        let even = self.longest.saturating_mul(self.rows);
        let fits = even <= 2 * (self.rows + self.entries());
        (self.longest <= MOST_PLACES && fits).then_some(self.longest.max(1))
    }

    /// The bytes of a place: columns, and entries, are counted in 32 bits where they fit.
    pub(crate) fn place_bytes(&self) -> usize {
        if self.is_wide() { size_of::<i64>() } else { size_of::<i32>() }
    }

    /// Whether columns or entries need 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        // Loops over entries go somewhat beyond the last.
        let (most, margin) = (i32::MAX as usize, 1 << 16);
        self.columns > most || self.rows >= most || self.entries() > most - margin
    }

    /// The bytes of the table in a device's memory.
    pub(crate) fn bytes(&self, dtype: DType) -> usize {
        let (indices, starts) = match self.places() {
            Some(places) => (places * self.rows, 0),
            None => (self.entries(), self.rows + 1),
        };
        let weight = match self.weights {
            Weights::Ones => 0,
            Weights::Real(_) => dtype.real().bytes(),
            Weights::Complex(_) => dtype.bytes(),
        };
        (indices + starts) * self.place_bytes() + indices * weight
    }
}

/// How many different columns there are among the indices.
fn touched(columns: usize, indices: &[usize]) -> usize {
    // Rising indices, as most are, need no marks, nor do few of many columns.
    if indices.windows(2).all(|pair| pair[0] < pair[1]) {
        return indices.len();
    }
    if columns / 64 > indices.len() {
        let mut sorted = indices.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        return sorted.len();
    }
    let mut seen = vec![0_u64; columns.div_ceil(64)];
    for index in indices {
        seen[index / 64] |= 1 << (index % 64);
    }
    seen.iter().map(|word| word.count_ones() as usize).sum()
}

impl Indices {
    #[inline]
    pub(crate) fn get(&self, at: usize) -> usize {
        match self {
            Self::Narrow(indices) => indices[at] as usize,
            Self::Wide(indices) => indices[at] as usize,
        }
    }
}

impl Weights {
    /// None are ones.
    fn new(weights: Vec<Complex64>) -> Self {
        if weights.iter().all(|weight| *weight == Complex64::ONE) {
            return Self::Ones;
        }
        if weights.iter().all(|weight| weight.im == 0.0) {
            return Self::Real(weights.into_iter().map(|weight| weight.re).collect());
        }
        Self::Complex(weights)
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Complex64 {
        match self {
            Self::Ones => Complex64::ONE,
            Self::Real(weights) => weights[at].into(),
            Self::Complex(weights) => weights[at],
        }
    }
}
