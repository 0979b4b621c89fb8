//! How a kernel that does the formula of a band's common row in every row makes those near the ends of the axis that differ
//! from it.
//!
//! A product of bands differs from its common row along a whole reach of taps, but in few columns (those of a special row of
//! the inner band) or in few rows (those of the outer). Columns that few rows fill differently are left out of the common
//! formula and added by tables; rows that differ elsewhere, too, are made alone. Nothing is added that the row itself does
//! not have, so that infinities stay in the rows that reach them.

use arrayspan_bridge::iteration::Text;
use num_complex::Complex64;

use super::bands::Bands;
use super::common_row::CommonRow;
use crate::band::Edges;
use crate::{Band, Tap};

const TEXT: &str = include_str!("../source/stencil_ends.cl.h");

/// More columns are not left out: each is a load and a multiply-add for every row that reaches it.
const MOST_COLUMNS: usize = 4;

/// Both ends of the axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ends {
    pub(super) first: End,
    pub(super) last: End,
}

/// One end of the axis. Rows and columns are counted from it: the outermost is 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct End {
    /// So many rows are made alone.
    pub(super) alone: usize,
    /// So many columns are left out of the common formula.
    pub(super) columns: usize,
    /// What each row has in these columns, up to the last row that has anything there.
    pub(super) weights: Vec<Vec<Complex64>>,
}

impl Ends {
    /// The cheapest for this band.
    pub(super) fn of(band: &Band, edges: &Edges) -> Self {
        let rows = Rows { len: band.len(), edges };
        let most = MOST_COLUMNS.min(band.len() / 2);
        let [first, last] = [false, true].map(|last| rows.end(last, most));
        Self { first, last }
    }
}

/// The macros of `stencil_ends.cl.h` for the only one of these bands, and that text. Whether a `tile` holds all that the
/// common row takes.
pub(super) fn define(band: &Band, edges: &Edges, bands: &Bands<'_>, tile: bool, text: &mut Text) {
    let (row, ends) = (CommonRow::of(edges), Ends::of(band, edges));
    let near = |tap: &Tap| tap.offset >= row.first && row.place(tap) < row.taps;
    let tail = edges.tail.len() - ends.last.alone;
    let mut alone = edges.head[..ends.first.alone].iter().chain(&edges.tail[tail..]).flatten();
    let whole = tile && ends.first.columns + ends.last.columns == 0;
    text.flag("ALONE_NEAR", whole && alone.all(near));
    ends.define(edges, bands, text);
    if edges.special().next().is_some() {
        bands.define(text);
        let axis = bands.axes[0];
        text.flag("SPECIAL_TABLES", bands.has_tables());
        text.define("BAND_START(line)", format_args!("band{axis}_start(line)"));
        text.define("BAND_OFFSET(k)", format_args!("band{axis}_offsets(k)"));
        text.define("BAND_WEIGHT(k)", format_args!("band{axis}_weights(k)"));
        let here = if axis == 0 { "center, i, n0" } else { "i, n1" };
        text.define(
            "SPECIAL(sum, at, i)",
            format_args!("sum = band{axis}_add(sum, at, x0_s{axis}, {here} TABLE_ARGUMENTS);"),
        );
    }
    text.add(TEXT);
}

impl Ends {
    fn define(&self, edges: &Edges, bands: &Bands<'_>, text: &mut Text) {
        let Self { first, last } = self;
        // Columns that no row fills need no table.
        let filled = |end: &End| if end.weights.is_empty() { 0 } else { end.columns };
        let columns = filled(first).max(filled(last));
        text.define("END_COLUMNS", columns);
        let mut end = |name: &str, end: &End, special: usize| {
            text.define(format_args!("SPECIAL_{name}"), special);
            text.define(format_args!("ALONE_{name}"), end.alone);
            text.define(format_args!("{name}_COLUMNS"), end.columns);
            text.define(format_args!("{name}_ROWS"), end.weights.len());
        };
        end("FIRST", first, edges.head.len());
        end("LAST", last, edges.tail.len());
        let padded = |row: &Vec<Complex64>| {
            let weight = |column| row.get(column).copied().unwrap_or_default();
            (0..columns).map(weight).collect::<Vec<_>>()
        };
        let weights = first.weights.iter().chain(&last.weights).flat_map(padded);
        let weights: Vec<_> = weights.map(|weight| bands.initializer(weight)).collect();
        if !weights.is_empty() {
            let weights = weights.join(", ");
            text.add(format_args!("CONSTANT weight end_weights[] = {{{weights}}};"));
        }
    }
}

/// The rows of a band.
struct Rows<'e> {
    len: usize,
    edges: &'e Edges,
}

