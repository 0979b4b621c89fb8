//! Which outside libraries arrayspan may open.

use std::fmt;
use std::sync::OnceLock;

use crate::{Error, Result};

/// Names the backends a user wants left alone, separated by commas.
const DISABLE: &str = "ARRAYSPAN_DISABLE";

/// A library of others that arrayspan opens when it is needed, and that a user can forbid.
///
/// A driver that hangs or crashes would take the program with it. `ARRAYSPAN_DISABLE=cuda,opencl` makes
/// arrayspan behave as if those drivers were not installed: their devices are [`Error::Unavailable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The CUDA driver and the libraries on top of it.
    Cuda,
    /// The `OpenCL` loader and every platform behind it.
    OpenCl,
    /// NVIDIA's management library: utilisation, temperature, power.
    Nvml,
    /// libtorch.
    Torch,
}

impl Backend {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cuda, Self::OpenCl, Self::Nvml, Self::Torch];

    /// Its name in `ARRAYSPAN_DISABLE`: `cuda`, `opencl`, `nvml`, `torch`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::OpenCl => "opencl",
            Self::Nvml => "nvml",
            Self::Torch => "torch",
        }
    }

    /// To be called before the backend's library is opened. The variable is read once per process; an unknown name
    /// in it is reported then, once.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the user has disabled the backend, or it was left out when this was built.
    pub fn enabled(self) -> Result<()> {
        if !self.is_built() {
            return Err(self.left_out());
        }
        let list = list();
        if !list.disabled.contains(&self) {
            return Ok(());
        }
        let why = format!("disabled by {DISABLE}={}", list.text);
        Err(Error::Unavailable { what: self.name().into(), why })
    }

    /// Whether this was built with it. That of torch is not known here.
    fn is_built(self) -> bool {
        match self {
            Self::Cuda => cfg!(feature = "cuda"),
            Self::OpenCl => cfg!(feature = "opencl"),
            Self::Nvml | Self::Torch => true,
        }
    }

    /// The error of a backend that this build lacks.
    pub(crate) fn left_out(self) -> Error {
        let why = format!("arrayspan was built without the feature `{self}`");
        Error::Unavailable { what: self.name().into(), why }
    }

    /// The unknown names in `ARRAYSPAN_DISABLE`.
    #[must_use]
    pub fn unknown() -> &'static [String] {
        &list().unknown
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the user wrote, and what it means.
#[derive(Debug, Default, PartialEq)]
struct List {
    text: String,
    disabled: Vec<Backend>,
    unknown: Vec<String>,
}

impl List {
    fn read(text: &str) -> Self {
        let mut list = Self { text: text.into(), ..Self::default() };
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match Backend::ALL.iter().find(|backend| name.eq_ignore_ascii_case(backend.name())) {
                Some(backend) => list.disabled.push(*backend),
                None => list.unknown.push(name.into()),
            }
        }
        list
    }

    /// What is wrong with the list, on one line.
    fn complaint(&self) -> Option<String> {
        let known = Backend::ALL.map(Backend::name).join(", ");
        let unknown = self.unknown.join(", ");
        let complaint = format!("{DISABLE} cannot disable '{unknown}': it knows {known}");
        (!self.unknown.is_empty()).then_some(complaint)
    }
}

fn list() -> &'static List {
    static LIST: OnceLock<List> = OnceLock::new();
    LIST.get_or_init(|| {
        let list = List::read(&std::env::var(DISABLE).unwrap_or_default());
        if let Some(complaint) = list.complaint() {
            tracing::warn!("{complaint}");
            // A misspelt name leaves the driver enabled, which may hang: reported on stderr, in case there is
            // no subscriber.
            if !tracing::dispatcher::has_been_set() {
                eprintln!("arrayspan: {complaint}");
            }
        }
        list
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_backends_in_any_case_with_blanks() {
        let list = List::read(" cuda, OpenCL,,torch ");
        assert_eq!(list.disabled, [Backend::Cuda, Backend::OpenCl, Backend::Torch]);
        assert_eq!(list.complaint(), None);
    }

    #[test]
    fn what_was_left_out_is_unavailable_and_says_how_to_have_it() {
        let said = Backend::OpenCl.left_out().to_string();
        assert_eq!(said, "opencl is unavailable: arrayspan was built without the feature `opencl`");
        for backend in [Backend::Cuda, Backend::OpenCl].into_iter().filter(|it| !it.is_built()) {
            let enabled = backend.enabled().map_err(|error| error.to_string());
            assert_eq!(enabled, Err(backend.left_out().to_string()));
        }
        let kinds = [
            (Backend::Cuda, crate::DeviceKind::Cuda),
            (Backend::OpenCl, crate::DeviceKind::OpenCl),
        ];
        for (_, kind) in kinds.into_iter().filter(|(backend, _)| !backend.is_built()) {
            let device = crate::Device::new(kind, 0);
            assert!(matches!(device, Err(Error::Unavailable { .. })), "{device:?}");
        }
    }

    #[test]
    fn an_empty_list_disables_nothing() {
        assert_eq!(List::read("").disabled, []);
        assert_eq!(List::read(" , ").complaint(), None);
    }

    #[test]
    fn a_name_that_means_nothing_is_told_and_the_others_still_count() {
        let list = List::read("cud,opencl2,cpu,nvml");
        assert_eq!(list.disabled, [Backend::Nvml]);
        let complaint = list.complaint().unwrap_or_default();
        assert!(complaint.contains("'cud, opencl2, cpu'"), "{complaint}");
        assert!(complaint.contains("cuda, opencl, nvml, torch"), "{complaint}");
    }
}
