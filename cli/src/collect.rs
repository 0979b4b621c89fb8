//! Asks every driver and makes one report of the answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use arrayspan_devices::{Backend, Device as Own, DeviceIdentity, monitor};

use crate::answer::{self, Answer};
use crate::ask::{ALL, Ask, Asked};
use crate::report::{BackendEntry, DeviceEntry, MachineReport, ReachEntry, SCHEMA, State};
use crate::{child, remedy};

/// The variables that decide what is found.
const SETTINGS: [&str; 10] = [
    "ARRAYSPAN_DISABLE",
    "ARRAYSPAN_OPENCL_FLOAT64",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "OPENCL_DYLIB_PATH",
    "OCL_ICD_VENDORS",
    "OCL_ICD_FILENAMES",
    "POCL_DEVICES",
    "LIBTORCH",
    "LD_LIBRARY_PATH",
];

/// Asks every driver, each in a process of its own that runs `program probe DRIVER`, and gives each
/// `timeout` to answer. Never fails: what does not answer is [`State::Broken`].
#[must_use]
pub fn collect(program: &Path, timeout: Duration) -> MachineReport {
    // All at once, but those whose free memory is costly: they come after the sensors, which may tell it.
    let ask = |asked, memory| start(program, Ask { asked, memory }, timeout);
    let early = |asked: &'static Asked| (!asked.costly).then(|| ask(asked, true));
    let mut waiting: Vec<Option<Waiting>> = ALL.iter().map(early).collect();
    let mut outcomes: Vec<Option<Outcome>> = ALL.iter().map(|_| None).collect();
    if let Some(nvml) = ALL.iter().position(|asked| asked.backend == Some(Backend::Nvml)) {
        outcomes[nvml] = waiting[nvml].take().map(|wait| wait());
    }
    let sensors = outcomes.iter().flatten().flatten().any(|answer| !answer.sensors.is_empty());
    for (asked, late) in ALL.iter().zip(&mut waiting).filter(|(asked, _)| asked.costly) {
        *late = Some(ask(asked, !sensors));
    }
    let waited = waiting.into_iter().map(|wait| wait.map(|wait| wait()));
    let outcomes = outcomes.into_iter().zip(waited).map(|(early, late)| early.or(late));
    let answers = ALL.iter().zip(outcomes).filter_map(|(asked, outcome)| Some((asked, outcome?)));
    let answers = answers.collect();
    let settings =
        SETTINGS.iter().filter_map(|name| Some(((*name).into(), std::env::var(name).ok()?)));
    assemble(cpu(), answers, settings.collect(), warnings())
}

/// What a driver said, or why it said nothing.
type Outcome = Result<Answer, (State, String)>;

/// Waits for what one has been asked.
type Waiting = Box<dyn FnOnce() -> Outcome>;

/// Starts to ask; the returned function waits for the answer.
fn start(program: &Path, ask: Ask, timeout: Duration) -> Waiting {
    let name = ask.asked.name;
    if let Some(Err(error)) = ask.asked.backend.map(Backend::enabled) {
        return Box::new(move || Err((State::Disabled, error.to_string())));
    }
    let started = child::start(Command::new(program).args(["probe", &ask.to_string()]));
    Box::new(move || {
        let broken = |why| (State::Broken, format!("{name} is broken: {why}"));
        let text = started.and_then(|running| running.wait(timeout)).map_err(broken)?;
        // Drivers have been seen to print; the answer is the last line.
        let line = text.trim_end().lines().last().unwrap_or_default();
        serde_json::from_str(line).map_err(|error| broken(format!("it answered nonsense: {error}")))
    })
}

fn cpu() -> DeviceEntry {
    let cpu = Own::cpu();
    let load = cpu.readings().ok().map(|now| answer::load(&now));
    DeviceEntry { load, ..answer::describe(cpu, true) }
}

fn warnings() -> Vec<String> {
    let known = Backend::ALL.map(Backend::name).join(", ");
    let warning =
        |name| format!("ARRAYSPAN_DISABLE names '{name}', which means nothing: it knows {known}.");
    Backend::unknown().iter().map(warning).collect()
}

