//! `DCT`: all types, of axes that are short, longer and even, longer and odd, and of a prime number of samples.

use arrayspan_bridge::DType;
use arrayspan_operators::{Cosines, DCT};

use super::{space, table};
use crate::suite::{Case, Cell, Moves};

const TYPES: [Cosines; 4] = [Cosines::I, Cosines::II, Cosines::III, Cosines::IV];

/// One transform, the matrix of a short axis in one launch, or weights before and behind the transform of a longer one, and real parts.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape: &'static [usize], axes: &'static [isize], cosines| {
        let name = format!("{cosines:?} along {axes:?} of {shape:?}");
        let case =
            Case::new(name, move |cell: &Cell| DCT::new(space(cell, shape)?, axes, cosines));
        let [forward, adjoint] = moves(dtype, shape, axes, cosines);
        case.moves(forward, adjoint)
    };
    let mut cases = Vec::new();
    for (number, cosines) in TYPES.into_iter().enumerate() {
        let key = |what: &str| format!("dct/{what}{}", number + 1);
        cases.push(case(&[5, 3], &[0], cosines).golden(key("short")));
        cases.push(case(&[2, 36], &[1], cosines).golden(key("even")));
        cases.push(case(&[33, 2], &[0], cosines).golden(key("odd")));
    }
    cases.push(case(&[33, 4], &[0, 1], Cosines::II).golden("dct/both"));
    cases.push(case(&[11, 1, 2], &[1], Cosines::IV));
    cases.push(case(&[17, 2], &[0], Cosines::II));
    cases
}

fn moves(dtype: DType, shape: &[usize], axes: &[isize], cosines: Cosines) -> [Moves; 2] {
    let all: usize = shape.iter().product();
    let each = axes.iter().map(|&axis| {
        let extent = shape[axis as usize];
        let others = all / extent;
        let last = axis as usize + 1 == shape.len();
        let shifted = matches!(cosines, Cosines::II | Cosines::III);
        let whole = shifted && !dtype.is_complex() && extent > 1 && extent != 17;
        match (extent > 32 || whole, cosines) {
            (false, _) => short(dtype, extent, others),
            (true, Cosines::III) => swapped(long(dtype, [extent, others], Cosines::II, last)),
            (true, _) => long(dtype, [extent, others], cosines, last),
        }
    });
    each.fold([Moves::one(0, 0); 2], both)
}

/// One after the other, and back.
fn both(first: [Moves; 2], next: [Moves; 2]) -> [Moves; 2] {
    [first[0].then(next[0]), next[1].then(first[1])]
}

fn swapped([forward, adjoint]: [Moves; 2]) -> [Moves; 2] {
    [adjoint, forward]
}

/// One launch that reads the matrix: a weight and an index each.
fn short(dtype: DType, extent: usize, others: usize) -> [Moves; 2] {
    let rows = vec![(0..extent).collect(); extent];
    table::moves(&rows, extent, others, Some(dtype.real()))
}

/// Of types II and III of real numbers one launch, which samples are reordered and bins turned in. Else weights, the transform and
/// weights. Of real numbers, what is complex counts twice: along the last axis as real numbers, along another one
/// with a pass for real parts.
fn long(
    dtype: DType,
    [extent, others]: [usize; 2],
    cosines: Cosines,
    last: bool,
) -> [Moves; 2] {
    let real = !dtype.is_complex();
    let beside = real && last;
    let turned = if dtype.real() == DType::Float32 { DType::Complex64 } else { DType::Complex128 };
    let wide = if real { 2 } else { 1 };
    let of = |rows: usize, row: &dyn Fn(usize) -> Vec<usize>| (0..rows).map(row).collect::<Vec<_>>();
    let complex = |moves: [Moves; 2]| {
        moves.map(|moves| Moves {
            read: wide * moves.read,
            written: wide * moves.written,
            ..moves
        })
    };
    let copied = |from: usize, to: usize| {
        [Moves::one(from * others, to * others), Moves::one(to * others, from * others)]
    };
    let parts =
        |whole| if real && !last { both(whole, copied(2 * extent, extent)) } else { whole };
    // Rows of `each` parts of complex columns.
    let of_parts = |rows: &[Vec<usize>], columns: usize, each: usize, weights: DType| {
        if !beside {
            return complex(table::moves(rows, columns, others, Some(weights)));
        }
        let row = |row: &Vec<usize>| {
            row.iter().flat_map(|at| (0..each).map(move |part| 2 * at + part)).collect()
        };
        let rows: Vec<Vec<usize>> = rows.iter().map(row).collect();
        table::moves(&rows, 2 * columns, others, Some(weights.real()))
    };
    match cosines {
        Cosines::I => {
            let points = 2 * extent - 2;
            let bins = if real { extent } else { points };
            let mirrored = of(points, &|point| vec![point.min(points - point)]);
            let before = table::moves(&mirrored, extent, others, Some(dtype.real()));
            let ends = of(extent, &|k| vec![k]);
            let behind = of_parts(&ends, bins, 1, dtype.real());
            parts(both(both(before, copied(points, wide * bins)), behind))
        }
        Cosines::II | Cosines::III if real => copied(extent, extent),
        Cosines::II | Cosines::III => {
            let even = extent.div_ceil(2);
            let sample = |at: usize| if at < even { 2 * at } else { 2 * (extent - 1 - at) + 1 };
            let bin = |k: usize| if k == 0 { vec![0] } else { vec![k, extent - k] };
            let before = table::moves(&of(extent, &|at| vec![sample(at)]), extent, others, None);
            let behind = of_parts(&of(extent, &bin), extent, 2, turned);
            both(both(before, copied(extent, extent)), behind)
        }
        Cosines::IV => {
            let odd = !extent.is_multiple_of(2);
            let points = if odd { 2 * extent } else { extent / 2 };
            let own = |j: usize| if j < extent { vec![j] } else { Vec::new() };
            let pair = |m: usize| vec![2 * m, extent - 1 - 2 * m];
            let half = |k: usize| if k.is_multiple_of(2) { k / 2 } else { (extent - 1 - k) / 2 };
            let before = if odd { of(points, &own) } else { of(points, &pair) };
            let behind = of(extent, &|k| vec![if odd { k } else { half(k) }]);
            let before = if beside {
                let twice: Vec<_> = before.iter().flat_map(|row| [row.clone(), row.clone()]).collect();
                table::moves(&twice, extent, others, Some(dtype))
            } else {
                complex(table::moves(&before, extent, others, Some(turned)))
            };
            let behind = of_parts(&behind, points, 2, turned);
            let fourier = complex(copied(points, points));
            let whole = both(both(before, fourier), behind);
            if beside {
                return whole;
            }
            if real {
                return parts(both(copied(extent, 2 * extent), whole));
            }
            // It, and its conjugate, which is added.
            whole.map(|once| once.then(once).reading(extent * others))
        }
    }
}
