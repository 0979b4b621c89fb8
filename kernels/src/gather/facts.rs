//! What is known of a sparse matrix without its table, which may not be made yet.

use arrayspan_bridge::DType;
use num_complex::Complex64;

use crate::number::{self, computed};

use super::table::{Indices, Table, Weights};

/// Rows with more entries than this are worth several threads.
pub(crate) const LONG: usize = 64;

/// Tables of up to so many entries a row are kept with as many places for each row, some of them empty.
const MOST_PLACES: usize = 8;

/// Fewer columns than this are held by any cache.
const DIVISIBLE: usize = 4096;

/// Entries for each row and column with which columns are taken a segment at a time, and how much longer sides may be than there
/// are entries in a row.
const MANY: usize = 128;
const SIDE: usize = 1024;

/// How often the mean of entries the longest of the rows that are threads' may have.
const UNEVEN: usize = 16;

/// Columns further apart than this lie in different cache lines.
const FAR: usize = 16;

/// Extents, numbers of entries and weights of a sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) entries: usize,
    /// The entries of the longest row.
    pub(crate) longest: usize,
    /// How many rows have more than [`LONG`] entries.
    pub(crate) long: usize,
    /// How many columns stand in some row.
    pub(crate) touched: usize,
    /// Whether neighbours in the table stand in columns far apart, and most columns stand there.
    pub(crate) scattered: bool,
    pub(crate) weights: Weighting,
    /// The largest magnitude of a weight's real or imaginary part; infinite if one is no number.
    pub(crate) largest: f64,
    /// A sum over the entries, the same for the transpose.
    pub(super) checksum: u64,
    /// Sums over the weights, and over their conjugates: a matrix and its adjoint are told apart without a look into their tables.
    pub(super) weights_sums: [u64; 2],
    /// Whether each row has one entry, in the column of its own number.
    pub(super) diagonal: bool,
    /// Whether no row or column has two entries, and later rows have theirs in later columns.
    pub(super) rising: bool,
}

/// What kind of weights there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weighting {
    /// All are 1.
    Ones,
    Real,
    Complex,
}

impl Facts {
    pub(super) fn of(table: &Table) -> Self {
        let lengths = (0..table.rows).map(|row| table.span(row).len());
        let (longest, long) = lengths.fold((0, 0), with_length);
        let sums = |numbers: &dyn Fn(Complex64) -> Complex64| -> u64 {
            let weights =
                (0..table.entries()).map(|at| number::bits(numbers(table.weights.get(at))));
            weights.map(|[re, im]| mixed_bits(re ^ im.rotate_left(32))).fold(0, u64::wrapping_add)
        };
        let weights_sums = match &table.weights {
            Weights::Ones => [0; 2],
            Weights::Real(_) => [sums(&|weight| weight); 2],
            Weights::Complex(_) => [sums(&|weight| weight), sums(&|weight| weight.conj())],
        };
        let size = |part: f64| if part.is_finite() { part.abs() } else { f64::INFINITY };
        let (weights, largest) = match &table.weights {
            Weights::Ones => (Weighting::Ones, 1.0),
            Weights::Real(list) => {
                (Weighting::Real, list.iter().map(|weight| size(*weight)).fold(0.0, f64::max))
            }
            Weights::Complex(list) => {
                let parts = list.iter().flat_map(|weight| [size(weight.re), size(weight.im)]);
                (Weighting::Complex, parts.fold(0.0, f64::max))
            }
        };
        let in_row = |row: usize| {
            let columns = table.span(row).map(|at| mixed(table.indices.get(at)));
            mixed(row).wrapping_mul(columns.fold(0, u64::wrapping_add))
        };
        Self {
            rows: table.rows,
            columns: table.columns,
            entries: table.entries(),
            longest,
            long,
            touched: touched(table.columns, &table.indices, table.entries()),
            scattered: is_scattered(table.columns, &table.indices, table.entries()),
            weights,
            largest,
            checksum: (0..table.rows).map(in_row).fold(0, u64::wrapping_add),
            weights_sums,
            diagonal: table.rows == table.columns
                && (0..table.rows).all(|row| {
                    let span = table.span(row);
                    span.len() == 1 && table.indices.get(span.start) == row
                }),
            rising: longest <= 1 && is_rising(&table.indices, table.entries()),
        }
    }

    /// Those of the transpose of `table`, of which these are, with conjugate weights or not. Takes memory for entries, not for columns.
    pub(super) fn transposed(&self, table: &Table, conj: bool) -> Self {
        let (longest, long) = of_columns(table);
        let touched = (0..table.rows).filter(|row| !table.span(*row).is_empty()).count();
        let (rows, columns) = (self.columns, self.rows);
        let [own, other] = self.weights_sums;
        let weights_sums = if conj { [other, own] } else { [own, other] };
        Self { rows, columns, longest, long, touched, weights_sums, ..self.clone() }
    }

