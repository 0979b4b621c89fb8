//! Whom `info` asks.

use std::fmt;
use std::str::FromStr;

use arrayspan_devices::{Backend, DeviceKind};

use crate::answer::{self, Answer};
use crate::report::LibraryEntry;

/// All that are asked, in the order of the report. A kind of device is one line.
pub(crate) static ALL: [Asked; 4] = [
    Asked::kind(DeviceKind::Cuda, Some(Backend::Cuda), answer::cuda).costly(),
    Asked::kind(DeviceKind::OpenCl, Some(Backend::OpenCl), answer::opencl),
    Asked::other("nvml", Backend::Nvml, answer::nvml),
    Asked::other("torch", Backend::Torch, answer::torch::answer),
];

/// One that is asked, in a process of its own.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) name: &'static str,
    /// How a user forbids it, if that can be.
    pub(crate) backend: Option<Backend>,
    /// Whether free memory takes a context on each device. It is asked for only where no sensor tells it.
    pub(crate) costly: bool,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A kind of device, and what tells of its libraries.
    Kind(DeviceKind, fn() -> Vec<LibraryEntry>),
    Other(fn() -> Answer),
}

impl Asked {
    const fn kind(
        kind: DeviceKind,
        backend: Option<Backend>,
        libraries: fn() -> Vec<LibraryEntry>,
    ) -> Self {
        let what = What::Kind(kind, libraries);
        Self { name: kind.name(), backend, costly: false, what }
    }

    const fn other(name: &'static str, backend: Backend, answer: fn() -> Answer) -> Self {
        Self { name, backend: Some(backend), costly: false, what: What::Other(answer) }
    }

    const fn costly(mut self) -> Self {
        self.costly = true;
        self
    }
}

/// What to ask, and whom: `cuda`, `cuda-memory`, `opencl`, `nvml`, `torch`.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    pub(crate) asked: &'static Asked,
    /// Also for free memory, where that is costly.
    pub(crate) memory: bool,
}

const MEMORY: &str = "-memory";

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.asked.name)?;
        if self.memory && self.asked.costly { f.write_str(MEMORY) } else { Ok(()) }
    }
}

impl FromStr for Ask {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = |name: &str| ALL.iter().find(|asked| asked.name == name);
        let costly = text.strip_suffix(MEMORY).and_then(named).filter(|asked| asked.costly);
        let memory = costly.is_some();
        let asked = costly.or_else(|| named(text));
        asked.map(|asked| Self { asked, memory }).ok_or_else(|| format!("nobody is called {text}"))
    }
}

/// Asks a driver, of which this process may hang or crash.
#[must_use]
pub fn answer(ask: Ask) -> Answer {
    match ask.asked.what {
        What::Kind(kind, libraries) => {
            answer::of_kind(kind, libraries(), ask.memory || !ask.asked.costly)
        }
        What::Other(answer) => answer(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whom_to_ask_survives_the_way_between_processes() {
        for asked in &ALL {
            for memory in [false, true] {
                let text = Ask { asked, memory }.to_string();
                let read: Ask = text.parse().unwrap();
                assert_eq!((read.asked.name, read.memory), (asked.name, memory && asked.costly));
            }
        }
        for text in ["", "cud", "opencl-memory", "cuda-memory-memory", "-memory"] {
            assert!(text.parse::<Ask>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_backend_is_asked_under_its_name_and_every_kind_but_the_cpu() {
        let names: Vec<&str> = ALL.iter().map(|asked| asked.name).collect();
        assert_eq!(names, Backend::ALL.map(Backend::name));
        let kinds = DeviceKind::all().into_iter().filter(|kind| *kind != DeviceKind::Cpu);
        for kind in kinds {
            assert!(names.contains(&kind.name()), "{kind}");
        }
    }
}
