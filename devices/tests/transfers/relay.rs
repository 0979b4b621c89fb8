//! Between two devices without a common driver. Most machines have none: PoCL can be made to show two.

use std::process::Command;

use arrayspan_devices::{Device, DeviceKind};

use super::{gpus, skipped};

fn of_pocl() -> usize {
    let pocl = |device: &Device| device.info().platform.contains("Portable Computing Language");
    let all = gpus();
    all.iter().filter(|device| device.kind() == DeviceKind::OpenCl && pocl(device)).count()
}

#[test]
fn two_devices_of_pocl_exchange_bytes_by_way_of_the_host() {
    if of_pocl() == 0 {
        skipped("no PoCL");
        return;
    }
    let program = std::env::current_exe().expect("the path of this program");
    let child = Command::new(program)
        .args(["any_two_devices", "two_devices_are_there", "--include-ignored"])
        .env("POCL_DEVICES", "pthread basic")
        .output()
        .expect("this program runs again");
    let told = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{told}");
    // The three tests named so in this program, and the one below.
    assert!(told.contains("4 passed"), "{told}");
}

#[test]
#[ignore = "run by `two_devices_of_pocl_exchange_bytes_by_way_of_the_host` in a process of its own"]
fn two_devices_are_there() {
    assert!(of_pocl() >= 2, "{:?}", gpus());
}
