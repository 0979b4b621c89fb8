//! Figures of several programs, in one table.

use std::collections::BTreeMap;

/// Figures by name, from the CSV that benchmarks print: name, size, forward and adjoint in milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    rows: Vec<(String, f64, f64)>,
}

impl Figures {
    /// Reads CSV; lines that hold no figures are left out.
    pub(crate) fn read(csv: &str) -> Self {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let &[name, _, forward, adjoint, ..] = &cells[..] else { return None };
            Some((name.to_owned(), forward.parse().ok()?, adjoint.parse().ok()?))
        };
        Self { rows: csv.lines().filter_map(row).collect() }
    }

    /// Our figures, beside those of a peer with the same name where there are any.
    pub(crate) fn beside(&self, peer: &Self) -> String {
        let peers: BTreeMap<&str, (f64, f64)> = peer
            .rows
            .iter()
            .map(|(name, forward, adjoint)| (&**name, (*forward, *adjoint)))
            .collect();
        let mut table = format!(
            "{:<24} {:>12} {:>12} {:>14} {:>14} {:>9} {:>9}\n",
            "ms", "forward", "adjoint", "peer forward", "peer adjoint", "ratio", "ratio"
        );
        for (name, forward, adjoint) in &self.rows {
            let line = match peers.get(&**name) {
                None => format!("{name:<24} {forward:>12.4} {adjoint:>12.4}"),
                Some((theirs, theirs_adjoint)) => format!(
                    "{name:<24} {forward:>12.4} {adjoint:>12.4} {theirs:>14.4} {theirs_adjoint:>14.4} \
                     {:>9.1} {:>9.1}",
                    theirs / forward,
                    theirs_adjoint / adjoint
                ),
            };
            table = format!("{table}{line}\n");
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_stand_beside_figures_of_the_same_name() {
        let ours = Figures::read("name,size,forward_ms,adjoint_ms\nA,1m,0.5,2\nB,1m,1,1\n");
        let peers = Figures::read("warning\nA,1m,5,4\nC,1m,1,1\n");
        let table = ours.beside(&peers);
        let row =
            |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert!(row("A").ends_with("10.0       2.0"), "{table}");
        assert_eq!(row("B").split_whitespace().count(), 3);
        assert!(!table.contains('C'));
    }
}
