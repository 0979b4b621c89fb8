//! How long something was under way, however its times overlap.

use std::time::Duration;

/// Times at which something was under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    spans: Vec<(Duration, Duration)>,
    /// How many there were after the last merge.
    merged: usize,
}

/// Fewer are not worth merging.
const FEW: usize = 1024;

impl Spans {
    pub(super) fn add(&mut self, from: Duration, to: Duration) {
        if from < to {
            self.spans.push((from, to));
        }
        if self.spans.len() > FEW.max(2 * self.merged) {
            self.spans = self.union();
            self.merged = self.spans.len();
        }
    }

    /// The length of their union.
    pub(super) fn total(&self) -> Duration {
        self.union().iter().map(|(from, to)| to.saturating_sub(*from)).sum()
    }

    /// The same times as spans that lie apart.
    fn union(&self) -> Vec<(Duration, Duration)> {
        let mut sorted = self.spans.clone();
        sorted.sort_unstable();
        let mut union: Vec<(Duration, Duration)> = Vec::new();
        for (from, to) in sorted {
            match union.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => union.push((from, to)),
            }
        }
        union
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        // An interpreter of unsafe code is slow, and there is none here.
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 256 }))]

        #[test]
        fn their_total_is_the_number_of_moments_that_any_of_them_covers(
            spans in proptest::collection::vec((0..5000_u64, 0..90_u64), 0..3000),
        ) {
            let mut covered = vec![false; 5100];
            let mut sum = Spans::default();
            for (from, length) in spans {
                sum.add(Duration::from_nanos(from), Duration::from_nanos(from + length));
                covered[from as usize..(from + length) as usize].fill(true);
            }
            let moments = covered.iter().filter(|moment| **moment).count();
            prop_assert_eq!(sum.total(), Duration::from_nanos(moments as u64));
            prop_assert!(sum.spans.len() <= FEW.max(2 * sum.merged));
        }
    }
}
