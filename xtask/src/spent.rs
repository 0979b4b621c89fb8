//! What the tests of each operator cost, and whether that is within its budget.
//!
//! A program tells it on lines `spent: first_derivative opencl:0 3 kernels 812 ms`: the time is that of processors,
//! not of the clock, so that a busy machine does not change it much.

use std::collections::BTreeMap;
use std::time::Duration;

/// Seconds an operator may keep two cores busy, when no kernel is compiled yet: 4 by the clock.
const MOST: Duration = Duration::from_secs(8);

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
        let most = MOST.as_secs();
        let mut table = format!(
            "\n{:<28} {:>9} {:>9}   of {} operators, all devices and dtypes; each has {most} s of processors: 4 s of \
             two cores\n",
            "operator",
            "kernels",
            "seconds",
            rows.len()
        );
        for (name, costs) in rows.into_iter().take(10) {
            let over = if costs.processor > MOST { "  OVER ITS BUDGET" } else { "" };
            let seconds = costs.processor.as_secs_f64();
            table = format!("{table}{name:<28} {:>9} {seconds:>9.1}{over}\n", costs.kernels);
        }
        table
    }

    /// One line for each operator that costs more than it may.
    pub(crate) fn over(&self) -> Vec<String> {
        let over = self.operators.iter().filter(|(_, costs)| costs.processor > MOST);
        let line = |(name, costs): (&String, &Costs)| {
            format!(
                "{name}: its tests take {:.1} s of processors and {} kernels, {:.0} s are its budget; let its cases share \
                 shapes and taps, or leave variants to the verbs' tests",
                costs.processor.as_secs_f64(),
                costs.kernels,
                MOST.as_secs_f64()
            )
        };
        over.map(line).collect()
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
    fn costs_are_added_up_and_what_is_over_the_budget_is_named() {
        let mut spent = Spent::default();
        assert_eq!((spent.table(), spent.over()), (String::new(), Vec::new()));
        for line in [
            "spent: identity cpu 0 kernels 40 ms",
            "spent: identity opencl:0 3 kernels 960 ms",
            "spent: laplacian opencl:0 20 kernels 7990 ms",
        ] {
            assert!(spent.take(line), "{line}");
        }
        for line in ["spent: identity cpu", "spent: a b c kernels d ms", "identity", ""] {
            assert!(!spent.take(line), "{line}");
        }
        assert!(spent.over().is_empty());
        let table = spent.table();
        assert!(table.lines().nth(2).is_some_and(|row| row.starts_with("laplacian")), "{table}");
        let identity = Costs { kernels: 3, processor: Duration::from_secs(1) };
        assert_eq!(spent.operators["identity"], identity);
        assert!(spent.take("spent: laplacian cuda:0 0 kernels 20 ms"));
        let [line] = &spent.over()[..] else { panic!("{:?}", spent.over()) };
        assert!(line.starts_with("laplacian: its tests take 8.0 s"), "{line}");
        assert!(spent.table().contains("OVER ITS BUDGET"));
    }
}
