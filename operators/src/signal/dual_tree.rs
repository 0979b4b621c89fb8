//! The levels of dual-tree wavelet transforms, as sparse matrices along an axis.

use super::positions::Rows;
use crate::{Error, Formula, Operator, Result, Space, Transpose};

/// The most levels of a transform: more than an axis that can be addressed has samples to halve.
const MOST_LEVELS: usize = 64;

/// The levels of signals along an axis.
pub(super) struct Tree {
    name: &'static str,
    space: Space,
    axis: usize,
    /// The real numbers of each level's high frequencies, and of its low ones.
    lens: Vec<usize>,
}

/// Where a number of a level is among all that there are behind it.
#[derive(Clone, Copy)]
enum Place {
    /// A number that a level gives, high frequencies of both trees in turn, or low ones.
    High(usize),
    Low(usize),
}

impl Tree {
    pub(super) fn new(
        name: &'static str,
        space: Space,
        axis: isize,
        levels: usize,
    ) -> Result<Self> {
        space.stored(name)?;
        let axis = space.axis(name, axis)?;
        let extent = space.shape()[axis];
        if extent == 0 || !extent.is_multiple_of(2) {
            let why = format!("{extent} samples along axis {axis} of {space}: an even number");
            return Error::parameter(name, why);
        }
        if levels == 0 {
            return Error::parameter(name, format!("no level of {space}"));
        }
        if levels > MOST_LEVELS {
            let why =
                format!("{levels} levels of {space}, of which there are at most {MOST_LEVELS}");
            return Error::parameter(name, why);
        }
        let mut lens = vec![extent];
        for level in 1..levels {
            lens.push(wide(lens[level - 1]) / 2);
        }
        Ok(Self { name, space, axis, lens })
    }

    /// Numbers along the axis behind so many levels: those of high frequencies, and low ones.
    fn numbers(&self, levels: usize) -> usize {
        self.lens[..levels].iter().sum::<usize>() + self.lens[levels.saturating_sub(1)]
    }

    /// Complex coefficients of all levels.
    fn coefficients(&self) -> usize {
        let low = self.lens[self.lens.len() - 1];
        self.lens.iter().map(|len| len / 2).sum::<usize>() + low
    }

    /// The space behind so many levels: of all of them with an axis of trees before that of coefficients.
    fn behind(&self, levels: usize) -> Result<Space> {
        let mut shape = self.space.shape().to_vec();
        if levels == self.lens.len() {
            shape[self.axis] = self.coefficients();
            shape.insert(self.axis, 2);
        } else if levels > 0 {
            shape[self.axis] = self.numbers(levels);
        }
        Space::of(self.name, shape, self.space.dtype())
    }

    /// The extents of what is along the axis there.
    fn extents(&self, levels: usize) -> Vec<usize> {
        if levels == self.lens.len() {
            vec![2, self.coefficients()]
        } else if levels == 0 {
            vec![self.lens[0]]
        } else {
            vec![self.numbers(levels)]
        }
    }

    /// Where a number of `level` is behind `levels` of them.
    fn at(&self, levels: usize, level: usize, place: Place) -> usize {
        if levels < self.lens.len() {
            return match place {
                Place::High(number) => self.lens[..level].iter().sum::<usize>() + number,
                Place::Low(number) => self.lens[..=level].iter().sum::<usize>() + number,
            };
        }
        let before = |level: usize| self.lens[..level].iter().map(|len| len / 2).sum::<usize>();
        match place {
            Place::High(number) => number % 2 * self.coefficients() + before(level) + number / 2,
            Place::Low(number) => before(level + 1) + number,
        }
    }

    /// From `[2, …]` to trees before coefficients.
    pub(super) fn front(&self) -> Result<Operator> {
        let behind = self.behind(self.lens.len())?;
        let mut shape = behind.shape().to_vec();
        let trees = shape.remove(self.axis);
        shape.insert(0, trees);
        let mut order: Vec<isize> = (1..shape.len() as isize).collect();
        order.insert(self.axis, 0);
        let space = Space::of(self.name, shape, self.space.dtype())?;
        Transpose::new(space, &order)
    }

    /// A level of low frequencies, behind all before it.
    pub(super) fn analysis(&self, level: usize, filters: &[[Vec<f64>; 2]; 2]) -> Result<Formula> {
        let (own, len) =
            (self.lens[level], if level == 0 { self.lens[0] } else { self.lens[level - 1] });
        // The place in the domain of a sample of a signal that is longer by one at both ends, or as long, and mirrored there.
        let longer = if level == 0 { 0 } else { (wide(len) - len) / 2 };
        let source = |sample: i64| {
            let inside = mirrored(sample, len + 2 * longer).saturating_sub(longer).min(len - 1);
            if level == 0 { inside } else { self.at(level, level - 1, Place::Low(inside)) }
        };
        let row = |number: usize, kind: usize| -> Vec<(usize, f64)> {
            if level == 0 {
                let filter = &filters[0][kind];
                let first = number as i64 + (filter.len() / 2) as i64;
                let taps = filter.iter().enumerate();
                return taps.map(|(tap, weight)| (source(first - tap as i64), *weight)).collect();
            }
            // The second tree gives even numbers of low frequencies, the first one of high frequencies.
            let (late, early) = (number % 2 == 1, kind == 1);
            let tree = usize::from(late == early);
            let filter = &filters[tree][kind];
            // The second tree is a sample ahead.
            let first = (4 * (number / 2) + filter.len() + (1 - tree)) as i64;
            let taps = filter.iter().enumerate();
            taps.map(|(tap, weight)| (source(first - 2 * tap as i64), *weight)).collect()
        };
        let mut table = self.table(level + 1)?;
        for earlier in 0..level {
            for number in 0..self.lens[earlier] {
                let from = self.at(level, earlier, Place::High(number));
                table.put(self.at(level + 1, earlier, Place::High(number)), vec![(from, 1.0)]);
            }
        }
        for number in 0..own {
            table.put(self.at(level + 1, level, Place::High(number)), row(number, 1));
            table.put(self.at(level + 1, level, Place::Low(number)), row(number, 0));
        }
        Ok(table.operator(self, level, level + 1)?.into())
    }

