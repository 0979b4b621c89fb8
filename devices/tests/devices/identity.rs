//! Which devices there are, and what is said of those there are not.

use std::process::Command;

use arrayspan_devices::{Device, DeviceKind, Error};

#[test]
fn a_device_is_found_again_by_its_name_and_by_dlpack() {
    for device in Device::all() {
        assert_eq!(device.to_string().parse::<Device>().unwrap(), device);
        let (kind, id) = device.dlpack();
        assert_eq!(Device::from_dlpack(kind, id).unwrap(), device);
        assert!(!device.info().name.is_empty(), "{device}");
        assert!(device.info().memory_bytes > 1 << 20, "{device}");
        assert!(device.info().compute_units > 0, "{device}");
    }
}

#[test]
fn names_that_are_no_devices_are_refused() {
    for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "opencl:0x1", "cpu:0:0", ":0"] {
        let error = text.parse::<Device>().unwrap_err();
        assert!(matches!(error, Error::DeviceName { .. }), "{text:?} gave {error}");
    }
}

#[test]
fn numbers_out_of_range_say_how_many_there_are() {
    for kind in [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCl] {
        let have = Device::all().iter().filter(|device| device.kind() == kind).count();
        match Device::new(kind, have) {
            Err(Error::NoSuchDevice { count, gpu_id, .. }) => {
                assert_eq!((count, gpu_id), (have, have));
            }
            Err(Error::Unavailable { what, why }) => {
                assert_eq!(have, 0, "{kind} has devices and is unavailable");
                assert!(!what.is_empty() && !why.is_empty());
            }
            other => panic!("{kind}:{have} gave {other:?}"),
        }
    }
}

#[test]
fn accelerators_are_listed_before_processors() {
    for kind in [DeviceKind::Cuda, DeviceKind::OpenCl] {
        let devices = Device::all().into_iter().filter(|device| device.kind() == kind);
        let flags: Vec<bool> = devices.map(|device| device.info().accelerator).collect();
        assert!(flags.is_sorted_by_key(|accelerator| !accelerator), "{kind}: {flags:?}");
    }
}

#[test]
fn no_kind_lists_one_physical_device_twice() {
    let all = Device::all();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            let twice = a.kind() == b.kind() && a.info().uuid.is_some();
            assert!(!twice || a.info().uuid != b.info().uuid, "{a} and {b} are the same");
        }
    }
}

#[test]
fn an_nvidia_gpu_has_one_uuid_in_cuda_and_opencl() {
    let of = |kind| Device::all().into_iter().filter(move |device| device.kind() == kind);
    let nvidia = |device: &Device| device.info().platform.contains("NVIDIA");
    let (cuda, opencl): (Vec<_>, Vec<_>) =
        (of(DeviceKind::Cuda).collect(), of(DeviceKind::OpenCl).filter(nvidia).collect());
    if cuda.is_empty() || opencl.is_empty() {
        super::skipped("no GPU that both CUDA and OpenCL serve");
        return;
    }
    for device in opencl {
        let uuid = device.info().uuid;
        assert!(uuid.is_some() && cuda.iter().any(|other| other.info().uuid == uuid), "{device}");
    }
}

#[test]
fn disabled_kinds_are_unavailable_and_say_so() {
    // The list of devices is made once in a process, so the question goes to a fresh one.
    let own = std::env::current_exe().unwrap();
    let child = Command::new(own)
        .args(["--exact", "identity::reports_what_is_disabled", "--ignored", "--nocapture"])
        .env("ARRAYSPAN_DISABLE", "cuda, opencl")
        .output()
        .unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(child.status.success(), "{out}{err}");
    for kind in ["cuda", "opencl"] {
        let line = format!("{kind} is unavailable: disabled by ARRAYSPAN_DISABLE=cuda, opencl");
        assert!(out.contains(&line), "{out}{err}");
    }
    assert!(out.contains("devices: [cpu]"), "{out}{err}");
}

#[test]
#[ignore = "run by `disabled_kinds_are_unavailable_and_say_so` in a process of its own"]
fn reports_what_is_disabled() {
    for kind in [DeviceKind::Cuda, DeviceKind::OpenCl] {
        println!("{}", Device::new(kind, 0).unwrap_err());
    }
    println!("devices: {:?}", Device::all());
}
