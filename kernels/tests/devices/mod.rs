//! The devices that tests of kernels run on.

use std::io::Write as _;

use arrayspan_kernels::bridge::devices::Device;

/// Those that run kernels. Says so if there are none.
pub(crate) fn devices() -> Vec<Device> {
    let devices: Vec<Device> = Device::all().into_iter().filter(|d| !d.is_cpu()).collect();
    if devices.is_empty() {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "skipped: no device that runs kernels");
    }
    devices
}
