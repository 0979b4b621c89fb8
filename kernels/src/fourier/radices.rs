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

/// Further radices of butterflies that a thread holds in registers, as products.
const HELD: [(usize, [usize; 2]); 5] =
    [(32, [2, 16]), (28, [4, 7]), (24, [3, 8]), (21, [3, 7]), (18, [2, 9])];

/// Radices that take as many points by themselves, and in which order two others do in less time: more threads share them, and each has
/// fewer registers.
const APART: [(usize, [usize; 2]); 16] = [
    (27, [9, 3]),
    (25, [5, 5]),
    (20, [4, 5]),
    (16, [4, 4]),
    (15, [5, 3]),
    (14, [7, 2]),
    (13, [13, 1]),
    (12, [4, 3]),
    (11, [11, 1]),
    (10, [5, 2]),
    (9, [3, 3]),
    (8, [4, 2]),
    (7, [7, 1]),
    (6, [6, 1]),
    (5, [5, 1]),
    (3, [3, 1]),
];

/// Those of them that do where the last butterflies are made together.
const APART_COUPLED: [usize; 3] = [27, 14, 10];

/// What a step costs beside the butterflies of one more point.
const STEP: usize = 64;

/// What it costs if no radix is odd, and some numbers go into local memory that only keep others apart.
const PADS: usize = 2;

/// Lengths whose radices are looked for once: those that fit local memory, as a rule.
static KNOWN: LazyLock<[Known; 4]> =
    LazyLock::new(|| std::array::from_fn(|_| (0..=1 << 14).map(|_| OnceLock::new()).collect()));
type Known = Box<[OnceLock<Vec<usize>>]>;

/// Of which steps two butterflies are made together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Couples {
    pub(crate) first: bool,
    pub(crate) last: bool,
}

impl Couples {
    /// Whether there are any.
    pub(crate) fn any(self) -> bool {
        self.first || self.last
    }

    /// Butterflies of step `at` of so many that are made together: two, or one.
    pub(crate) fn of_step(self, at: usize, steps: usize) -> usize {
        1 + usize::from(at == 0 && self.first || at + 1 == steps && self.last)
    }
}

/// The largest radix of butterflies that are made together: registers of a thread hold two; and what a larger one costs.
const COUPLED: usize = 12;
const TOO_LARGE: usize = 64;

/// Of fewer points two odd radices stay in their order, the largest first: more threads share the second step.
const SHORT: usize = 100;

/// The largest radix of two that are alone: few threads would have much to do.
const ALONE: usize = 25;

/// Bins that the butterflies of the last step leave together at least where two are made together; and what fewer cost.
const TOGETHER: usize = 32;
const SCATTERED: usize = 96;

/// The first radix of two of which numbers that are taken together lie in the same banks, and what they cost.
const CLOSE: usize = 6;
const COLLIDING: usize = 96;

/// The radices of so many points, all of whose prime factors are small: as few as can be, about as large as each other. The largest
/// comes second of several, then the others down to the smallest, but for an odd one, if there is one, at the end: numbers that are so
/// far apart are in different banks of local memory.
///
/// Where two butterflies are made together at an end, or at both, the smallest stand there.
pub(crate) fn radices(points: usize, couples: Couples) -> Vec<usize> {
    let found = || if couples.any() { coupled(points, couples) } else { found(points) };
    match KNOWN[usize::from(couples.first) + 2 * usize::from(couples.last)].get(points) {
        Some(known) => known.get_or_init(found).clone(),
        None => found(),
    }
}

/// Those of which that costs least.
fn coupled(points: usize, couples: Couples) -> Vec<usize> {
    if couples.last && !couples.first && APART_COUPLED.contains(&points) {
        return found(points);
    }
    let mut all = all_of(points, 1);
    // The last step may take bins alone.
    let alone = all.iter().filter(|radices| couples.last && radices.len() > 1);
    let alone: Vec<_> = alone.map(|radices| [&radices[..], &[1]].concat()).collect();
    all.extend(alone);
    let all = all.into_iter().map(|radices| with_small_ends(radices, couples));
    let cost = |radices: &Vec<usize>| {
        let ends = [(couples.first, radices.first()), (couples.last, radices.last())];
        let ends = ends.into_iter().filter_map(|(is, radix)| radix.filter(|_| is));
        let ends = ends.map(|radix| radix + if *radix > COUPLED { TOO_LARGE } else { 0 });
        let all = radices.iter().sum::<usize>();
        let scattered = match (couples.last, &radices[..]) {
            (true, [_, .., last]) if points / last < TOGETHER => SCATTERED,
            _ => 0,
        };
        let close = couples.last && matches!(radices[..], [CLOSE, last] if last > 1);
        let close = if close { COLLIDING } else { 0 };
        (radices.len() * STEP + all + ends.sum::<usize>() + scattered + close, all)
    };
    all.min_by_key(cost).unwrap_or_default()
}

