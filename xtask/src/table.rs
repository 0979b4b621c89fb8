//! Figures of several programs, in one table.

use std::collections::BTreeMap;

/// What one direction of an operator took.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Apply {
    milliseconds: f64,
    /// Read and written by the verbs; not every program prints it.
    bytes: Option<f64>,
}

impl Apply {
    /// Bytes in a millisecond.
    fn rate(self) -> Option<f64> {
        Some(self.bytes? / self.milliseconds)
    }
}

/// Figures by name, from the CSV that benchmarks print: name, size, forward and adjoint in milliseconds, then, where
/// they are known, the bytes that each moves.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    rows: Vec<(String, [Apply; 2])>,
}

impl Figures {
    /// Reads CSV; lines that hold no figures are left out.
    pub(crate) fn read(csv: &str) -> Self {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let &[name, _, forward, adjoint, ..] = &cells[..] else { return None };
            let bytes = |at: usize| cells.get(at).and_then(|cell| cell.parse().ok());
            let apply =
                |cell: &str, at| Some(Apply { milliseconds: cell.parse().ok()?, bytes: bytes(at) });
            Some((name.to_owned(), [apply(forward, 4)?, apply(adjoint, 5)?]))
        };
        Self { rows: csv.lines().filter_map(row).collect() }
    }

    fn named(&self, name: &str) -> Option<[Apply; 2]> {
        self.rows.iter().find(|(other, _)| other == name).map(|(_, applies)| *applies)
    }

    /// Our figures, beside those of a peer with the same name where there are any; forward and adjoint in each cell.
    /// Below stands the geometric mean of the ratios.
    pub(crate) fn beside(&self, peer: &Self) -> String {
        let peers: BTreeMap<&str, [Apply; 2]> =
            peer.rows.iter().map(|(name, applies)| (&**name, *applies)).collect();
        let copy = self.named("copy").and_then(|[copy, _]| copy.rate());
        let mut ratios = Vec::new();
        let mut table = line("", ["ms", "MB moved", "% of copy rate", "peer, ms", "ratio"]);
        for (name, applies) in &self.rows {
            let peers = peers.get(&**name);
            let ratio: Vec<f64> = peers.map_or_else(Vec::new, |peers| {
                peers.iter().zip(applies).map(|(a, b)| a.milliseconds / b.milliseconds).collect()
            });
            let share = |apply: &Apply| Some(100.0 * apply.rate()? / copy?);
            table += &line(
                name,
                [
                    &pair(applies.iter().map(|apply| Some(apply.milliseconds)), 4),
                    &pair(applies.iter().map(|apply| Some(apply.bytes? * 1e-6)), 1),
                    &pair(applies.iter().map(share), 0),
                    &pair(peers.into_iter().flatten().map(|apply| Some(apply.milliseconds)), 4),
                    &pair(ratio.iter().copied().map(Some), 1),
                ],
            );
            ratios.extend(ratio.into_iter().filter(|ratio| ratio.is_finite()));
        }
        table + &mean(&ratios)
    }
}

/// The last line of a table: what the ratios come to.
fn mean(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return String::new();
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    format!("geometric mean of {} ratios {:.1}, least {least:.1}\n", ratios.len(), mean.exp())
}

fn line(name: &str, [times, bytes, share, peer, ratio]: [&str; 5]) -> String {
    let line = format!("{name:<30} {times:>19} {bytes:>16} {share:>14} {peer:>19} {ratio:>13}");
    format!("{}\n", line.trim_end())
}

/// `forward / adjoint`, or nothing where neither is a number.
fn pair(values: impl Iterator<Item = Option<f64>>, digits: usize) -> String {
    let values: Vec<Option<f64>> = values.collect();
    if values.iter().all(|value| value.is_none_or(f64::is_nan)) {
        return String::new();
    }
    let cell = |value: &Option<f64>| match value {
        Some(value) if !value.is_nan() => format!("{value:.digits$}"),
        _ => "-".to_owned(),
    };
    values.iter().map(cell).collect::<Vec<_>>().join(" / ")
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
        assert!(row("A").ends_with("10.0 / 2.0"), "{table}");
        assert_eq!(row("B").split_whitespace().collect::<Vec<_>>(), ["B", "1.0000", "/", "1.0000"]);
        assert!(!table.contains('C'));
        assert!(row("geometric").contains("of 2 ratios 4.5, least 2.0"), "{table}");
    }

    #[test]
    fn shares_are_those_of_the_rate_of_a_copy() {
        let ours = Figures::read("copy,1m,2,2,8000000,8000000\nA,1m,4,NaN,8000000,8000000\n");
        let table = ours.beside(&Figures::default());
        let row = table.lines().find(|line| line.starts_with('A')).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells, ["A", "4.0000", "/", "-", "8.0", "/", "8.0", "50", "/", "-"], "{table}");
    }
}
