//! A kernel that writes where it must not takes its device from the process, and only from that process.

use std::process::Command;

use arrayspan_devices::{Argument, Device, Error, Grid, KernelSource, Memory, Result};

use super::skipped;

/// Writes far beyond any block.
const STRAY: &str = "KERNEL stray(GLOBAL float* x, i64 far) { x[far + GID(0)] = 1.0f; }";

#[test]
fn a_stray_kernel_loses_the_device_by_code_and_for_good() {
    if Device::cuda(0).is_err() {
        skipped("no CUDA device");
        return;
    }
    let own = std::env::current_exe().unwrap();
    let child = Command::new(own)
        .args(["--exact", "lost::loses_the_first_gpu", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let told = String::from_utf8_lossy(&child.stderr);
    told.lines().filter_map(|line| line.strip_prefix("skipped: ")).for_each(skipped);
}

#[test]
#[ignore = "run by the test above in a process of its own, whose GPU it spoils"]
fn loses_the_first_gpu() -> Result<()> {
    let device = Device::cuda(0)?;
    let kernel = match device.kernel(&KernelSource::new("stray", "stray", STRAY)) {
        Err(Error::Unavailable { what, why }) => {
            skipped(&format!("{what}: {why}"));
            return Ok(());
        }
        built => built?,
    };
    let stream = device.stream()?;
    let block = Memory::allocate(64, &stream)?;
    let grid = Grid { groups: [1, 1, 1], threads: [1, 1, 1] };
    let far = Argument::I64(1 << 44);
    // SAFETY: the arguments are those STRAY declares. It writes where nothing is, on purpose: the device ends
    // the kernel, and with it all that this process has on the device.
    unsafe { stream.launch(&kernel, grid, &[Argument::Write(&block), far])? };
    let first = stream.synchronize().unwrap_err();
    assert!(matches!(first, Error::DeviceLost { code: 700..=719, .. }), "{first}");
    let second = Memory::allocate(64, &stream).unwrap_err();
    assert!(matches!(second, Error::DeviceLost { .. }), "{second}");
    Ok(())
}
