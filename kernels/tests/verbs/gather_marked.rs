//! Elements that are picked in their order, and brought back.

use arrayspan_kernels::{Gather, Update};

use super::gather::{check, set};
use crate::cell::Cell;
use crate::sample::{FORMS, Form, Random};

/// Some of `extent` indices, each with a chance of `share` of 256, but at least one.
fn some(extent: usize, share: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let kept = |_: &usize| random.bits() as usize % 256 < share;
    let mut kept: Vec<usize> = (0..extent).filter(kept).collect();
    if kept.is_empty() {
        kept.push(extent - 1);
    }
    kept
}

/// Rows with at most one entry, which is the next column: what the adjoint of a pick is, as a table of its own.
fn brought_back(extent: usize, kept: &[usize]) -> Gather {
    let starts = (0..=extent).map(|row| kept.partition_point(|index| *index < row)).collect();
    let columns = (0..kept.len()).collect();
    Gather::new(0, &[extent], &[kept.len()], starts, columns, None).unwrap()
}

pub fn of_few_and_many_with_any_share_of_them(cell: &Cell) {
    for extent in [1, 2, 31, 32, 33, 63, 64, 65, 1009, 70_001] {
        for share in [1, 8, 20, 128, 255] {
            let kept = some(extent, share, extent as u64 + share as u64);
            let picks = Gather::pick(0, extent, kept.clone()).unwrap();
            let back = brought_back(extent, &kept);
            for gather in [&picks, &picks.adjoint(), &back, &back.adjoint()] {
                set(cell, gather, gather.columns(), 71);
            }
        }
    }
}

pub fn on_any_layout_with_factors(cell: &Cell) {
    for shape in [&[257][..], &[7, 41], &[1, 257]] {
        let extent: usize = shape.iter().product();
        let (starts, columns) = ((0..=129).collect(), (0..extent).step_by(2).take(129).collect());
        let picks = Gather::new(0, &[129], shape, starts, columns, None).unwrap();
        for gather in [&picks, &picks.adjoint()] {
            let range = gather.range_of(gather.columns()).unwrap();
            for form in FORMS {
                for update in [Update::set(), Update::add(), Update::new(-0.5, 2.0)] {
                    let x = cell.random(gather.columns(), form, 72);
                    check(cell, gather, &x, &mut cell.random(&range, form, 73), update);
                }
                let update = Update::new(cell.number(2.0, -1.0), 0.0);
                let x = cell.random(gather.columns(), Form::Plain, 74);
                check(cell, gather, &x, &mut cell.unreadable(&range, form), update);
            }
        }
    }
}
