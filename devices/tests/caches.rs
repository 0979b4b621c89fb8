//! One call gives back all that is kept for later. In a process of its own, since it registers libraries.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_devices::reclaim::{Holdings, Reclaim, Stage, register};
use arrayspan_devices::{
    Buildable, Device, Error, KernelSource, Memory, Result, Specialisation, account, caches,
};

/// Keeps blocks at a stage of its choice.
#[derive(Debug)]
struct Keeper {
    stage: Stage,
    name: &'static str,
    blocks: Mutex<Vec<Memory>>,
}

impl Keeper {
    const fn new(stage: Stage, name: &'static str) -> Self {
        Self { stage, name, blocks: Mutex::new(Vec::new()) }
    }

    fn blocks(&self) -> MutexGuard<'_, Vec<Memory>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reclaim for Keeper {
    fn name(&self) -> &'static str {
        self.name
    }

    fn stage(&self) -> Stage {
        self.stage
    }

    fn holdings(&self, device: Device) -> Option<Holdings> {
        let blocks = self.blocks();
        let held = blocks.iter().filter(|block| block.device() == device);
        Some(Holdings { reserved_bytes: held.map(Memory::bytes).sum(), ..Holdings::default() })
    }

    fn release(&self, device: Device) -> Result<Option<usize>> {
        if self.name == "broken" {
            let device = device.to_string();
            return Err(Error::Unsupported { device, what: "giving back".into() });
        }
        // That would ask this one again, and so on.
        assert!(caches::clear(device).parts.is_empty());
        let freed = self.holdings(device).map(|holdings| holdings.reserved_bytes);
        self.blocks().retain(|block| block.device() != device);
        Ok(freed)
    }
}

static LIBRARY: Keeper = Keeper::new(Stage::Libraries, "library");
static BROKEN: Keeper = Keeper::new(Stage::Libraries, "broken");
static WORKSPACE: Keeper = Keeper::new(Stage::Workspaces, "workspace");
static SPILL: Keeper = Keeper::new(Stage::Spill, "arrays in use");

/// Every keeper holds a block; one test at a time.
fn full(device: Device) -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // Not in the order in which they are asked.
    for keeper in [&SPILL, &LIBRARY, &WORKSPACE, &BROKEN] {
        register(keeper);
        let block = Memory::allocate(5000, &device.stream().unwrap()).unwrap();
        *keeper.blocks() = vec![block];
    }
    turn
}

#[test]
fn all_that_is_kept_is_given_back_and_arrays_in_use_stay() {
    for device in Device::all() {
        let _turn = full(device);
        let source = KernelSource::new("k", "k", "KERNEL k(GLOBAL float* x) { x[GID(0)] = 1.0f; }");
        let kernel = || device.kind().dialect().map(|_| device.kernel(&source).unwrap());
        let kept = kernel();
        drop(Memory::allocate(1 << 20, &device.stream().unwrap()).unwrap());
        let cleared = caches::clear(device);
        let stages: Vec<(Stage, &str)> =
            cleared.parts.iter().map(|(_, part)| (part.stage, part.name)).collect();
        assert_eq!(
            stages[4..],
            [
                (Stage::Workspaces, "workspace"),
                (Stage::Libraries, "library"),
                (Stage::Libraries, "broken"),
            ]
        );
        assert!(stages[..4].iter().map(|(stage, _)| *stage).eq([
            Stage::Drain,
            Stage::Pool,
            Stage::Pool,
            Stage::Plans
        ]));
        let freed = |name| {
            let part = cleared.parts.iter().find(|(_, part)| part.name == name);
            part.and_then(|(_, part)| part.freed)
        };
        assert_eq!((freed("workspace"), freed("library")), (Some(5000), Some(5000)));
        assert!(cleared.bytes() >= 10_000 && cleared.failures().count() == 1, "{cleared}");
        assert!(cleared.to_string().contains("emptying the cache of broken failed"), "{cleared}");
        assert_eq!(SPILL.blocks().len(), 1, "it is in use");
        // What is gone is made again.
        assert_eq!(kernel().is_some(), kept.is_some());
    }
}

#[test]
fn a_scope_clears_the_caches_at_its_end() {
    let _turn = full(Device::cpu());
    let scope = caches::scope(Device::cpu());
    assert_eq!(LIBRARY.blocks().len(), 1);
    assert!(scope.end().bytes() >= 10_000);
    assert!(LIBRARY.blocks().is_empty());

    LIBRARY.blocks().push(Memory::allocate(9, &Device::cpu().stream().unwrap()).unwrap());
    drop(caches::scope(Device::cpu()));
    assert!(LIBRARY.blocks().is_empty());
}

