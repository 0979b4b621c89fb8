//! The tables, and maps chosen at random.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{AxisMap, IndexMap, Piece};

/// For every output element, in row-major order, the input element it reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) domain: Vec<usize>,
    pub(super) range: Vec<usize>,
    pub(super) reads: Vec<Option<usize>>,
}

/// All indices of an array, in row-major order.
pub(super) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &extent| {
        let longer =
            |index: Vec<usize>| (0..extent).map(move |i| [index.clone(), vec![i]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

fn place(shape: &[usize], index: &[usize]) -> usize {
    assert!(index.iter().zip(shape).all(|(i, extent)| i < extent), "{index:?} in {shape:?}");
    index.iter().zip(shape).fold(0, |place, (i, extent)| place * extent + i)
}

impl Table {
    /// Output index to input index, by any function.
    pub(super) fn of(
        domain: &[usize],
        range: &[usize],
        read: impl Fn(&[usize]) -> Option<Vec<usize>>,
    ) -> Self {
        let reads = indices(range).iter().map(|o| Some(place(domain, &read(o)?))).collect();
        Self { domain: domain.to_vec(), range: range.to_vec(), reads }
    }

    /// What pieces say, looked up one after the other.
    pub(super) fn of_pieces(
        domain: &[usize],
        range: &[usize],
        axes: &[AxisMap],
        held: &[usize],
    ) -> Self {
        Self::of(domain, range, |o| {
            let mut index = held.to_vec();
            for (axis, &o) in axes.iter().zip(o) {
                let piece =
                    axis.pieces().iter().find(|piece| (piece.start..piece.end).contains(&o));
                let source = piece.unwrap().source?;
                let i =
                    source.first as i64 + source.step as i64 * (o - piece.unwrap().start) as i64;
                match axis.from() {
                    Some(from) => index[from] = i as usize,
                    None => assert_eq!(i, 0),
                }
            }
            Some(index)
        })
    }

    pub(super) fn of_map(map: &IndexMap) -> Self {
        match (map.axes(), map.held()) {
            (Some(axes), Some(held)) => Self::of_pieces(map.domain(), map.range(), axes, held),
            _ => Self::of(map.domain(), map.range(), |_| None),
        }
    }

    pub(super) fn after(&self, inner: &Self) -> Self {
        assert_eq!(self.domain, inner.range);
        let reads = self.reads.iter().map(|read| inner.reads[(*read)?]).collect();
        Self { domain: inner.domain.clone(), range: self.range.clone(), reads }
    }

    /// How often each input element is read.
    pub(super) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.domain.iter().product()];
        self.reads.iter().flatten().for_each(|&read| counts[read] += 1);
        counts
    }

    pub(super) fn is_injective(&self) -> bool {
        self.counts().iter().all(|&count| count <= 1)
    }

    pub(super) fn transposed(&self) -> Self {
        let mut reads = vec![None; self.domain.iter().product()];
        for (output, read) in self.reads.iter().enumerate() {
            if let Some(read) = *read {
                assert_eq!(reads[read].replace(output), None);
            }
        }
        Self { domain: self.range.clone(), range: self.domain.clone(), reads }
    }
}

/// A supply of choices; 0, the plainest, when it is used up.
#[derive(Clone, Debug)]
pub(super) struct Choices(std::vec::IntoIter<u8>);

impl Choices {
    pub(super) fn strategy() -> impl Strategy<Value = Self> {
        vec(any::<u8>(), 0..64).prop_map(|choices| Self(choices.into_iter()))
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % n.max(1)
    }

    fn axis(&mut self, rank: usize) -> isize {
        let axis = self.below(rank) as isize;
        if self.below(2) == 0 { axis } else { axis - rank as isize }
    }
}

pub(super) fn shape(rank: usize, extent: usize) -> impl Strategy<Value = Vec<usize>> {
    vec(0..=extent, 0..=rank)
}

/// Any map, and what its pieces said before they were brought to normal form.
pub(super) fn random(
    domain: &[usize],
    range: &[usize],
    choices: &mut Choices,
) -> (IndexMap, Table) {
    if domain.contains(&0) {
        // There is nothing to read or to hold.
        let zeros = IndexMap::zeros("test", domain, range).unwrap();
        return (zeros, Table::of(domain, range, |_| None));
    }
    let (axes, held) = axis_maps(domain, range, choices);
    let map = IndexMap::from_pieces("test", domain, range, &axes, &held).unwrap();
    (map, Table::of_pieces(domain, range, &axes, &held))
}

/// Any pieces on any axes, not in normal form, and held indices.
fn axis_maps(
    domain: &[usize],
    range: &[usize],
    choices: &mut Choices,
) -> (Vec<AxisMap>, Vec<usize>) {
    let mut left: Vec<usize> = (0..domain.len()).collect();
    let mut axes = Vec::new();
    for &extent in range {
        let from = choices.below(left.len() + 1);
        let from = (from < left.len()).then(|| left.remove(from));
        let input = from.map_or(1, |from| domain[from]);
        let (mut pieces, mut start) = (Vec::new(), 0);
        while start < extent {
            let len = extent - start - choices.below(extent - start);
            pieces.push(if choices.below(6) == 5 {
                Piece::zeros(start, start + len)
            } else {
                let first = choices.below(input);
                let (down, up) = match len {
                    1 => (3, 3),
                    _ => (first / (len - 1), (input - 1 - first) / (len - 1)),
                };
                let step = up as isize - choices.below(down + up + 1) as isize;
                Piece::reads(start, start + len, first, step)
            });
            start += len;
        }
        axes.push(AxisMap::new(from, pieces));
    }
    (axes, domain.iter().map(|&extent| choices.below(extent)).collect())
}

/// A map by name, or several after each other; they are often injective.
pub(super) fn chain(shape: &[usize], choices: &mut Choices) -> IndexMap {
    let mut map = IndexMap::identity("test", shape).unwrap();
    for _ in 0..choices.below(4) {
        if map.range().iter().product::<usize>() > 400 {
            break;
        }
        let next = named(map.range(), choices);
        map = next.after(&map).unwrap();
    }
    map
}

fn named(shape: &[usize], choices: &mut Choices) -> IndexMap {
    let rank = shape.len();
    if rank == 0 || choices.below(8) == 7 {
        let axis = choices.axis(rank + 1);
        return IndexMap::repeat("test", shape, axis, choices.below(4)).unwrap();
    }
    let axis = choices.axis(rank);
    let extent = shape[axis.rem_euclid(rank as isize) as usize];
    match choices.below(8) {
        0 => IndexMap::flip("test", shape, &[axis]),
        1 => IndexMap::pad("test", shape, axis, choices.below(3), choices.below(3)),
        2 => IndexMap::roll("test", shape, axis, choices.below(9) as isize - 4),
        3 if extent > 0 => IndexMap::symmetrize("test", shape, axis),
        4 if extent > 0 => {
            let start = choices.below(extent);
            let step = [1_isize, 2, -1, -2][choices.below(4)];
            let room = if step > 0 { extent - 1 - start } else { start };
            let len = choices.below(room / step.unsigned_abs() + 2);
            IndexMap::slice("test", shape, axis, start, len, step)
        }
        5 if extent > 0 => IndexMap::select("test", shape, axis, choices.below(extent)),
        6 => IndexMap::tile("test", shape, axis, choices.below(3)),
        _ => {
            let mut left: Vec<isize> = (0..rank as isize).collect();
            let order: Vec<isize> =
                (0..rank).map(|_| left.remove(choices.below(left.len()))).collect();
            IndexMap::permute("test", shape, &order)
        }
    }
    .unwrap()
}
