//! What is held, as a table for people.

use std::fmt::Write as _;

use super::report::{self, DeviceMemoryReport, ScopeReport};
use crate::Device;

/// Scopes shown; there may be very many.
const SCOPES: usize = 12;

/// What every device holds, the largest scopes, and what other libraries hold, as a table.
#[must_use]
pub fn summary() -> String {
    of(&Device::all())
}

pub(super) fn of(devices: &[Device]) -> String {
    let devices: Vec<DeviceMemoryReport> = devices.iter().copied().map(report::device).collect();
    let mut scopes = report::scopes();
    scopes.retain(|scope| devices.iter().any(|device| device.device == scope.device));
    table(&devices, &scopes)
}

fn table(devices: &[DeviceMemoryReport], scopes: &[ScopeReport]) -> String {
    let mut text = String::new();
    let head = [
        "device",
        "live",
        "blocks",
        "peak",
        "allocations",
        "refused",
        "foreign",
        "reserved",
        "cached",
        "fragmented",
        "pinned",
    ];
    let rows: Vec<Vec<String>> = devices.iter().map(device_row).collect();
    write_table(&mut text, 1, &head, &rows);
    let libraries: Vec<Vec<String>> = devices.iter().flat_map(library_rows).collect();
    if !libraries.is_empty() {
        text.push('\n');
        write_table(&mut text, 2, &["library", "device", "live", "peak", "reserved"], &libraries);
    }
    if !scopes.is_empty() {
        text.push('\n');
        let rows: Vec<Vec<String>> = scopes.iter().take(SCOPES).map(scope_row).collect();
        write_table(&mut text, 2, &["scope", "device", "live", "blocks", "peak", "limit"], &rows);
        if scopes.len() > SCOPES {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "and {} more", scopes.len() - SCOPES);
        }
    }
    text
}

fn device_row(report: &DeviceMemoryReport) -> Vec<String> {
    let held = &report.statistics;
    let pool = |part: fn(&super::figures::Figures) -> String| {
        held.reserve.as_ref().map_or("-".into(), part)
    };
    vec![
        report.device.clone(),
        size(held.live_bytes),
        held.live_blocks.to_string(),
        size(held.peak_bytes),
        held.allocations.to_string(),
        held.failures.to_string(),
        size(held.foreign_bytes),
        pool(|figures| size(figures.reserved)),
        pool(|figures| size(figures.cached)),
        pool(|figures| format!("{:.0} %", 100.0 * figures.fragmentation)),
        size(report.pinned.active_bytes + report.pinned.cached_bytes),
    ]
}

fn library_rows(report: &DeviceMemoryReport) -> Vec<Vec<String>> {
    let row = |library: &report::LibraryReport| {
        let sizes = [library.live_bytes, library.peak_bytes, library.reserved_bytes].map(size);
        [library.name.into(), report.device.clone()].into_iter().chain(sizes).collect()
    };
    report.libraries.iter().map(row).collect()
}

fn scope_row(report: &ScopeReport) -> Vec<String> {
    let held = &report.statistics;
    vec![
        report.scope.clone(),
        report.device.clone(),
        size(held.live_bytes),
        held.live_blocks.to_string(),
        size(held.peak_bytes),
        report.limit.map_or("-".into(), size),
    ]
}

/// Columns as wide as they need to be; the first, which are `words`, to the left, numbers to the right.
fn write_table(text: &mut String, words: usize, head: &[&str], rows: &[Vec<String>]) {
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(head[at].len())
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            // Writing into a string cannot fail.
            let _ = if at < words {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// A size in readable units, powers of 1024.
pub(super) fn size(bytes: usize) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut unit = 0;
    let mut value = bytes as f64;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_the_unit_that_keeps_them_short() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1024), "1.0 KiB");
        assert_eq!(size(1024 * 1024 - 1), "1.0 MiB");
        assert_eq!(size(5 << 30), "5.0 GiB");
        assert_eq!(size(usize::MAX), "16384.0 PiB");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut text = String::new();
        let rows = [vec!["a".into(), "10 B".into()], vec!["long name".into(), "2.0 KiB".into()]];
        write_table(&mut text, 1, &["scope", "live"], &rows);
        assert_eq!(text, "scope         live\na             10 B\nlong name  2.0 KiB\n");
    }
}
