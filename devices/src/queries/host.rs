//! How busy the processor is, as Linux tells in text files; elsewhere it is unknown.

use crate::Device;
use crate::monitor::Readings;

pub(super) fn readings(cpu: Device) -> Readings {
    let cores = cpu.info().compute_units;
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    Readings {
        utilisation: load.and_then(|text| utilisation(&text, cores)),
        free_bytes: cpu.free_bytes(),
        ..Readings::default()
    }
}

/// Tasks that wanted to run during the last minute, per core, in percent; more than every core can take
/// counts as all.
fn utilisation(loadavg: &str, cores: usize) -> Option<u32> {
    let tasks: f64 = loadavg.split(' ').next()?.parse().ok()?;
    Some((tasks / cores.max(1) as f64 * 100.0).clamp(0.0, 100.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::utilisation;

    #[test]
    fn the_load_is_shared_by_the_cores() {
        assert_eq!(utilisation("0.50 0.40 0.30 1/99 7\n", 2), Some(25));
        assert_eq!(utilisation("9.00 0.40 0.30 1/99 7\n", 2), Some(100));
        assert_eq!(utilisation("", 2), None);
    }
}