impl Rows<'_> {
    /// The cheapest way to make one end with so many columns left out at most.
    fn end(&self, last: bool, most: usize) -> End {
        let special = if last { &self.edges.tail } else { &self.edges.head };
        // For each special row, from the end on, how many columns at the end hold all that differs.
        let held: Vec<usize> = (0..special.len()).map(|row| self.differs(last, row)).collect();
        let way = |columns: usize| {
            let alone = held.iter().rposition(|held| *held > columns).map_or(0, |row| row + 1);
            let weights = self.weights(last, columns);
            let taps = |row: usize| self.taps(self.from(last, row)).len();
            let rows: usize = (0..alone).map(|row| 4 * (8 + taps(row))).sum();
            let added = if columns == 0 { 0 } else { 64 + 2 * columns * weights.len() };
            (rows + added, End { alone, columns, weights })
        };
        let ways = (0..=most).map(way);
        ways.min_by_key(|(cost, _)| *cost).map(|(_, end)| end).unwrap_or_default()
    }

    /// The row or column whose number from an end this is.
    fn from(&self, last: bool, number: usize) -> usize {
        if last { self.len - 1 - number } else { number }
    }

    /// The taps of row `i`; of a common row some may fall beyond the axis.
    fn taps(&self, i: usize) -> &[Tap] {
        let Edges { head, interior, tail } = self.edges;
        let tail_begins = self.len - tail.len();
        match head.get(i) {
            Some(row) => row,
            None => i.checked_sub(tail_begins).map_or(interior, |at| &tail[at]),
        }
    }

    /// How many columns at the end hold all in which special row `row` differs from the common one.
    fn differs(&self, last: bool, row: usize) -> usize {
        let i = self.from(last, row);
        let taps = self.taps(i);
        let of = |taps: &[Tap], offset: isize| {
            let at = taps.binary_search_by_key(&offset, |tap| tap.offset);
            at.ok().map(|at| taps[at].weight)
        };
        let offsets = taps.iter().chain(&self.edges.interior).map(|tap| tap.offset);
        let differing =
            offsets.filter(|offset| of(taps, *offset) != of(&self.edges.interior, *offset));
        let columns = differing.filter_map(|offset| {
            let column = i.checked_add_signed(offset).filter(|column| *column < self.len)?;
            Some(self.from(last, column) + 1)
        });
        columns.max().unwrap_or(0)
    }

    /// What the rows have in so many columns at the end, up to the last row that has anything there.
    fn weights(&self, last: bool, columns: usize) -> Vec<Vec<Complex64>> {
        let reaches = |row: &usize| self.row(last, columns, *row).iter().any(Option::is_some);
        let (left, right) = self.edges.reach();
        let most = if columns == 0 { 0 } else { left.max(right).saturating_add(columns) };
        let rows = (0..most.min(self.len)).rev().find(reaches).map_or(0, |row| row + 1);
        let zero = |weight: Option<Complex64>| weight.unwrap_or_default();
        let row = |row: usize| self.row(last, columns, row).into_iter().map(zero).collect();
        (0..rows).map(row).collect()
    }

    /// What row `row` from the end has in the columns from there on.
    fn row(&self, last: bool, columns: usize, row: usize) -> Vec<Option<Complex64>> {
        let i = self.from(last, row);
        let taps = self.taps(i);
        let weight = |column: usize| {
            let offset = self.from(last, column) as isize - i as isize;
            taps.iter().find(|tap| tap.offset == offset).map(|tap| tap.weight)
        };
        (0..columns).map(weight).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use super::*;

    /// A derivative whose first and last rows are empty, and a filter.
    fn parts(len: usize) -> [Band; 2] {
        let derivative = Band::from_rows(len, 1, move |i| {
            let taps = if i == 0 || i + 1 == len { vec![] } else { vec![(-1, -0.5), (1, 0.5)] };
            taps.into_iter()
                .map(|(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() })
        });
        let filter = Band::uniform(len, (-10..=10).map(|k| (k, 1.0 + 0.1 * k as f64)));
        [derivative, filter]
    }

    fn ends(band: &Band) -> Ends {
        Ends::of(band, band.edges().unwrap())
    }

    /// Row after row as a kernel makes them.
    fn rows(band: &Band) -> Vec<Vec<Complex64>> {
        let (len, edges, Ends { first, last }) = (band.len(), band.edges().unwrap(), ends(band));
        let mut rows = vec![vec![Complex64::ZERO; len]; len];
        for (i, row) in rows.iter_mut().enumerate() {
            let from_end = len - 1 - i;
            if i < first.alone || from_end < last.alone {
                band.row(i)
                    .iter()
                    .for_each(|tap| row[i.wrapping_add_signed(tap.offset)] += tap.weight);
                continue;
            }
            for tap in &edges.interior {
                let column = i.wrapping_add_signed(tap.offset);
                if column >= first.columns && column < len - last.columns {
                    row[column] += tap.weight;
                }
            }
            for (column, weight) in first.weights.get(i).into_iter().flatten().enumerate() {
                row[column] += weight;
            }
            for (column, weight) in last.weights.get(from_end).into_iter().flatten().enumerate() {
                row[len - 1 - column] += weight;
            }
        }
        rows
    }

    #[test]
    fn rows_made_by_the_common_formula_and_its_ends_are_those_of_the_band() {
        for len in [1, 2, 3, 4, 5, 8, 12, 13, 20, 21, 22, 23, 24, 40, 41, 64] {
            let [derivative, filter] = parts(len);
            let products = [filter.after(&derivative), derivative.after(&filter)];
            let sum = filter.plus(&derivative);
            for band in products.into_iter().chain([sum, Some(derivative)]).flatten() {
                for band in [band.transpose(), band] {
                    for (i, row) in rows(&band).into_iter().enumerate() {
                        let mut expected = vec![Complex64::ZERO; len];
                        for tap in band.row(i) {
                            expected[i.wrapping_add_signed(tap.offset)] = tap.weight;
                        }
                        assert_eq!(row, expected, "row {i} of {len}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_filter_of_a_derivative_leaves_columns_out_and_its_transpose_has_few_rows_alone() {
        let [derivative, filter] = parts(64);
        let product = filter.after(&derivative).unwrap();
        let Ends { first, last } = ends(&product);
        assert_eq!([first.alone, last.alone], [0, 0]);
        assert!((1..=2).contains(&first.columns) && (1..=2).contains(&last.columns));
        assert!(first.weights.len() <= 13 && last.weights.len() <= 13);
        let Ends { first, last } = ends(&product.transpose());
        assert_eq!([first.columns, last.columns], [0, 0]);
        assert!(first.alone <= 2 && last.alone <= 2);
        assert!(first.alone > 0 && last.alone > 0);
    }
}
