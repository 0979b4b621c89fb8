//! The parts about devices.

use super::table::{Column::Left, Column::Right, gibibytes, table};
use crate::report::{DeviceEntry, LoadEntry, ReachEntry};

/// Name, model, what it is, memory, place and other names.
pub(super) fn list(devices: &[DeviceEntry]) -> String {
    let row = |device: &DeviceEntry| {
        let units = match device.kind.as_str() {
            "cpu" => "cores",
            "cuda" => "multiprocessors",
            _ => "units",
        };
        let total = gibibytes(device.memory_bytes);
        let memory = device.free_bytes.map_or_else(
            || format!("{total} GiB"),
            |free| format!("{} of {total} GiB free", gibibytes(free)),
        );
        let mut notes = Vec::new();
        notes.extend((!device.float64).then(|| "no Float64".to_owned()));
        let twins = device.same_hardware.join(", ");
        notes.extend((!twins.is_empty()).then(|| format!("same as {twins}")));
        // Of one device there is nothing to choose.
        let alone = devices.iter().filter(|other| other.kind == device.kind).count() == 1;
        notes.extend((device.least_used && !alone).then(|| "least used".to_owned()));
        vec![
            device.name.clone(),
            device.model.clone(),
            device.capability.clone(),
            device.compute_units.to_string(),
            units.into(),
            memory,
            device.pci.clone().unwrap_or_default(),
            notes.join("; "),
        ]
    };
    let rows: Vec<_> = devices.iter().map(row).collect();
    table(&[Left, Left, Left, Right, Left, Right, Left, Left], &rows)
}

/// Utilisation, temperature, power and clocks; hardware with two names is read once.
pub(super) fn sensors(devices: &[DeviceEntry]) -> String {
    let row = |(device, load): (&DeviceEntry, &LoadEntry)| {
        let unit =
            |value: Option<u32>, unit| value.map_or_else(String::new, |v| format!("{v} {unit}"));
        let power = match (load.power_watts, load.power_limit_watts) {
            (Some(now), Some(limit)) => format!("{now:.0} of {limit:.0} W"),
            (Some(now), None) => format!("{now:.0} W"),
            _ => String::new(),
        };
        vec![
            device.name.clone(),
            unit(load.utilisation_percent, "% busy"),
            unit(load.memory_utilisation_percent, "% memory busy"),
            unit(load.temperature_celsius, "°C"),
            power,
            unit(load.clock_megahertz, "MHz"),
            unit(load.memory_clock_megahertz, "MHz memory"),
        ]
    };
    let known = firsts(devices).filter_map(|device| Some((device, device.load.as_ref()?)));
    let rows: Vec<_> = known.map(row).collect();
    table(&[Left, Right, Right, Right, Right, Right, Right], &rows)
}

/// The matrix of ways, from the row's device to the column's, of the devices that need one: all other pairs
/// go through host memory. Nothing for fewer than two devices.
pub(super) fn reach(devices: &[DeviceEntry], reach: &[ReachEntry]) -> String {
    let special = |name: &String| {
        reach.iter().any(|pair| pair.way != "staged" && (pair.from == *name || pair.to == *name))
    };
    let (inside, outside): (Vec<&String>, Vec<&String>) = devices
        .iter()
        .filter(|device| device.kind != "cpu")
        .map(|device| &device.name)
        .partition(|name| special(name));
    let way = |from: &str, to: &str| {
        let known = reach.iter().find(|pair| pair.from == from && pair.to == to);
        known.map_or_else(|| "-".into(), |pair| pair.way.clone())
    };
    let mut text = String::new();
    if !inside.is_empty() {
        let names = inside.iter().map(|name| (*name).clone());
        let mut rows = vec![std::iter::once("from, to".into()).chain(names).collect::<Vec<_>>()];
        rows.extend(inside.iter().map(|from| {
            let ways = inside.iter().map(|to| way(from, to));
            std::iter::once((*from).clone()).chain(ways).collect()
        }));
        text = table(&vec![Left; inside.len() + 1], &rows);
    }
    match (inside.len(), outside.len()) {
        (0, 0 | 1) | (_, 0) => {}
        (0, _) => text.push_str("  staged through host memory\n"),
        _ => text.push_str("  all other pairs: staged through host memory\n"),
    }
    text
}

/// Who holds memory.
pub(super) fn processes(devices: &[DeviceEntry]) -> String {
    let mut rows = Vec::new();
    for device in firsts(devices) {
        let known = device.load.iter().filter_map(|load| load.processes.as_ref()).flatten();
        rows.extend(known.map(|process| {
            let bytes = process.bytes.map_or_else(|| "?".into(), gibibytes);
            vec![device.name.clone(), format!("process {}", process.pid), format!("{bytes} GiB")]
        }));
    }
    table(&[Left, Right, Right], &rows)
}

/// Each piece of hardware under its first name.
fn firsts(devices: &[DeviceEntry]) -> impl Iterator<Item = &DeviceEntry> {
    let first = |(at, device): &(usize, &DeviceEntry)| {
        !devices[..*at].iter().any(|earlier| device.same_hardware.contains(&earlier.name))
    };
    devices.iter().enumerate().filter(first).map(|(_, device)| device)
}
