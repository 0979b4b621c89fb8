//! The report for people.

mod devices;
mod drivers;
mod table;

use std::fmt::Write as _;

use crate::report::MachineReport;

/// Writes a report: devices, how they reach each other, who holds their memory, drivers and libraries, what is
/// missing, settings. Parts with nothing to say are left out.
#[must_use]
pub fn render(report: &MachineReport) -> String {
    let mut text = format!("arrayspan {}\n", report.version);
    let parts = [
        ("Devices", devices::list(&report.devices)),
        ("Sensors", devices::sensors(&report.devices)),
        ("Between devices", devices::reach(&report.devices, &report.reach)),
        ("Processes", devices::processes(&report.devices)),
        ("Drivers and libraries", drivers::list(&report.backends)),
        ("What is missing", drivers::missing(&report.backends)),
        ("Settings", drivers::settings(&report.settings)),
        ("Warnings", report.warnings.iter().map(|line| table::wrapped(line, 2)).collect()),
    ];
    for (title, part) in parts.iter().filter(|(_, part)| !part.is_empty()) {
        // A String takes whatever is written.
        let _ = write!(text, "\n{title}\n{part}");
    }
    text
}
