//! The table of a sparse matrix in tiles: blocks of rows by segments of columns that fit into a device's local memory.

use std::cmp::Reverse;
use std::ops::Range;

use arrayspan_bridge::devices::vectors::{filled, reserve};
use num_complex::Complex64;
use rayon::prelude::*;

use super::table::Table;
use crate::Result;

/// Rows of a slice, each of which is a thread's.
pub(crate) const LANES: usize = 32;

/// How a table is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tiling {
    /// Rows of a block: a multiple of [`LANES`], at most 65,536.
    pub(crate) block: usize,
    /// Columns of a segment, fewer than 65,536.
    pub(crate) segment: usize,
    /// Entries of a row that lie side by side.
    pub(crate) together: usize,
}

/// The entries of a matrix, tile by tile: a block of rows has one for each segment of columns.
///
/// In a tile the rows stand in the order of their numbers of entries there, the longest first, so that those of a slice have
/// about as many. For each slice there are as many groups of places as its longest row takes: of each of its rows `together`
/// entries, by their columns within the segment. Where a row has no more entries stands the column behind the last of the
/// segment, with weight 0. The entries of a row stay in their order.
#[derive(Debug)]
pub(crate) struct Tiles<W> {
    /// The places, then the rows of each tile, within their block, then for each slice the first of its groups, and the end of
    /// the last one: numbers of 32 bits.
    pub(crate) numbers: Vec<u16>,
    /// For each place a weight, unless all are 1.
    pub(crate) weights: Vec<W>,
}

impl Tiling {
    pub(crate) fn blocks(self, rows: usize) -> usize {
        rows.div_ceil(self.block)
    }

    pub(crate) fn segments(self, columns: usize) -> usize {
        columns.div_ceil(self.segment)
    }

    /// The slices of all tiles of a matrix.
    pub(crate) fn slices(self, rows: usize, columns: usize) -> usize {
        self.blocks(rows) * self.segments(columns) * (self.block / LANES)
    }

    /// The places of a group.
    fn group(self) -> usize {
        LANES * self.together
    }
}

/// What is known of a block of rows before its places are written.
struct Block {
    /// The groups of each slice.
    groups: Vec<u32>,
    /// The rows of each tile in their order.
    order: Vec<u16>,
}

impl<W: Copy + Default + Send> Tiles<W> {
    /// Of a table whose places, with those that stay empty, are counted by 32 bits; weights are written as `weight` says.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn new(
        table: &Table,
        tiling: Tiling,
        weighted: bool,
        weight: impl Fn(Complex64) -> W + Sync,
    ) -> Result<Self> {
        let rows = |block: usize| {
            let first = block * tiling.block;
            first..(first + tiling.block).min(table.rows)
        };
        let blocks = 0..tiling.blocks(table.rows);
        let blocks = blocks.into_par_iter().map(|block| Block::new(table, tiling, rows(block)));
        let blocks: Vec<Block> = blocks.collect::<Result<_>>()?;

        let (mut starts, mut end) = (Vec::new(), 0_u32);
        let slices = tiling.slices(table.rows, table.columns);
        reserve(&mut starts, slices + 1)?;
        starts.push(end);
        for groups in blocks.iter().flat_map(|block| &block.groups) {
            end += groups;
            starts.push(end);
        }
        let places = end as usize * tiling.group();
        let mut numbers =
            filled(places + slices * LANES + 2 * starts.len(), tiling.segment as u16)?;
        let mut weights = filled(if weighted { places } else { 0 }, W::default())?;

        let (mut rest, tail) = numbers.split_at_mut(places);
        let mut rest_of_weights = &mut weights[..];
        let mut parts = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let own = block.groups.iter().sum::<u32>() as usize * tiling.group();
            let (numbers, behind) = rest.split_at_mut(own);
            let (weights, weights_behind) =
                rest_of_weights.split_at_mut(if weighted { own } else { 0 });
            (rest, rest_of_weights) = (behind, weights_behind);
            parts.push((block, numbers, weights));
        }
        parts.into_par_iter().enumerate().try_for_each(|(number, (block, places, weights))| {
            block.write(table, tiling, rows(number), (places, weights), &weight)
        })?;
        let (orders, ends) = tail.split_at_mut(slices * LANES);
        let from = blocks.iter().flat_map(|block| &block.order);
        orders.iter_mut().zip(from).for_each(|(to, row)| *to = *row);
        ends.copy_from_slice(bytemuck::cast_slice(&starts));
        Ok(Self { numbers, weights })
    }
}

impl Block {
    fn new(table: &Table, tiling: Tiling, rows: Range<usize>) -> Result<Self> {
        let segments = tiling.segments(table.columns);
        let mut counts = filled(segments * tiling.block, 0_u32)?;
        for (at, row) in rows.enumerate() {
            for entry in table.span(row) {
                let segment = table.indices.get(entry) / tiling.segment;
                counts[segment * tiling.block + at] += 1;
            }
        }
        let (mut groups, mut order) = (Vec::new(), Vec::new());
        reserve(&mut groups, counts.len() / LANES)?;
        reserve(&mut order, counts.len())?;
        for counts in counts.chunks_exact(tiling.block) {
            let first = order.len();
            order.extend((0..tiling.block).map(|row| row as u16));
            // Stable, so that the table follows from the matrix alone.
            order[first..].sort_by_key(|row| Reverse(counts[usize::from(*row)]));
            let longest = order[first..].iter().step_by(LANES);
            let group = |row: &u16| counts[usize::from(*row)].div_ceil(tiling.together as u32);
            groups.extend(longest.map(group));
        }
        Ok(Self { groups, order })
    }

