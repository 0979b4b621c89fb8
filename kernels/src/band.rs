//! Banded matrices along one axis: derivatives, smoothing, short convolutions.

use num_complex::Complex64;

/// One entry of a banded matrix's row: how far from the diagonal, and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    /// Column minus row.
    pub offset: isize,
    /// The entry.
    pub weight: Complex64,
}

/// A square banded matrix: every row the same `interior` taps, those outside the axis dropped, except
/// for some first and last rows that are given whole.
///
/// Closed under transposition, product, sum and scaling, so an operator made of bands along one axis
/// is again one band, and its adjoint another.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    len: usize,
    interior: Vec<Tap>,
    head: Vec<Vec<Tap>>,
    tail: Vec<Vec<Tap>>,
}

impl Band {
    /// The same taps in every row; those that fall outside the axis are dropped (zero outside).
    #[must_use]
    pub fn uniform(len: usize, taps: impl IntoIterator<Item = (isize, f64)>) -> Self {
        Self::uniform_complex(len, taps.into_iter().map(|(offset, weight)| (offset, weight.into())))
    }

    /// As [`uniform`](Self::uniform), with complex weights.
    #[must_use]
    pub fn uniform_complex(len: usize, taps: impl IntoIterator<Item = (isize, Complex64)>) -> Self {
        let interior = tidy(taps.into_iter().map(|(offset, weight)| Tap { offset, weight }));
        Self { len, interior, head: Vec::new(), tail: Vec::new() }
    }

    /// The matrix whose row `i` is `row(i)`.
    ///
    /// Rows `edge..len - edge` must all be the same taps; the first and last `edge` may differ. Taps that
    /// fall outside the axis are dropped.
    #[must_use]
    pub fn from_rows<R>(len: usize, edge: usize, row: impl Fn(usize) -> R) -> Self
    where
        R: IntoIterator<Item = Tap>,
    {
        let inside = |i: usize| tidy(row(i)).into_iter().filter(|tap| hits(len, i, tap)).collect();
        if len <= 2 * edge {
            let head = (0..len).map(inside).collect();
            return Self { len, interior: Vec::new(), head, tail: Vec::new() };
        }
        let mut band = Self {
            len,
            interior: tidy(row(edge)),
            head: (0..edge).map(inside).collect(),
            tail: (len - edge..len).map(inside).collect(),
        };
        while band.head.last().is_some_and(|row| *row == band.common(band.head.len() - 1)) {
            band.head.pop();
        }
        let first = |band: &Self| len - band.tail.len();
        let same = band.tail.iter().enumerate();
        let same = same.take_while(|(i, row)| **row == band.common(first(&band) + i)).count();
        band.tail.drain(..same);
        band
    }

    /// The number of rows and columns.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a matrix, not a collection")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The taps of every row that is not special.
    #[must_use]
    pub fn interior(&self) -> &[Tap] {
        &self.interior
    }

    /// The first rows, where they are special.
    #[must_use]
    pub fn head(&self) -> &[Vec<Tap>] {
        &self.head
    }

    /// The last rows, where they are special.
    #[must_use]
    pub fn tail(&self) -> &[Vec<Tap>] {
        &self.tail
    }

    /// Row `i`: the taps that fall on the axis, from left to right.
    #[must_use]
    pub fn row(&self, i: usize) -> Vec<Tap> {
        let tail = self.len - self.tail.len();
        match self.head.get(i) {
            Some(row) => row.clone(),
            None if i >= tail => self.tail[i - tail].clone(),
            None => self.common(i),
        }
    }

    /// How far the taps of any row reach to the left and to the right.
    #[must_use]
    pub fn reach(&self) -> (usize, usize) {
        let rows = self.head.iter().chain(&self.tail).flatten().chain(&self.interior);
        rows.fold((0, 0), |(left, right), tap| {
            (
                left.max(tap.offset.min(0).unsigned_abs()),
                right.max(tap.offset.max(0).unsigned_abs()),
            )
        })
    }

