//! The parts about drivers, libraries and settings.

use std::collections::BTreeMap;

use super::table::{Column::Left, table, wrapped};
use crate::report::{BackendEntry, State};

/// Every driver with its state, and its parts with version and file.
pub(super) fn list(backends: &[BackendEntry]) -> String {
    let mut rows = Vec::new();
    for backend in backends {
        rows.push(vec![backend.name.clone(), state(backend.state).into()]);
        for library in &backend.libraries {
            // A platform tells no number but a line; PoCL appends how it was built, after two blanks.
            let line = |version: &str| version.split("  ").next().unwrap_or(version).to_owned();
            let (version, path) = match (&library.version, &library.path) {
                _ if !library.found => ("missing".into(), String::new()),
                (Some(version), None) if version.contains(' ') => ("found".into(), line(version)),
                (Some(version), path) => (version.clone(), path.clone().unwrap_or_default()),
                (None, path) => ("found".into(), path.clone().unwrap_or_default()),
            };
            rows.push(vec![format!("  {}", library.name), version, path]);
        }
    }
    table(&[Left, Left, Left], &rows)
}

fn state(state: State) -> &'static str {
    match state {
        State::Ready => "ready",
        State::Missing => "missing",
        State::Disabled => "disabled",
        State::Broken => "broken",
    }
}

/// What cannot be used, why, and what helps. The libraries of a driver that is missing itself are not told:
/// they would not help.
pub(super) fn missing(backends: &[BackendEntry]) -> String {
    let mut text = String::new();
    let mut tell = |why: Option<&String>, remedy: Option<&String>| {
        text.extend(why.map(|why| wrapped(why, 2)));
        text.extend(remedy.map(|remedy| wrapped(remedy, 4)));
    };
    for backend in backends {
        tell(backend.why.as_ref(), backend.remedy.as_ref());
        if backend.state == State::Ready {
            for library in backend.libraries.iter().filter(|library| !library.found) {
                tell(library.why.as_ref(), library.remedy.as_ref());
            }
        }
    }
    text
}

/// The variables that are set.
pub(super) fn settings(settings: &BTreeMap<String, String>) -> String {
    let rows: Vec<_> =
        settings.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
    table(&[Left, Left], &rows)
}