/// Radices, the largest first, in the order of steps of which those at the ends are made two at a time.
pub(super) fn with_small_ends(mut radices: Vec<usize>, couples: Couples) -> Vec<usize> {
    if let Some(least) = radices.pop() {
        let next = radices.pop();
        let [first, last] = if couples.first { [Some(least), next] } else { [next, Some(least)] };
        radices = first.into_iter().chain(radices).chain(last).collect();
    }
    radices
}

fn found(points: usize) -> Vec<usize> {
    if let Some((_, two)) = APART.iter().find(|(whole, _)| *whole == points) {
        return two.to_vec();
    }
    let found = fewest(points, usize::MAX).map_or_else(Vec::new, |(_, radices)| radices);
    if points < SHORT && matches!(found[..], [a, b] if a % 2 == 1 && b % 2 == 1) {
        return found;
    }
    let more = || {
        let three = all_of(points, 1).into_iter().filter(|radices| radices.len() == 3);
        three.min_by_key(|radices| radices.iter().sum::<usize>())
    };
    let large = matches!(&found[..], [_, least] if *least > ALONE);
    in_order(if large { more().unwrap_or(found) } else { found })
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

/// All radices, the largest first, of which there are as few as can be, or so many more.
pub(super) fn all_of(points: usize, more: usize) -> Vec<Vec<usize>> {
    products(points, more, &ALL)
}

/// As few as can be where a thread holds the numbers of each butterfly.
pub(super) fn all_held(points: usize) -> Vec<Vec<usize>> {
    products(points, 0, &[&HELD[..], &ALL].concat())
}

fn products(points: usize, more: usize, of: &[(usize, [usize; 2])]) -> Vec<Vec<usize>> {
    let (mut all, mut found, mut left) = (vec![(points, Vec::new())], Vec::new(), more + 1);
    while !all.is_empty() && left > 0 {
        let done = all.iter().filter(|(rest, _)| *rest == 1).map(|(_, radices)| radices.clone());
        found.extend(done);
        all.retain(|(rest, _)| *rest > 1);
        if !found.is_empty() {
            left -= 1;
        }
        let next = |(rest, radices): &(usize, Vec<usize>)| {
            let (rest, most) = (*rest, radices.last().copied().unwrap_or(*rest));
            let each = of.iter().map(|(radix, _)| *radix).chain([2]);
            let fitting = each.filter(|radix| *radix <= most && rest.is_multiple_of(*radix));
            fitting
                .map(|radix| (rest / radix, [&radices[..], &[radix]].concat()))
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(next).collect();
    }
    found
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

/// Radices in the order of steps, 0 where there is none: no length has more.
pub(crate) type Packed = [u8; 16];

pub(crate) fn packed(radices: &[usize]) -> Packed {
    let mut packed = Packed::default();
    for (to, radix) in packed.iter_mut().zip(radices) {
        *to = *radix as u8;
    }
    packed
}

pub(crate) fn unpacked(packed: &Packed) -> Vec<usize> {
    packed.iter().take_while(|radix| **radix > 0).map(|radix| (*radix).into()).collect()
}

/// The two radices that a radix is the product of, if it has no butterfly of its own.
pub(crate) fn parts(radix: usize) -> Option<[usize; 2]> {
    let of = ALL.iter().chain(&HELD).find(|(of, _)| *of == radix)?.1;
    (of[0] > 1).then_some(of)
}

#[cfg(test)]
mod tests {
    use super::super::schedule::factors;
    use super::*;

    fn plain(points: usize) -> Vec<usize> {
        radices(points, Couples::default())
    }

    #[test]
    fn every_length_of_small_factors_is_a_product_of_few() {
        for points in (1..5000).filter(|points| factors(*points).is_some()) {
            let radices = plain(points);
            assert_eq!(radices.iter().product::<usize>(), points);
            assert!(
                radices.len() <= 4 || points % 11 == 0 || points % 13 == 0,
                "{points}: {radices:?}"
            );
            let known = APART.iter().any(|(whole, _)| *whole == points);
            let odd = radices.iter().any(|radix| radix % 2 == 1);
            assert!(
                known || !odd || radices.last().is_some_and(|radix| radix % 2 == 1),
                "{radices:?}"
            );
        }
        assert_eq!(plain(21), [7, 3]);
        assert_eq!(plain(25), [5, 5]);
        assert_eq!(plain(4096), [16, 16, 16]);
        assert_eq!(plain(4000), [10, 16, 25]);
        assert_eq!(plain(2000), [10, 20, 10]);
        assert_eq!(plain(1000), [10, 10, 10]);
        assert_eq!(plain(2048), [16, 16, 8]);
    }

    #[test]
    fn products_have_parts() {
        for (radix, of) in ALL.into_iter().chain(HELD) {
            assert_eq!(of[0] * of[1], radix);
            assert_eq!(parts(radix).is_some(), of[0] > 1);
        }
    }
}
