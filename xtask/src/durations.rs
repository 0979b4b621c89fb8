//! How long programs and shards took the last time, so that the longest begin first.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use crate::process::local;

const FILE: &str = "durations.txt";

/// Durations by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Durations(BTreeMap<String, f64>);

impl Durations {
    /// Those of earlier runs; none where there was no run.
    pub(crate) fn read() -> Self {
        Self::parse(&fs::read_to_string(local(FILE)).unwrap_or_default())
    }

    /// What to expect: what it took the last time, else what its weight makes likely.
    pub(crate) fn expected(&self, name: &str, weight: usize) -> f64 {
        self.0.get(name).copied().unwrap_or(weight as f64 * 0.02)
    }

    pub(crate) fn set(&mut self, name: &str, took: Duration) {
        self.0.insert(name.to_owned(), took.as_secs_f64());
    }

    /// For the next run. That it cannot be written costs nothing but order.
    pub(crate) fn write(&self) {
        let _ = fs::create_dir_all(local(""));
        let _ = fs::write(local(FILE), self.text());
    }

    fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let (seconds, name) = line.split_once(' ')?;
            let seconds = seconds.parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
            Some((name.to_owned(), seconds))
        };
        Self(text.lines().filter_map(line).collect())
    }

    fn text(&self) -> String {
        let lines = self.0.iter().map(|(name, seconds)| format!("{seconds:.3} {name}\n"));
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nonsense_is_left_out() {
        let mut durations = Durations::default();
        durations.set("kernels-verbs 2/3", Duration::from_millis(1500));
        durations.set("cli-command", Duration::from_secs(2));
        assert_eq!(Durations::parse(&durations.text()), durations);
        let mixed = format!("nonsense\nNaN x\n{}", durations.text());
        assert_eq!(Durations::parse(&mixed), durations);
        assert!((durations.expected("cli-command", 1000) - 2.0).abs() < 1e-9);
        assert!((durations.expected("another", 100) - 2.0).abs() < 1e-9);
    }
}
