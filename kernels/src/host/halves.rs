//! Work that is cut in halves: how it is cut, and so in which order sums are rounded, does not depend on the threads.

use arrayspan_bridge::parallel;

/// Elements in whose multiples long lines are cut: whole cache lines of every dtype.
pub(super) const LINES: usize = 64;

/// Where so many elements are cut in two: where a cache line begins, if they are many and the first does.
pub(super) fn middle(len: usize) -> usize {
    let half = len / 2;
    if half < 4 * LINES { half } else { half.next_multiple_of(LINES) }
}

/// What `sum` makes of the parts of `whole`, as small as `halve` makes them, put together halves with halves. Parts are worked on
/// side by side.
pub(super) fn by_halves<P: Clone + Send, R: Default + Send>(
    whole: P,
    halve: &impl Fn(&P) -> Option<[P; 2]>,
    sum: &(impl Fn(P) -> R + Sync),
    join: &impl Fn(R, R) -> R,
) -> R {
    if halve(&whole).is_none() {
        return sum(whole);
    }
    let mut leaves = Vec::new();
    cut(whole.clone(), halve, &mut leaves);
    together(&whole, halve, join, &mut parallel::collect(leaves, sum).into_iter())
}

/// The parts that are not cut further, in order.
pub(super) fn cut<P>(part: P, halve: &impl Fn(&P) -> Option<[P; 2]>, leaves: &mut Vec<P>) {
    match halve(&part) {
        None => leaves.push(part),
        Some(halves) => halves.into_iter().for_each(|half| cut(half, halve, leaves)),
    }
}

/// Puts the results of the parts together.
pub(super) fn together<P, R: Default>(
    part: &P,
    halve: &impl Fn(&P) -> Option<[P; 2]>,
    join: &impl Fn(R, R) -> R,
    results: &mut impl Iterator<Item = R>,
) -> R {
    match halve(part) {
        None => results.next().unwrap_or_default(),
        Some(halves) => {
            let [first, second] = halves.map(|half| together(&half, halve, join, &mut *results));
            join(first, second)
        }
    }
}
