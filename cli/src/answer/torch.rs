//! Where libtorch lies. It is looked for and not loaded: that takes seconds and says no more.

use std::env;
use std::path::{Path, PathBuf};

use arrayspan_devices::Backend;

use super::{Answer, named};
use crate::report::LibraryEntry;

/// The part of libtorch every build has.
const FILE: &str = if cfg!(windows) {
    "torch_cpu.dll"
} else if cfg!(target_os = "macos") {
    "libtorch_cpu.dylib"
} else {
    "libtorch_cpu.so"
};

pub(crate) fn answer() -> Answer {
    if let Err(error) = Backend::Torch.enabled() {
        return Answer { missing: Some(error.to_string()), ..Answer::default() };
    }
    let folders = folders();
    match folders.iter().map(|folder| folder.join(FILE)).find(|file| file.is_file()) {
        Some(file) => {
            let version = file.parent().and_then(version);
            let path = Some(file.display().to_string());
            let library = LibraryEntry { found: true, version, path, ..named("libtorch") };
            Answer { libraries: vec![library], ..Answer::default() }
        }
        None => Answer { missing: Some(nowhere(&folders)), ..Answer::default() },
    }
}

/// Where the loader would find it, and where `LIBTORCH` says it is.
fn folders() -> Vec<PathBuf> {
    let root = env::var_os("LIBTORCH").map(|root| Path::new(&root).join("lib"));
    let paths = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let listed = env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty());
    root.into_iter().chain(listed).collect()
}

fn nowhere(folders: &[PathBuf]) -> String {
    let tried: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let tried = match tried.join(", ") {
        none if none.is_empty() => "neither LIBTORCH nor LD_LIBRARY_PATH is set".into(),
        some => format!("looked in {some}"),
    };
    format!("libtorch is unavailable: {FILE} was not found ({tried})")
}

/// The version, beside the library: `build-version` in the archive for C++, `version.py` in the Python
/// package.
fn version(folder: &Path) -> Option<String> {
    let root = folder.parent()?;
    if let Ok(text) = std::fs::read_to_string(root.join("build-version")) {
        return Some(text.trim().into());
    }
    let text = std::fs::read_to_string(root.join("version.py")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("__version__ = "))?;
    Some(line.trim_matches(['\'', '"']).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_either_kind_of_installation() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("lib");
        assert_eq!(version(&lib), None);
        let python = "from typing import Optional\n__version__ = '2.9.0+cu128'\ndebug = False\n";
        std::fs::write(folder.path().join("version.py"), python).unwrap();
        assert_eq!(version(&lib).as_deref(), Some("2.9.0+cu128"));
        std::fs::write(folder.path().join("build-version"), "2.8.0+cpu\n").unwrap();
        assert_eq!(version(&lib).as_deref(), Some("2.8.0+cpu"));
    }

    #[test]
    fn what_was_searched_is_told() {
        let text = nowhere(&[PathBuf::from("/a/lib"), PathBuf::from("/b")]);
        assert!(text.contains("looked in /a/lib, /b"), "{text}");
        assert!(nowhere(&[]).contains("neither LIBTORCH nor LD_LIBRARY_PATH is set"));
    }
}
