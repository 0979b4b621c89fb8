//! All figures beside each other.

use std::collections::BTreeMap;

use crate::rows::{Goal, Row};

/// Rows, and what was measured of them for each number of cores.
pub(crate) struct Table<'r> {
    rows: &'r [Row],
    figures: BTreeMap<usize, BTreeMap<String, f64>>,
}

impl<'r> Table<'r> {
    pub(crate) fn new(rows: &'r [Row]) -> Self {
        Self { rows, figures: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, cores: usize, figures: BTreeMap<String, f64>) {
        self.figures.insert(cores, figures);
    }

    pub(crate) fn print(&self) {
        let heads: Vec<String> = self.figures.keys().map(|cores| format!("{cores:>9}")).collect();
        println!(
            "\n{:58}{}{:>9}{:>7}{:>9}  goal on 16",
            "ms on cores",
            heads.concat(),
            "GB/s",
            "share",
            "GFLOP/s"
        );
        let rates = self.of("memory");
        let columns: Vec<String> = rates.iter().map(|rate| format!("{rate:>9.1}")).collect();
        println!("{:58}{}", "GB/s at which memory is copied", columns.concat());
        let memory = rates.last().copied().unwrap_or(f64::NAN);
        // Goals are those of 16 cores.
        let judged = self.figures.keys().max() == Some(&16);
        for row in self.rows {
            let times = self.of(&row.name);
            let columns: Vec<String> = times.iter().map(|time| format!("{time:>9.3}")).collect();
            let seconds = times.last().unwrap_or(&f64::NAN) / 1e3;
            let (rate, work) = (row.bytes / seconds / 1e9, row.flops / seconds / 1e9);
            let share = rate / memory;
            let (goal, kept) = match row.goal {
                Goal::Milliseconds(most) => (format!("<= {most} ms"), seconds * 1e3 <= most),
                Goal::Share(least) => (format!("share >= {least}"), share >= least),
                Goal::None => (String::new(), true),
            };
            let missed = if kept || !judged { "" } else { "  MISSED" };
            let columns = columns.concat();
            println!("{:58}{columns}{rate:>9.1}{share:>7.2}{work:>9.1}  {goal}{missed}", row.name);
        }
    }

    /// The figures of this name, by the number of cores.
    fn of(&self, name: &str) -> Vec<f64> {
        self.figures.values().map(|of| of.get(name).copied().unwrap_or(f64::NAN)).collect()
    }
}
