//! What several test files need.

use arrayspan_bridge::devices::Device;

/// Every device but the CPU; says which kinds are missing.
pub(crate) fn accelerators() -> Vec<Device> {
    let mut found = Vec::new();
    if !cfg!(miri) {
        found = Device::all().into_iter().filter(|device| !device.is_cpu()).collect();
    }
    for (kind, name) in [("cuda", "CUDA"), ("opencl", "OpenCL")] {
        if !found.iter().any(|device| device.to_string().starts_with(kind)) {
            eprintln!("skipped: no {name} device");
        }
    }
    found
}