    fn write<W: Copy>(
        &self,
        table: &Table,
        tiling: Tiling,
        rows: Range<usize>,
        (places, weights): (&mut [u16], &mut [W]),
        weight: &impl Fn(Complex64) -> W,
    ) -> Result<()> {
        // For each row of each tile the place of its next entry, and how many are written.
        let mut next = filled(self.order.len(), (0_usize, 0_usize))?;
        let mut start = 0;
        for (slice, groups) in self.groups.iter().enumerate() {
            let tile = slice * LANES / tiling.block * tiling.block;
            let of_slice = &self.order[slice * LANES..][..LANES];
            for (lane, row) in of_slice.iter().enumerate() {
                next[tile + usize::from(*row)].0 = start + lane * tiling.together;
            }
            start += *groups as usize * tiling.group();
        }
        for (at, row) in rows.enumerate() {
            for entry in table.span(row) {
                let column = table.indices.get(entry);
                let segment = column / tiling.segment;
                let (place, written) = &mut next[segment * tiling.block + at];
                places[*place] = (column - segment * tiling.segment) as u16;
                if !weights.is_empty() {
                    weights[*place] = weight(table.weights.get(entry));
                }
                *written += 1;
                *place += 1;
                if (*written).is_multiple_of(tiling.together) {
                    *place += tiling.group() - tiling.together;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::Gather;

    /// Adds up what the tiles say, as threads do.
    fn applied(
        tiles: &Tiles<f64>,
        tiling: Tiling,
        [rows, columns]: [usize; 2],
        x: &[f64],
    ) -> Vec<f64> {
        let slices = tiling.slices(rows, columns);
        let places = tiles.numbers.len() - slices * LANES - 2 * (slices + 1);
        let (order, starts) = tiles.numbers[places..].split_at(slices * LANES);
        let wide = |pair: &[u16]| u32::from(pair[0]) | u32::from(pair[1]) << 16;
        let starts: Vec<u32> = starts.chunks_exact(2).map(wide).collect();
        let mut y = vec![0.0; tiling.blocks(rows) * tiling.block];
        for slice in 0..slices {
            let tile = slice * LANES / tiling.block;
            let (block, segment) =
                (tile / tiling.segments(columns), tile % tiling.segments(columns));
            for lane in 0..LANES {
                let row = block * tiling.block + usize::from(order[slice * LANES + lane]);
                for group in starts[slice]..starts[slice + 1] {
                    let first = (group as usize * LANES + lane) * tiling.together;
                    for place in first..first + tiling.together {
                        let column = usize::from(tiles.numbers[place]);
                        let weight = tiles.weights.get(place).copied();
                        assert!(column < tiling.segment || weight.unwrap_or(0.0) == 0.0);
                        let x = if column == tiling.segment {
                            0.0
                        } else {
                            x[segment * tiling.segment + column]
                        };
                        y[row] += weight.unwrap_or(1.0) * x;
                    }
                }
            }
        }
        y.truncate(rows);
        y
    }

    #[test]
    fn tiles_have_the_entries_of_the_table() -> Result<()> {
        let mut state = 1_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for (rows, columns) in [(1, 1), (31, 5), (32, 64), (211, 733), (65, 1000)] {
            for weighted in [false, true] {
                let mut starts = vec![0];
                (0..rows).for_each(|row| {
                    starts.push(starts[row] + if row % 7 == 3 { 0 } else { draw(40) });
                });
                let entries = starts[rows];
                let indices: Vec<usize> = (0..entries).map(|_| draw(columns)).collect();
                let weights: Vec<Complex64> = (0..entries).map(|at| (at as f64).into()).collect();
                let weights = weighted.then_some(weights);
                let gather = Gather::new(0, &[rows], &[columns], starts, indices, weights)?;
                let table = gather.table()?;
                let x: Vec<f64> =
                    (0..columns).map(|column| (column * column % 101) as f64).collect();
                let expected: Vec<f64> = (0..rows)
                    .map(|row| table.row(row).map(|(column, weight)| weight.re * x[column]).sum())
                    .collect();
                for together in [1, 2, 8] {
                    for (block, segment) in [(32, 1), (32, 100), (96, 733), (4096, 65_535)] {
                        let tiling = Tiling { block, segment, together };
                        let tiles = Tiles::new(table, tiling, weighted, |weight| weight.re)?;
                        assert_eq!(tiles.weights.is_empty(), !weighted || entries == 0);
                        assert_eq!(applied(&tiles, tiling, [rows, columns], &x), expected);
                    }
                }
            }
        }
        Ok(())
    }
}
