//! What the tests of the operators cost, and whether that is within their budget.
//!
//! A program tells it on lines `spent: first_derivative opencl:0 3 kernels 812 ms`. The time is that of processors, not
//! of the clock: a busy machine changes it less, but two threads of one core still slow each other, and kernels
//! that two operators share are compiled by the one that comes first. The mean over all operators evens both
//! out, so that is what the budget holds for; one operator alone may take a few times as much.

use std::collections::BTreeMap;
use std::time::Duration;

/// What an operator may take of processors in the mean, when no kernel is compiled yet: 4 s of two cores.
const MEAN: Duration = Duration::from_secs(8);

/// What one operator may take at most. Its number of kernels is limited more narrowly, by the completeness test.
const MOST: Duration = Duration::from_secs(20);

/// What the tests of each operator cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent {
    operators: BTreeMap<String, Costs>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Costs {
    kernels: usize,
    processor: Duration,
}

impl Spent {
    /// Takes in a line; whether it was one about costs.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        let Some((operator, costs)) = costs(line) else { return false };
        let sum = self.operators.entry(operator.to_owned()).or_default();
        sum.kernels += costs.kernels;
        sum.processor += costs.processor;
        true
    }

    /// The most expensive operators, and what those over the budget cost; nothing where no operator was tested.
    pub(crate) fn table(&self) -> String {
        let mut rows: Vec<_> = self.operators.iter().collect();
        rows.sort_by_key(|(name, costs)| (std::cmp::Reverse(costs.processor), *name));
        if rows.is_empty() {
            return String::new();
        }
        let mut table = format!(
            "\n{:<28} {:>9} {:>9}   all devices and dtypes, in seconds of processors\n",
            "operator", "kernels", "seconds"
        );
        for (name, costs) in rows.into_iter().take(10) {
            let over = if costs.processor > MOST { "  OVER ITS BUDGET" } else { "" };
            let seconds = costs.processor.as_secs_f64();
            table = format!("{table}{name:<28} {:>9} {seconds:>9.1}{over}\n", costs.kernels);
        }
        let (mean, count) = (self.mean().as_secs_f64(), self.operators.len());
        let budget = MEAN.as_secs();
        format!(
            "{table}{:<28} {:>9} {mean:>9.1}   the budget is {budget}\n",
            format!("mean of {count}"),
            ""
        )
    }

    /// One line for each budget that is exceeded.
    pub(crate) fn over(&self) -> Vec<String> {
        let over = self.operators.iter().filter(|(_, costs)| costs.processor > MOST);
        let line = |(name, costs): (&String, &Costs)| {
            format!(
                "{name}: its tests take {:.1} s of processors and {} kernels, {:.0} s are the most; let its cases share \
                 shapes and taps, or leave variants to the verbs' tests",
                costs.processor.as_secs_f64(),
                costs.kernels,
                MOST.as_secs_f64()
            )
        };
        let mut lines: Vec<String> = over.map(line).collect();
        let mean = self.mean();
        if mean > MEAN {
            lines.push(format!(
                "an operator's tests take {:.1} s of processors in the mean, {:.0} s are the budget",
                mean.as_secs_f64(),
                MEAN.as_secs_f64()
            ));
        }
        lines
    }

    fn mean(&self) -> Duration {
        let sum: Duration = self.operators.values().map(|costs| costs.processor).sum();
        sum / u32::try_from(self.operators.len().max(1)).unwrap_or(u32::MAX)
    }
}

/// `spent: first_derivative opencl:0 3 kernels 812 ms`
fn costs(line: &str) -> Option<(&str, Costs)> {
    let words: Vec<&str> = line.strip_prefix("spent: ")?.split(' ').collect();
    let &[operator, _, kernels, "kernels", milliseconds, "ms"] = &words[..] else { return None };
    let processor = Duration::from_millis(milliseconds.parse().ok()?);
    Some((operator, Costs { kernels: kernels.parse().ok()?, processor }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_added_up_and_what_is_over_a_budget_is_named() {
        let mut spent = Spent::default();
        assert_eq!((spent.table(), spent.over()), (String::new(), Vec::new()));
        for line in [
            "spent: identity cpu 0 kernels 40 ms",
            "spent: identity opencl:0 3 kernels 960 ms",
            "spent: laplacian opencl:0 20 kernels 14990 ms",
        ] {
            assert!(spent.take(line), "{line}");
        }
        for line in ["spent: identity cpu", "spent: a b c kernels d ms", "identity", ""] {
            assert!(!spent.take(line), "{line}");
        }
        assert_eq!(spent.over(), Vec::<String>::new());
        let table = spent.table();
        assert!(table.lines().nth(2).is_some_and(|row| row.starts_with("laplacian")), "{table}");
        assert!(
            table
                .lines()
                .last()
                .is_some_and(|row| row.starts_with("mean of 2") && row.contains("8.0")),
            "{table}"
        );
        let identity = Costs { kernels: 3, processor: Duration::from_secs(1) };
        assert_eq!(spent.operators["identity"], identity);

        assert!(spent.take("spent: laplacian cuda:0 0 kernels 20 ms"));
        let [line] = &spent.over()[..] else { panic!("{:?}", spent.over()) };
        assert!(line.starts_with("an operator's tests take 8.0 s"), "{line}");
        assert!(!spent.table().contains("OVER ITS BUDGET"));

        assert!(spent.take("spent: laplacian cuda:0 0 kernels 5000 ms"));
        let [line, _mean] = &spent.over()[..] else { panic!("{:?}", spent.over()) };
        assert!(line.starts_with("laplacian: its tests take 20.0 s"), "{line}");
        assert!(spent.table().contains("OVER ITS BUDGET"));
    }
}