    /// From a level to the low frequencies before it.
    pub(super) fn synthesis(&self, level: usize, filters: &[[Vec<f64>; 2]; 2]) -> Result<Operator> {
        let (own, len) =
            (self.lens[level], if level == 0 { self.lens[0] } else { self.lens[level - 1] });
        let source = |sample: i64, kind: usize| {
            let inside = mirrored(sample, own);
            let place = if kind == 0 { Place::Low(inside) } else { Place::High(inside) };
            self.at(level + 1, level, place)
        };
        let longer = if level == 0 { 0 } else { (wide(len) - len) / 2 };
        let row = |sample: usize| -> Vec<(usize, f64)> {
            let mut row = Vec::new();
            for kind in [0, 1] {
                if level == 0 {
                    let filter = &filters[0][kind];
                    let first = sample as i64 + (filter.len() / 2) as i64;
                    for (tap, weight) in filter.iter().enumerate() {
                        row.push((source(first - tap as i64, kind), *weight));
                    }
                    continue;
                }
                let at = sample + longer;
                // Each tree gives every second sample, of every second tap.
                let tree = at % 2;
                let filter = &filters[tree][kind];
                let half = filter.len() / 2;
                let late = at % 4 / 2;
                let phase = if half.is_multiple_of(2) { 1 - late } else { late };
                let shift = if half.is_multiple_of(2) {
                    let back = if late == 0 { -2 } else { 0 };
                    back + i64::from((tree == 1) != (kind == 1))
                } else if tree == 0 {
                    i64::from(kind == 1) - 1
                } else {
                    -i64::from(kind == 1)
                };
                let first = (2 * (at / 4) + half) as i64 + shift;
                for (number, weight) in filter.iter().skip(phase).step_by(2).enumerate() {
                    row.push((source(first - 2 * number as i64, kind), *weight));
                }
            }
            row
        };
        let mut table = self.table(level)?;
        for earlier in 0..level {
            for number in 0..self.lens[earlier] {
                let from = self.at(level + 1, earlier, Place::High(number));
                table.put(self.at(level, earlier, Place::High(number)), vec![(from, 1.0)]);
            }
        }
        for sample in 0..len {
            let to =
                if level == 0 { sample } else { self.at(level, level - 1, Place::Low(sample)) };
            table.put(to, row(sample));
        }
        table.operator(self, level + 1, level)
    }

    fn table(&self, to: usize) -> Result<Table> {
        let rows = self.extents(to).iter().product();
        let mut entries = Vec::new();
        if entries.try_reserve_exact(rows).is_err() {
            return Error::parameter(self.name, format!("{rows} rows do not fit the memory"));
        }
        entries.resize_with(rows, Vec::new);
        Ok(Table { rows: entries })
    }
}

/// The rows of a matrix in any order.
struct Table {
    rows: Vec<Vec<(usize, f64)>>,
}

impl Table {
    /// Taps that meet the same sample are one.
    fn put(&mut self, row: usize, mut entries: Vec<(usize, f64)>) {
        entries.sort_by_key(|entry| entry.0);
        let merged = &mut self.rows[row];
        for (from, weight) in entries {
            match merged.last_mut() {
                Some(last) if last.0 == from => last.1 += weight,
                _ => merged.push((from, weight)),
            }
        }
    }

    fn operator(self, tree: &Tree, from: usize, to: usize) -> Result<Operator> {
        let spaces = [tree.behind(from)?, tree.behind(to)?];
        let entries = self.rows.iter().map(Vec::len).sum();
        let (shape, dtype) = (spaces[1].shape(), spaces[1].dtype());
        let mut rows = Rows::of(tree.name, shape, dtype, self.rows.len(), entries)?;
        for row in &self.rows {
            for (from, weight) in row {
                rows.add(*from, *weight);
            }
            rows.end();
        }
        rows.between("Wavelets", spaces, tree.axis, [&tree.extents(to), &tree.extents(from)])
    }
}

/// Samples of low frequencies that a further level takes: a multiple of four.
fn wide(len: usize) -> usize {
    if len.is_multiple_of(4) { len } else { len + 2 }
}

/// The sample of a signal that is mirrored at its ends, with the last ones twice.
fn mirrored(sample: i64, len: usize) -> usize {
    let place = sample.rem_euclid(2 * len as i64) as usize;
    place.min(2 * len - 1 - place)
}
