//! Reports made of recorded answers.

use arrayspan_devices::PciAddress;

use super::*;
use crate::report::{LibraryEntry, LoadEntry, ProcessEntry};
use crate::text;

/// The fields every recorded device has in common.
fn device(name: &str, model: &str, who: DeviceIdentity) -> (DeviceIdentity, DeviceEntry) {
    let (kind, number) = name.split_once(':').unwrap_or((name, "0"));
    let device = DeviceEntry {
        name: name.into(),
        kind: kind.into(),
        gpu_id: number.parse().unwrap(),
        model: model.into(),
        platform: "NVIDIA CUDA 13.0".into(),
        capability: "9.0".into(),
        compute_units: 132,
        float64: true,
        accelerator: true,
        uuid: None,
        pci: who.pci.map(|at| at.to_string()),
        same_hardware: Vec::new(),
        memory_bytes: 150_000_000_000,
        free_bytes: None,
        least_used: false,
        load: None,
    };
    (who, device)
}

fn seen((who, device): (DeviceIdentity, DeviceEntry)) -> (crate::Seen, DeviceEntry) {
    (who.into(), device)
}

fn gpu(n: u8) -> DeviceIdentity {
    let pci = Some(PciAddress { domain: 0, bus: u32::from(n), device: 0 });
    DeviceIdentity { uuid: Some([n; 16]), pci }
}

fn host() -> DeviceEntry {
    let (_, cpu) = device("cpu", "A processor", DeviceIdentity::default());
    let load = Some(LoadEntry { utilisation_percent: Some(12), ..LoadEntry::default() });
    let memory_bytes = 64 << 30;
    let free_bytes = Some(60 << 30);
    let (platform, capability) = ("linux".into(), "x86_64".into());
    let cpu = DeviceEntry { platform, capability, compute_units: 16, accelerator: false, ..cpu };
    DeviceEntry { memory_bytes, free_bytes, load, ..cpu }
}

fn library(name: &str, version: &str) -> LibraryEntry {
    let (name, version) = (name.into(), Some(version.into()));
    LibraryEntry { name, found: true, version, ..LibraryEntry::default() }
}

/// Two GPUs through CUDA, numbered against NVML's order, and one of them through `OpenCL` beside `PoCL`.
fn two_gpus() -> [(Backend, Outcome); 4] {
    let pair = |from: &str, to: &str| ReachEntry {
        from: from.into(),
        to: to.into(),
        way: "direct".into(),
    };
    let absent =
        "NCCL is unavailable: libnccl.so.2: cannot open shared object file (tried libnccl.so.2)";
    let nccl =
        LibraryEntry { name: "NCCL".into(), why: Some(absent.into()), ..LibraryEntry::default() };
    let path = Some("/usr/lib/libcuda.so.580".into());
    let cuda = Answer {
        libraries: vec![LibraryEntry { path, ..library("CUDA driver", "13.0") }, nccl],
        devices: vec![
            seen(device("cuda:0", "NVIDIA H200", gpu(9))),
            seen(device("cuda:1", "NVIDIA H200", gpu(4))),
        ],
        reach: vec![pair("cuda:0", "cuda:1"), pair("cuda:1", "cuda:0")],
        ..Answer::default()
    };
    let (who, pocl) = device("opencl:1", "A processor", DeviceIdentity::default());
    let opencl = Answer {
        libraries: vec![library("platform", "NVIDIA CUDA, NVIDIA Corporation, OpenCL 3.0 CUDA")],
        devices: vec![
            seen(device("opencl:0", "NVIDIA H200", DeviceIdentity { uuid: None, ..gpu(4) })),
            seen((
                who,
                DeviceEntry { accelerator: false, float64: false, compute_units: 16, ..pocl },
            )),
        ],
        ..Answer::default()
    };
    let busy = |percent, celsius, pid| LoadEntry {
        utilisation_percent: Some(percent),
        memory_utilisation_percent: Some(3),
        temperature_celsius: Some(celsius),
        power_watts: Some(312.5),
        power_limit_watts: Some(700.0),
        clock_megahertz: Some(1980),
        memory_clock_megahertz: Some(3201),
        processes: Some(vec![ProcessEntry { pid, bytes: Some(5 << 30) }]),
    };
    let nvml = Answer {
        libraries: vec![library("NVML", "13.580.159"), library("NVIDIA driver", "580.159.04")],
        sensors: vec![
            (gpu(4).into(), busy(0, 31, 44), Some(140_000_000_000)),
            (gpu(9).into(), busy(97, 64, 99), Some(20_000_000_000)),
        ],
        ..Answer::default()
    };
    let torch =
        Err((State::Disabled, "torch is unavailable: disabled by ARRAYSPAN_DISABLE=torch".into()));
    [
        (Backend::Cuda, Ok(cuda)),
        (Backend::OpenCl, Ok(opencl)),
        (Backend::Nvml, Ok(nvml)),
        (Backend::Torch, torch),
    ]
}