#[test]
fn all_devices_can_be_cleared_at_once() {
    let _turn = full(Device::cpu());
    let cleared = caches::clear_all();
    for device in Device::all() {
        assert!(cleared.parts.iter().any(|(at, _)| *at == device), "{device}");
    }
    assert!(LIBRARY.blocks().is_empty() && WORKSPACE.blocks().is_empty());
}

/// A kernel for each number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Scale(u32);

/// Others for the same numbers, of which 13 is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shift(u32);

fn source(name: &str, step: &str) -> KernelSource {
    KernelSource::new(name, name, format!("KERNEL {name}(GLOBAL float* x) {{ x[GID(0)] {step}; }}"))
}

impl Specialisation for Scale {
    fn source(&self) -> KernelSource {
        source("scale", &format!("*= {}.0f", self.0))
    }
}

impl Specialisation for Shift {
    fn source(&self) -> KernelSource {
        let step = if self.0 == 13 { "= ill_fated".into() } else { format!("+= {}.0f", self.0) };
        source("shift", &step)
    }
}

fn run_kernels() -> impl Iterator<Item = Device> {
    Device::all().into_iter().filter(|device| device.kind().dialect().is_some())
}

fn built(device: Device) -> (usize, usize) {
    (caches::kernels_of::<Scale>(device), caches::kernels_of::<Shift>(device))
}

#[test]
fn a_kernel_is_kept_by_what_it_is_made_for_counted_and_forgotten() {
    for device in run_kernels() {
        let _turn = full(Device::cpu());
        let _ = caches::clear(device);
        let before = caches::kernels(device);
        let scale = device.kernel(&Scale(3)).unwrap();
        assert_eq!((scale.name(), scale.device()), ("scale", device));
        assert_eq!(device.kernel(&Shift(3)).unwrap().name(), "shift");
        device.kernel(&Scale(3)).unwrap();
        assert_eq!((built(device), caches::kernels(device)), ((1, 1), before + 2));
        let held = || {
            let report = account::report();
            let here = report.devices.into_iter().find(|entry| entry.device == device.to_string());
            let libraries = here.unwrap().libraries;
            libraries.into_iter().find(|library| library.name == "kernels")
        };
        assert!(held().is_some_and(|kernels| kernels.reserved_bytes > 0));
        let _ = caches::clear(device);
        assert_eq!((built(device), caches::kernels(device)), ((0, 0), 0));
        assert!(held().is_none());
        assert_eq!(device.kernel(&Scale(3)).unwrap().name(), "scale");
        // One that is in use is not taken away.
        assert_eq!(scale.name(), "scale");
    }
}

#[test]
fn kernels_of_several_types_are_built_before_they_are_needed() {
    for device in run_kernels() {
        let _turn = full(Device::cpu());
        let _ = caches::clear(device);
        device.kernel(&Scale(1)).unwrap();
        // `Scale(2)` and `Shift(2)` are two kernels, `Shift(1)` named twice is one.
        let wanted: [&dyn Buildable; 6] =
            [&Scale(1), &Shift(1), &Scale(2), &Shift(2), &Shift(5), &Shift(1)];
        assert_eq!(device.warm_up(&wanted).unwrap(), 4);
        assert_eq!(built(device), (2, 3));
        assert_eq!(device.warm_up(&wanted).unwrap(), 0);
        assert!(wanted.iter().all(|kernel| kernel.is_built(device)));
        assert!(!Shift(3).is_built(device));
    }
}

#[test]
fn one_that_does_not_compile_is_told_and_the_others_are_built() {
    for device in run_kernels() {
        let _turn = full(Device::cpu());
        let _ = caches::clear(device);
        let wanted: [&dyn Buildable; 4] = [&Scale(1), &Shift(13), &Scale(2), &Shift(2)];
        let error = device.warm_up(&wanted).unwrap_err();
        assert!(matches!(&error, Error::Compile { kernel, .. } if kernel == "shift"), "{error}");
        assert_eq!(built(device), (2, 1));
    }
}

#[test]
fn where_no_kernels_run_none_is_built() {
    let error = Device::cpu().warm_up(&[&Scale(1)]).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert_eq!(Device::cpu().warm_up(&[]).unwrap(), 0);
}
