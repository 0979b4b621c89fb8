//! What devices answer while a program runs: memory, ways between them, sensors, and how they are lost.

mod disable;
mod lost;

use std::io::Write as _;
use std::sync::Mutex;

use arrayspan_devices::{
    Backend, Device, DeviceIdentity, DeviceKind, Error, Memory, Reach, Result, monitor,
};

/// Held by tests that look at what is allocated.
static COUNTS: Mutex<()> = Mutex::new(());

/// Says what was left out, past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

#[test]
fn every_device_reaches_itself_and_the_cpu_directly() {
    let cpu = Device::cpu();
    for device in Device::all() {
        for (from, to) in [(device, device), (device, cpu), (cpu, device)] {
            assert_eq!(from.can_reach(to), Reach::Direct, "{from} to {to}");
        }
    }
}

#[test]
fn devices_of_two_kinds_reach_each_other_through_the_host() {
    let gpus: Vec<Device> = Device::all().into_iter().filter(|device| !device.is_cpu()).collect();
    for (from, to) in gpus.iter().flat_map(|from| gpus.iter().map(move |to| (*from, *to))) {
        let reach = from.can_reach(to);
        assert_ne!(reach, Reach::None, "{from} to {to}");
        if from.kind() != to.kind() {
            assert_eq!(reach, Reach::Staged, "{from} to {to}");
        }
    }
}

#[test]
fn asking_how_devices_reach_each_other_holds_no_memory() {
    let _alone = COUNTS.lock();
    let held = || Device::all().iter().map(|device| device.statistics().allocations).sum::<usize>();
    let (before, all) = (held(), Device::all());
    for (from, to) in all.iter().flat_map(|from| all.iter().map(move |to| (*from, *to))) {
        let _ = from.can_reach(to);
    }
    assert_eq!(held(), before);
}

#[test]
fn hardware_is_itself_and_never_the_cpu() {
    for device in Device::all() {
        assert!(device.is_same_hardware(device), "{device}");
        assert_eq!(device.is_same_hardware(Device::cpu()), device.is_cpu(), "{device}");
        for other in Device::all() {
            let there = device.is_same_hardware(other);
            assert_eq!(there, other.is_same_hardware(device), "{device} and {other}");
        }
    }
}

#[test]
fn a_gpu_shown_by_cuda_and_opencl_is_one_piece_of_hardware_at_one_place() {
    let all = Device::all();
    let of = |kind| all.iter().filter(move |device| device.kind() == kind);
    let nvidia = of(DeviceKind::OpenCl).filter(|device| device.info().platform.contains("NVIDIA"));
    let mut pairs = 0;
    for opencl in nvidia {
        let twins: Vec<_> =
            of(DeviceKind::Cuda).filter(|cuda| cuda.is_same_hardware(*opencl)).collect();
        assert!(twins.len() <= 1, "{opencl} is {twins:?}");
        for cuda in twins {
            assert_eq!(cuda.info().pci, opencl.info().pci, "{cuda} and {opencl}");
            pairs += 1;
        }
    }
    if pairs == 0 {
        skipped("no GPU that both CUDA and OpenCL serve");
    }
}

#[test]
fn what_is_free_and_held_adds_up_to_all_there_is() {
    for device in Device::all() {
        let used = device.memory_use();
        assert_eq!(used.total_bytes, device.info().memory_bytes, "{device}");
        if let (Some(free), Some(other)) = (used.free_bytes, used.other_bytes) {
            assert!(free <= used.total_bytes, "{device}: {used:?}");
            assert!(other <= used.total_bytes - free, "{device}: {used:?}");
        }
    }
    let cpu = Device::cpu().memory_use();
    assert_eq!(cpu.free_bytes.is_some(), cfg!(target_os = "linux"));
}

#[test]
fn the_least_used_device_is_of_the_kind_asked_for_and_always_the_same() {
    assert_eq!(Device::least_used(DeviceKind::Cpu).unwrap(), Device::cpu());
    for kind in [DeviceKind::Cuda, DeviceKind::OpenCl] {
        match (Device::new(kind, 0), Device::least_used(kind)) {
            (Ok(first), Ok(device)) => {
                assert_eq!(device.kind(), kind);
                assert_eq!(device.info().accelerator, first.info().accelerator, "{device}");
            }
            (Err(_), Err(error)) => {
                let typed = matches!(error, Error::Unavailable { .. } | Error::NoSuchDevice { .. });
                assert!(typed, "{error}");
            }
            (first, least) => panic!("{kind}: the first is {first:?}, the least used {least:?}"),
        }
    }
}

#[test]
fn without_nvml_sensors_are_unavailable_and_name_the_file() {
    match monitor::versions() {
        Ok(_) => skipped("this machine has NVML"),
        Err(Error::Unavailable { what, why }) => {
            let disabled = Backend::Nvml.enabled().is_err();
            assert!(disabled || what == "NVML", "{what}");
            assert!(disabled || why.contains("nvml") || why.contains("libnvidia-ml.so.1"), "{why}");
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_cpu_reads_its_load() {
    let readings = Device::cpu().readings().unwrap();
    assert_eq!(readings.utilisation.is_some(), cfg!(target_os = "linux"));
    assert!(readings.utilisation.is_none_or(|percent| percent <= 100));
    assert_eq!(readings.temperature, None);
}

#[test]
fn the_sensors_of_every_cuda_gpu_are_read_and_make_sense() -> Result<()> {
    if Device::cuda(0).is_err() {
        skipped("no CUDA device");
        return Ok(());
    }
    if let Err(error) = monitor::versions() {
        skipped(&format!("{error}"));
        return Ok(());
    }
    for device in Device::all().into_iter().filter(|device| device.kind() == DeviceKind::Cuda) {
        let readings = device.readings()?;
        println!("{device}: {readings:?}");
        assert!(readings.utilisation.is_none_or(|percent| percent <= 100), "{readings:?}");
        assert!(readings.temperature.is_none_or(|celsius| (1..120).contains(&celsius)));
        assert!(readings.power.is_none_or(|watts| (1.0..2000.0).contains(&watts)), "{readings:?}");
        let (free, total) = (readings.free_bytes.unwrap_or(0), device.info().memory_bytes);
        // NVML counts what the driver keeps for itself, CUDA does not.
        assert!(free > 0 && free <= total / 8 * 9, "{free} of {total}");
        let listed = monitor::gpus()?;
        let identity: DeviceIdentity = device.info().identity();
        assert_eq!(listed.iter().filter(|(gpu, _)| gpu.matches(&identity)).count(), 1, "{device}");
    }
    Ok(())
}

#[test]
fn a_block_on_a_gpu_is_held_by_us_and_not_by_others() -> Result<()> {
    const BYTES: usize = 64 << 20;
    let _alone = COUNTS.lock();
    let Ok(device) = Device::cuda(0) else {
        skipped("no CUDA device");
        return Ok(());
    };
    let before = device.memory_use();
    let block = Memory::allocate(BYTES, &device.stream()?)?;
    let during = device.memory_use();
    assert_eq!(during.held_bytes, before.held_bytes + BYTES);
    drop(block);
    assert_eq!(device.memory_use().held_bytes, before.held_bytes);
    Ok(())
}