    /// Whether all weights are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        let mut taps = self.head.iter().chain(&self.tail).flatten().chain(&self.interior);
        taps.all(|tap| tap.weight.im == 0.0)
    }

    /// Whether all weights are finite numbers.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let mut taps = self.head.iter().chain(&self.tail).flatten().chain(&self.interior);
        taps.all(|tap| tap.weight.is_finite())
    }

    /// Entries that are not zero.
    #[must_use]
    pub fn entries(&self) -> usize {
        let special: usize = self.head.iter().chain(&self.tail).map(Vec::len).sum();
        let rows = self.len - self.head.len() - self.tail.len();
        special + rows * self.interior.len()
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let (left, right) = self.reach();
        let column = |j: usize| {
            let rows = j.saturating_sub(right)..(j + left + 1).min(self.len);
            rows.flat_map(move |i| {
                let offset = j as isize - i as isize;
                let entries = self.row(i).into_iter().filter(move |tap| tap.offset == offset);
                entries.map(|tap| Tap { offset: -tap.offset, ..tap })
            })
        };
        Self::from_rows(self.len, self.edge() + left + right, column)
    }

    /// The complex conjugate.
    #[must_use]
    pub fn conj(&self) -> Self {
        self.each(|weight| weight.conj())
    }

    /// The conjugate transpose.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        self.transpose().conj()
    }

    /// Every entry times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: impl Into<Complex64>) -> Self {
        let factor = factor.into();
        self.each(|weight| weight * factor)
    }

    /// The product `self · inner` of two bands of equal length, or `None`.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Option<Self> {
        let (left, right) = self.reach();
        let row = |i: usize| {
            self.row(i).into_iter().flat_map(move |outer| {
                let entries = inner.row(i.wrapping_add_signed(outer.offset)).into_iter();
                entries.map(move |tap| Tap {
                    offset: outer.offset + tap.offset,
                    weight: outer.weight * tap.weight,
                })
            })
        };
        let reach = inner.reach();
        let edge = self.edge().max(inner.edge()) + left.max(right) + reach.0.max(reach.1);
        (self.len == inner.len).then(|| Self::from_rows(self.len, edge, row))
    }

    /// The sum of two bands of equal length, or `None`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let row = |i: usize| self.row(i).into_iter().chain(other.row(i));
        let reaches = [self.reach(), other.reach()].map(|(left, right)| left.max(right));
        let edge = self.edge().max(other.edge()) + reaches[0].max(reaches[1]);
        (self.len == other.len).then(|| Self::from_rows(self.len, edge, row))
    }

    fn edge(&self) -> usize {
        self.head.len().max(self.tail.len())
    }

    fn common(&self, i: usize) -> Vec<Tap> {
        self.interior.iter().copied().filter(|tap| hits(self.len, i, tap)).collect()
    }

    fn each(&self, change: impl Fn(Complex64) -> Complex64) -> Self {
        let taps = |row: &Vec<Tap>| {
            row.iter().map(|tap| Tap { weight: change(tap.weight), ..*tap }).collect::<Vec<_>>()
        };
        Self {
            len: self.len,
            interior: taps(&self.interior),
            head: self.head.iter().map(taps).collect(),
            tail: self.tail.iter().map(taps).collect(),
        }
    }
}

/// Whether a tap of row `i` falls on the axis.
fn hits(len: usize, i: usize, tap: &Tap) -> bool {
    i.checked_add_signed(tap.offset).is_some_and(|column| column < len)
}

/// Sorted, one tap per offset, no zeros.
fn tidy(taps: impl IntoIterator<Item = Tap>) -> Vec<Tap> {
    let mut sorted: Vec<Tap> = taps.into_iter().collect();
    sorted.sort_by_key(|tap| tap.offset);
    let mut tidied: Vec<Tap> = Vec::with_capacity(sorted.len());
    for tap in sorted {
        match tidied.last_mut() {
            Some(last) if last.offset == tap.offset => last.weight += tap.weight,
            _ => tidied.push(tap),
        }
    }
    tidied.retain(|tap| tap.weight != Complex64::new(0.0, 0.0));
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(band: &Band) -> Vec<Vec<Complex64>> {
        let mut matrix = vec![vec![Complex64::default(); band.len()]; band.len()];
        for (i, row) in matrix.iter_mut().enumerate() {
            for tap in band.row(i) {
                row[i.checked_add_signed(tap.offset).unwrap()] += tap.weight;
            }
        }
        matrix
    }

    /// A centered difference that leaves its first and last rows empty, and a filter that does not.
    fn bands(len: usize) -> [Band; 2] {
        let difference = Band::from_rows(len, 1, |i| {
            let inner = i > 0 && i + 1 < len;
            let taps = [(-1, -0.5), (1, 0.5)].into_iter().filter(move |_| inner);
            taps.map(|(offset, weight)| Tap { offset, weight: Complex64::new(weight, 0.0) })
        });
        let filter = [(-2, 0.25), (-1, -1.0), (0, 3.0), (1, 0.5), (3, -2.0)];
        let filter = filter.map(|(offset, weight)| (offset, Complex64::new(weight, 0.5 * weight)));
        [difference, Band::uniform_complex(len, filter)]
    }

    #[test]
    fn transposing_swaps_rows_and_columns() {
        for len in 1..14 {
            for band in bands(len) {
                let (matrix, transposed) = (dense(&band), dense(&band.transpose()));
                for i in 0..len {
                    for j in 0..len {
                        assert_eq!(matrix[i][j], transposed[j][i], "len {len} ({i}, {j})");
                    }
                }
                assert_eq!(dense(&band.transpose().transpose()), matrix);
            }
        }
    }

    #[test]
    fn products_and_sums_are_those_of_the_matrices() {
        for len in 1..20 {
            let [a, b] = bands(len);
            let (product, sum) = (a.after(&b).unwrap(), a.plus(&b).unwrap());
            let (da, db) = (dense(&a), dense(&b));
            for i in 0..len {
                for j in 0..len {
                    let expected: Complex64 = (0..len).map(|k| da[i][k] * db[k][j]).sum();
                    assert!((dense(&product)[i][j] - expected).norm() < 1e-14, "len {len}");
                    assert_eq!(dense(&sum)[i][j], da[i][j] + db[i][j], "len {len}");
                }
            }
        }
    }

    #[test]
    fn special_rows_stay_few_on_long_axes() {
        let [difference, filter] = bands(10_000);
        assert_eq!((difference.head().len(), difference.tail().len()), (1, 1));
        assert_eq!((filter.head().len(), filter.tail().len()), (0, 0));
        assert_eq!(difference.transpose().head().len(), 2);
        let product = filter.after(&difference).unwrap();
        assert!(product.head().len() <= 4 && product.tail().len() <= 4);
    }

    #[test]
    fn bands_of_different_length_do_not_combine() {
        let ([a, _], [b, _]) = (bands(5), bands(6));
        assert!(a.after(&b).is_none() && a.plus(&b).is_none());
    }
}
