//! The rows of a sparse matrix, as all who read them have them.

use std::ops::Range;

use num_complex::Complex64;

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
}

/// Where rows begin among the entries.
#[derive(Debug, PartialEq)]
pub(crate) enum Starts {
    /// Each has so many.
    Every(usize),
    /// Where each begins, and where the last one ends.
    Narrow(Vec<u32>),
    /// Where there are more entries than 32 bits count.
    Wide(Vec<usize>),
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
        let even = lengths().all(|len| len == longest);
        let starts = match u32::try_from(indices.len()) {
            _ if even => Starts::Every(longest),
            Ok(_) => Starts::Narrow(starts.into_iter().map(|start| start as u32).collect()),
            Err(_) => Starts::Wide(starts),
        };
        let indices = match u32::try_from(columns) {
            Ok(_) => Indices::Narrow(indices.into_iter().map(|index| index as u32).collect()),
            Err(_) => Indices::Wide(indices.into_iter().map(|index| index as u64).collect()),
        };
        Self { rows, columns, starts, indices, weights: Weights::new(weights), longest }
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
            Starts::Narrow(starts) => starts[row] as usize..starts[row + 1] as usize,
            Starts::Wide(starts) => starts[row]..starts[row + 1],
        }
    }

    /// The columns and weights of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, Complex64)> + '_ {
        let span = if row < self.rows { self.span(row) } else { 0..0 };
        span.map(|at| (self.indices.get(at), self.weights.get(at)))
    }
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
