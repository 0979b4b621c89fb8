//! The radices of a transform in local memory.

use std::sync::{LazyLock, OnceLock};

/// Radices of butterflies, and what those that are none of their own are the products of.
const ALL: [(usize, [usize; 2]); 17] = [
    (27, [3, 9]),
    (25, [5, 5]),
    (20, [4, 5]),
    (16, [1, 16]),
    (15, [3, 5]),
    (14, [2, 7]),
    (13, [1, 13]),
    (12, [4, 3]),
    (11, [1, 11]),
    (10, [2, 5]),
    (9, [3, 3]),
    (8, [1, 8]),
    (7, [1, 7]),
    (6, [2, 3]),
    (5, [1, 5]),
    (4, [1, 4]),
    (3, [1, 3]),
];

/// What a step costs beside the butterflies of one more point.
const STEP: usize = 64;

/// What it costs if no radix is odd, and some numbers go into local memory that only keep others apart.
const PADS: usize = 2;

/// Lengths whose radices are looked for once: those that fit local memory, as a rule.
static KNOWN: LazyLock<Box<[OnceLock<Vec<usize>>]>> =
    LazyLock::new(|| (0..=1 << 14).map(|_| OnceLock::new()).collect());

/// The radices of so many points, all of whose prime factors are small: as few as can be, about as large as each other. The largest
/// comes second of several, then the others down to the smallest, but for an odd one, if there is one, at the end: numbers that are so
/// far apart are in different banks of local memory.
pub(crate) fn radices(points: usize) -> Vec<usize> {
    match KNOWN.get(points) {
        Some(known) => known.get_or_init(|| found(points)).clone(),
        None => found(points),
    }
}

fn found(points: usize) -> Vec<usize> {
    in_order(fewest(points, usize::MAX).map_or_else(Vec::new, |(_, radices)| radices))
}

/// Radices, the largest first, in the order of steps.
pub(super) fn in_order(mut found: Vec<usize>) -> Vec<usize> {
    if let Some(at) = found.iter().position(|radix| radix % 2 == 1) {
        let odd = found.remove(at);
        found.push(odd);
    }
    // Butterflies of a small radix are many: all threads load.
    if found.len() > 2 && found[0] > found[1] {
        found.swap(0, 1);
    }
    found
}

/// All radices, the largest first, of which there are as few as can be.
pub(super) fn of_fewest(points: usize) -> Vec<Vec<usize>> {
    let mut all = vec![(points, Vec::new())];
    while !all.is_empty() {
        let done = all.iter().filter(|(rest, _)| *rest == 1).map(|(_, radices)| radices.clone());
        let done: Vec<Vec<usize>> = done.collect();
        if !done.is_empty() {
            return done;
        }
        let next = |(rest, radices): &(usize, Vec<usize>)| {
            let (rest, most) = (*rest, radices.last().copied().unwrap_or(*rest));
            let each = ALL.iter().map(|(radix, _)| *radix).chain([2]);
            let fitting = each.filter(|radix| *radix <= most && rest.is_multiple_of(*radix));
            fitting
                .map(|radix| (rest / radix, [&radices[..], &[radix]].concat()))
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(next).collect();
    }
    Vec::new()
}

/// What the best radices of at most so much cost, and these, the largest first.
fn fewest(points: usize, most: usize) -> Option<(usize, Vec<usize>)> {
    if points == 1 {
        return Some((0, Vec::new()));
    }
    let all = ALL.iter().map(|(radix, _)| *radix).chain([2]);
    let fitting = all.filter(|radix| *radix <= most && points.is_multiple_of(*radix));
    let with = |radix: usize| {
        let (cost, mut radices) = fewest(points / radix, radix)?;
        radices.insert(0, radix);
        Some((cost + STEP + radix, radices))
    };
    let padded = |(cost, radices): &(usize, Vec<usize>)| {
        let pads = radices.len() > 1 && radices.iter().all(|radix| radix % 2 == 0);
        cost + if pads && !points.is_power_of_two() { PADS } else { 0 }
    };
    fitting.filter_map(with).min_by_key(padded)
}

/// The two radices that a radix is the product of, if it has no butterfly of its own.
pub(crate) fn parts(radix: usize) -> Option<[usize; 2]> {
    let of = ALL.iter().find(|(of, _)| *of == radix)?.1;
    (of[0] > 1).then_some(of)
}

#[cfg(test)]
mod tests {
    use super::super::schedule::factors;
    use super::*;

    #[test]
    fn every_length_of_small_factors_is_a_product_of_few() {
        for points in (1..5000).filter(|points| factors(*points).is_some()) {
            let radices = radices(points);
            assert_eq!(radices.iter().product::<usize>(), points);
            assert!(
                radices.len() <= 4 || points % 11 == 0 || points % 13 == 0,
                "{points}: {radices:?}"
            );
            let odd = radices.iter().any(|radix| radix % 2 == 1);
            assert!(!odd || radices.last().is_some_and(|radix| radix % 2 == 1), "{radices:?}");
        }
        assert_eq!(radices(4096), [16, 16, 16]);
        assert_eq!(radices(4000), [10, 16, 25]);
        assert_eq!(radices(2000), [10, 20, 10]);
        assert_eq!(radices(1000), [10, 10, 10]);
        assert_eq!(radices(2048), [16, 16, 8]);
    }

    #[test]
    fn products_have_parts() {
        for (radix, of) in ALL {
            assert_eq!(of[0] * of[1], radix);
            assert_eq!(parts(radix).is_some(), of[0] > 1);
        }
    }
}