fn report(answers: [(Backend, Outcome); 4]) -> MachineReport {
    let settings = BTreeMap::from([("ARRAYSPAN_DISABLE".into(), "torch".into())]);
    let warnings = vec!["A warning.".into()];
    let asked = |backend| ALL.iter().find(|asked| asked.backend == Some(backend)).unwrap();
    let answers = answers.into_iter().map(|(backend, outcome)| (asked(backend), outcome)).collect();
    MachineReport { version: "0.0.0".into(), ..assemble(host(), answers, settings, warnings) }
}

fn nothing() -> [(Backend, Outcome); 4] {
    Backend::ALL.map(|driver| {
        let missing = Some(format!("{driver} is unavailable: no such file"));
        (driver, Ok(Answer { missing, ..Answer::default() }))
    })
}

#[test]
fn the_json_of_a_known_machine_keeps_its_shape() {
    let json = serde_json::to_string_pretty(&report(two_gpus())).unwrap();
    assert_eq!(json, include_str!("../../tests/golden/info.json").trim_end(), "\n{json}");
}

#[test]
fn the_text_of_a_known_machine_lines_up() {
    let text = text::render(&report(two_gpus()));
    assert_eq!(text, include_str!("../../tests/golden/info.txt"), "\n{text}");
}

#[test]
fn sensors_go_to_the_gpu_they_belong_to_under_all_its_names() {
    let report = report(two_gpus());
    let celsius = |name: &str| {
        let device = report.devices.iter().find(|device| device.name == name).unwrap();
        (device.load.as_ref().and_then(|load| load.temperature_celsius), device.free_bytes)
    };
    assert_eq!(celsius("cuda:0"), (Some(64), Some(20_000_000_000)));
    assert_eq!(celsius("cuda:1"), (Some(31), Some(140_000_000_000)));
    assert_eq!(celsius("opencl:0"), celsius("cuda:1"));
    assert_eq!(celsius("opencl:1"), (None, None));
}

#[test]
fn one_gpu_with_two_names_names_the_other() {
    let twins: Vec<_> =
        report(two_gpus()).devices.into_iter().map(|device| device.same_hardware).collect();
    let expected: [&[&str]; 5] = [&[], &[], &["opencl:0"], &["cuda:1"], &[]];
    assert_eq!(twins, expected);
}

#[test]
fn the_idle_gpu_is_least_used_and_a_processor_never_is_beside_one() {
    let report = report(two_gpus());
    let least = report.devices.iter().filter(|device| device.least_used);
    assert_eq!(
        least.map(|device| device.name.as_str()).collect::<Vec<_>>(),
        ["cuda:1", "opencl:0"]
    );
}

#[test]
fn every_ordered_pair_of_devices_has_a_way() {
    let reach = report(two_gpus()).reach;
    assert_eq!(reach.len(), 4 * 3);
    let way = |from, to| {
        let pair = reach.iter().find(|pair| pair.from == from && pair.to == to);
        pair.map(|pair| pair.way.as_str())
    };
    assert_eq!(way("cuda:0", "cuda:1"), Some("direct"));
    assert_eq!(way("cuda:1", "opencl:0"), Some("staged"));
}

#[test]
fn with_nothing_but_the_cpu_every_driver_says_why_and_what_helps() {
    let report = report(nothing());
    assert_eq!(report.devices.len(), 1);
    assert_eq!(report.reach, []);
    let text = text::render(&report);
    for backend in &report.backends {
        assert_eq!(backend.state, State::Missing);
        assert!(text.contains(backend.why.as_ref().unwrap()), "{text}");
        assert!(backend.remedy.is_some(), "{backend:?}");
    }
}

#[test]
fn a_broken_driver_costs_the_others_nothing_and_names_the_switch() {
    let mut answers = two_gpus();
    let why = "opencl is broken: it did not answer within 30 s";
    answers[1].1 = Err((State::Broken, why.into()));
    let report = report(answers);
    assert_eq!(report.devices.len(), 3);
    assert_eq!(report.backends[1].state, State::Broken);
    let text = text::render(&report);
    assert!(text.contains(why) && text.contains("ARRAYSPAN_DISABLE=torch,opencl"), "{text}");
}