    /// The places that each row has in a device's table whose rows are equally long, some of them empty; `None` where rows are
    /// too uneven for that, or too long.
    pub(crate) fn places(&self) -> Option<usize> {
        let even = self.longest.saturating_mul(self.rows);
        let fits = even <= self.rows.saturating_add(self.entries).saturating_mul(2);
        (self.longest <= MOST_PLACES && fits).then_some(self.longest.max(1))
    }

    /// Whether devices take columns a segment at a time into their local memory, whatever the dtype: where rows name many that
    /// are far apart, and there are so many entries for each column that bringing all columns in for each block of rows costs
    /// little beside them. Blocks are at most as large as their sums fit into local memory, so that the longer a side is, the more
    /// entries it takes.
    pub(crate) fn takes_segments(&self) -> bool {
        let side = self.rows.max(self.columns);
        let entries = side.saturating_mul(MANY.max(side / SIDE));
        self.entries >= entries && self.is_divisible()
    }

    /// Whether a table in tiles is about as small as one by rows, and its columns are not too few to be divided.
    pub(crate) fn is_divisible(&self) -> bool {
        let uneven = self.longest.saturating_mul(self.rows) / UNEVEN > self.entries;
        self.scattered && self.columns >= DIVISIBLE && !uneven && !self.is_wide()
    }

    /// Whether none of these places is empty.
    pub(crate) fn is_full(&self) -> bool {
        self.places().is_some_and(|places| places.checked_mul(self.rows) == Some(self.entries))
    }

    /// The bytes of a place: columns, and entries, are counted in 32 bits where they fit.
    fn place_bytes(&self) -> usize {
        if self.is_wide() { size_of::<i64>() } else { size_of::<i32>() }
    }

    /// Whether columns or entries need 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        // Loops over entries go somewhat beyond the last.
        let (most, margin) = (i32::MAX as usize, 1 << 16);
        self.columns > most || self.rows >= most || self.entries > most - margin
    }

    /// The bytes of the table in a device's memory.
    pub(super) fn bytes(&self, dtype: DType) -> usize {
        let (indices, starts) = match self.places() {
            Some(places) => (places.saturating_mul(self.rows), 0),
            None => (self.entries, self.rows + 1),
        };
        let weight = match self.weights {
            Weighting::Ones => 0,
            Weighting::Real => computed(dtype).real().bytes(),
            Weighting::Complex => dtype.bytes(),
        };
        let places = indices.saturating_add(starts).saturating_mul(self.place_bytes());
        places.saturating_add(indices.saturating_mul(weight))
    }
}

/// The longest so far and how many are long, with one more.
fn with_length((longest, long): (usize, usize), length: usize) -> (usize, usize) {
    (longest.max(length), long + usize::from(length > LONG))
}

/// The entries of the longest column, and how many columns are long.
fn of_columns(table: &Table) -> (usize, usize) {
    let entries = table.entries();
    let indices = (0..entries).map(|at| table.indices.get(at));
    if table.columns / 2 <= entries {
        let mut lengths = vec![0; table.columns];
        indices.for_each(|column| lengths[column] += 1);
        return lengths.into_iter().fold((0, 0), with_length);
    }
    // Where most columns have no entry, equal ones are brought together by sorting instead.
    let mut sorted: Vec<usize> = indices.collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(<[usize]>::len).fold((0, 0), with_length)
}

/// Whether entries that follow each other are, in the mean, further apart than what one access brings, and there are not many
/// more columns than entries.
fn is_scattered(columns: usize, indices: &Indices, entries: usize) -> bool {
    let all = || (0..entries).map(|at| indices.get(at));
    let apart = all().zip(all().skip(1)).map(|(one, next)| one.abs_diff(next) as u128);
    columns / 4 <= entries && apart.sum::<u128>() > FAR as u128 * entries as u128
}

/// Whether each column is behind the one before.
fn is_rising(indices: &Indices, entries: usize) -> bool {
    let all = || (0..entries).map(|at| indices.get(at));
    all().zip(all().skip(1)).all(|(one, next)| one < next)
}

/// How many different columns there are among the indices.
fn touched(columns: usize, indices: &Indices, entries: usize) -> usize {
    let all = || (0..entries).map(|at| indices.get(at));
    // Rising indices, as most are, need no list, nor do few of many columns.
    if is_rising(indices, entries) {
        return entries;
    }
    if columns / 64 > entries {
        let mut sorted: Vec<usize> = all().collect();
        sorted.sort_unstable();
        sorted.dedup();
        return sorted.len();
    }
    let mut seen = vec![0_u64; columns.div_ceil(64)];
    for index in all() {
        seen[index / 64] |= 1 << (index % 64);
    }
    seen.iter().map(|word| word.count_ones() as usize).sum()
}

/// A number of 64 bits that differs for neighbours in many bits.
fn mixed(place: usize) -> u64 {
    mixed_bits(place as u64)
}

fn mixed_bits(bits: u64) -> u64 {
    let product = bits.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}
