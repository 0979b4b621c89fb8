//! Devices whose groups are small and have little memory for themselves, as which OpenCL devices are told to be.
//!
//! That is a matter of the whole process: cases of verbs whose groups are large elsewhere run in one of their own.

use std::env;
use std::process::Command;

use arrayspan_kernels::bridge::devices::DeviceKind;

use crate::cell::devices;

const LIMITS: [(&str, usize); 2] =
    [("ARRAYSPAN_OPENCL_GROUP_THREADS", 256), ("ARRAYSPAN_OPENCL_LOCAL_BYTES", 32 << 10)];

const CASES: [&str; 3] = [
    "small_groups::sums_keep_to_the_limits_of_a_device",
    "opencl::complex128::scan_sums::the_same_call_gives_the_same_bits",
    "opencl::float32::reduce_shared::few_results_of_many_elements",
];

#[test]
fn sums_keep_to_the_limits_of_a_device() {
    if env::var(LIMITS[0].0).is_err() {
        let mut command = Command::new(env::current_exe().unwrap());
        command.arg("--exact").args(CASES).env("ARRAYSPAN_TEST_FULL", "1");
        command.envs(LIMITS.map(|(name, limit)| (name, limit.to_string())));
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let all = format!("{} passed", CASES.len());
        assert!(output.status.success() && text.contains(&all), "{text}");
        return;
    }
    for device in devices(DeviceKind::OpenCl, false) {
        let info = device.info();
        assert_eq!([info.group_threads, info.local_bytes], LIMITS.map(|(_, limit)| limit));
    }
}
