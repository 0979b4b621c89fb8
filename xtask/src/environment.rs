//! The variables under which tests and benchmarks find what was set up.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The variables under which tests and benchmarks find what was set up, and what could not be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    variables: Vec<(String, OsString)>,
    /// One line for each thing that is missing.
    pub(crate) missing: Vec<String>,
}

impl Environment {
    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.push((name.into(), value.into()));
    }

    /// What a variable was set to here, the last time.
    pub(crate) fn value(&self, name: &str) -> Option<OsString> {
        let set = self.variables.iter().rev().find(|(set, _)| set == name);
        set.map(|(_, value)| value.clone())
    }

    /// Whether tests run everything.
    pub(crate) fn is_full(&self) -> bool {
        let full = self.value("ARRAYSPAN_TEST_FULL").or_else(|| env::var_os("ARRAYSPAN_TEST_FULL"));
        full.is_some_and(|full| !full.is_empty() && full != "0")
    }

    /// Lets the loader find libraries in `folder` too.
    pub(crate) fn add_library_path(&mut self, folder: &Path) {
        const NAME: &str = "LD_LIBRARY_PATH";
        let set = self.variables.iter().rev().find(|(name, _)| name == NAME);
        let before = set.map(|(_, value)| value.clone()).or_else(|| env::var_os(NAME));
        let before = before.filter(|paths| !paths.is_empty()).unwrap_or_default();
        let paths = env::split_paths(&before).filter(|path| path != Path::new(""));
        let paths = std::iter::once(folder.to_path_buf()).chain(paths);
        if let Ok(joined) = env::join_paths(paths) {
            self.set(NAME, joined);
        }
    }

    /// Runs a program under these variables.
    pub(crate) fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)))
    }
}
