//! What is tested where kernels are compiled slowly.

use std::env::var;

use arrayspan_bridge::devices::Device;

/// All of these; on a device whose kernels are compiled slowly (PoCL) one of them, as `ARRAYSPAN_TEST_SEED` says, unless
/// `ARRAYSPAN_TEST_FULL=1`.
pub(crate) fn chosen<T: Copy>(all: &[T], device: Device) -> Vec<T> {
    let set = |name: &str| var(name).ok().filter(|value| !value.is_empty());
    let full = set("ARRAYSPAN_TEST_FULL").is_some_and(|full| full != "0");
    if full || device.is_cpu() || device.info().accelerator {
        return all.to_vec();
    }
    println!("skipped: where kernels are compiled slowly, a seed chooses cases of operators");
    let seed = set("ARRAYSPAN_TEST_SEED").map_or(0, |seed| seed.parse::<usize>().unwrap());
    vec![all[seed % all.len()]]
}