/// One report of what all said.
fn assemble(
    cpu: DeviceEntry,
    answers: Vec<(&Asked, Outcome)>,
    settings: BTreeMap<String, String>,
    mut warnings: Vec<String>,
) -> MachineReport {
    let mut found = vec![(DeviceIdentity::default(), cpu)];
    let disabled = settings.get("ARRAYSPAN_DISABLE").cloned().unwrap_or_default();
    let (mut backends, mut sensors, mut reach) = (Vec::new(), Vec::new(), Vec::new());
    for (asked, outcome) in answers {
        backends.push(backend(asked, &outcome, &disabled));
        if let Ok(answer) = outcome {
            found.extend(answer.devices.into_iter().map(|(who, device)| (who.into(), device)));
            sensors.extend(answer.sensors);
            reach.extend(answer.reach);
            warnings.extend(answer.warnings);
        }
    }
    for (who, device) in &mut found[1..] {
        let known = sensors.iter().find(|(seen, ..)| DeviceIdentity::from(*seen).matches(who));
        if let Some((_, load, free_bytes)) = known {
            device.load = Some(load.clone());
            device.free_bytes = free_bytes.or(device.free_bytes);
        }
    }
    name_twins(&mut found);
    let mut devices: Vec<DeviceEntry> = found.into_iter().map(|(_, device)| device).collect();
    mark_least_used(&mut devices);
    let reach = between_kinds(&devices, &reach);
    let version = env!("CARGO_PKG_VERSION").into();
    MachineReport { schema: SCHEMA, version, devices, reach, backends, settings, warnings }
}

fn backend(asked: &Asked, outcome: &Outcome, disabled: &str) -> BackendEntry {
    let (state, why, mut libraries) = match outcome {
        Ok(Answer { missing: None, libraries, .. }) => (State::Ready, None, libraries.clone()),
        Ok(Answer { missing: Some(why), libraries, .. }) => {
            (State::Missing, Some(why.clone()), libraries.clone())
        }
        Err((state, why)) => (*state, Some(why.clone()), Vec::new()),
    };
    for library in libraries.iter_mut().filter(|library| !library.found) {
        library.remedy = remedy::of_library(&library.name);
    }
    let remedy = remedy::of(asked.name, asked.backend, state, disabled);
    BackendEntry { name: asked.name.into(), state, why, remedy, libraries }
}

/// Tells each device under which other names its hardware is listed.
fn name_twins(found: &mut [(DeviceIdentity, DeviceEntry)]) {
    let names: Vec<(DeviceIdentity, String)> =
        found.iter().map(|(who, device)| (*who, device.name.clone())).collect();
    for (who, device) in found {
        let twins = names.iter().filter(|(other, name)| other.matches(who) && *name != device.name);
        device.same_hardware = twins.map(|(_, name)| name.clone()).collect();
    }
}

/// Marks one device of each kind, as `Device::least_used` would choose it.
fn mark_least_used(devices: &mut [DeviceEntry]) {
    let mut kinds: Vec<String> = devices.iter().map(|device| device.kind.clone()).collect();
    kinds.retain(|kind| kind != "cpu");
    kinds.dedup();
    for kind in kinds {
        let of_kind: Vec<usize> =
            (0..devices.len()).filter(|at| devices[*at].kind == kind).collect();
        let any = of_kind.iter().any(|at| devices[*at].accelerator);
        let choice: Vec<usize> =
            of_kind.into_iter().filter(|at| devices[*at].accelerator || !any).collect();
        let load = |at: &usize| {
            let device = &devices[*at];
            let utilisation = device.load.as_ref().and_then(|load| load.utilisation_percent);
            // A driver that does not tell what is free is taken at its word that all of it is.
            let free_bytes = device.free_bytes.or(Some(device.memory_bytes));
            monitor::Load { utilisation, free_bytes }
        };
        let loads: Vec<monitor::Load> = choice.iter().map(load).collect();
        if let Some(at) = monitor::least_used(&loads) {
            devices[choice[at]].least_used = true;
        }
    }
}

/// The pairs within a kind, as its driver told, and those of two kinds, which share nothing but host memory.
fn between_kinds(devices: &[DeviceEntry], told: &[ReachEntry]) -> Vec<ReachEntry> {
    let gpus: Vec<&DeviceEntry> = devices.iter().filter(|device| device.kind != "cpu").collect();
    let pairs = gpus.iter().flat_map(|from| gpus.iter().map(move |to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from.name != to.name).map(|(from, to)| {
        let known = told.iter().find(|pair| pair.from == from.name && pair.to == to.name);
        known.cloned().unwrap_or_else(|| ReachEntry {
            from: from.name.clone(),
            to: to.name.clone(),
            way: "staged".into(),
        })
    });
    pairs.collect()
}

#[cfg(test)]
mod tests;
