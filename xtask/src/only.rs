//! What `--only NAME` builds and runs: test programs, and tests, that are called so.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::process::repository;

/// The folders of the packages with tests; the root has the facade's.
const PACKAGES: [&str; 10] = [
    "",
    "devices",
    "bridge",
    "pipeline",
    "kernels",
    "operators",
    "solvers",
    "tests",
    "cli",
    "xtask",
];

/// Targets to build.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// Test programs: `verbs`.
    pub(crate) tests: Vec<String>,
    /// Those that need the feature `torch`.
    pub(crate) torch: Vec<String>,
    /// Whether some package's unit tests may be wanted.
    pub(crate) libraries: bool,
}

/// What may hold tests of that name: by the program's name, its package's, or its text.
pub(crate) fn targets(wanted: &str) -> Result<Targets> {
    targets_in(&repository(), wanted)
}

/// Whether a program, `kernels-verbs`, is wanted with all its tests.
pub(crate) fn is_whole(program: &str, wanted: &str) -> bool {
    program.contains(wanted.trim_start_matches("arrayspan-"))
}

fn targets_in(repository: &Path, wanted: &str) -> Result<Targets> {
    let mut targets = Targets::default();
    // A test is called by its last names in the sources.
    let text = wanted.rsplit("::").find(|part| !part.is_empty()).unwrap_or(wanted);
    for package in PACKAGES {
        let folder = repository.join(package);
        let name = match package {
            "" => "arrayspan",
            "tests" => "conformance",
            other => other,
        };
        // Cases of operators are tests by name only.
        let stamped = package == "tests" && contain(&folder.join("src"), text, "")?;
        let source = folder.join("src");
        let library = is_whole(&format!("{name}-"), wanted) || contain(&source, text, "#[test]")?;
        targets.libraries |= library && package != "tests";
        for (target, source) in programs(&folder.join("tests"))? {
            let named = is_whole(&format!("{name}-{target}"), wanted);
            if named || stamped || contain(&source, text, "")? {
                let torch = target.contains("torch");
                if torch { &mut targets.torch } else { &mut targets.tests }.push(target);
            }
        }
    }
    Ok(targets)
}

/// Test programs in a folder, each with its file or folder of sources.
fn programs(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_stem().map(|name| name.to_string_lossy().into_owned()) else {
            continue;
        };
        if path.join("main.rs").is_file() || path.extension().is_some_and(|end| end == "rs") {
            found.push((name, path));
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a source, or one in a folder, has that name or text, and another one too.
fn contain(path: &Path, text: &str, also: &str) -> Result<bool> {
    let named = path.file_stem().is_some_and(|name| name.to_string_lossy() == text);
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let path = entry?.path();
            if contain(&path, if named { "" } else { text }, also)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    if path.extension().is_none_or(|end| end != "rs") {
        return Ok(false);
    }
    let content = fs::read_to_string(path)?;
    Ok((named || content.contains(text)) && content.contains(also))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_a_package_and_an_operator_are_found() {
        let found = targets("verbs").unwrap();
        assert!(found.tests.contains(&"verbs".to_owned()), "{found:?}");
        assert_eq!(targets("kernels-verbs").unwrap().tests, ["verbs"]);
        assert_eq!(targets("conformance-conformance").unwrap().tests, ["conformance"]);
        let found = targets("arrayspan-cli").unwrap();
        assert!(found.libraries && found.tests.contains(&"command".to_owned()), "{found:?}");
        let found = targets("opencl::float32::first_derivative").unwrap();
        assert!(found.tests.contains(&"conformance".to_owned()), "{found:?}");
        let found = targets("torch_cuda").unwrap();
        assert!(found.torch.contains(&"torch_cuda".to_owned()), "{found:?}");
        assert_eq!(
            targets("no_such_thing_anywhere_".repeat(2).as_str()).unwrap(),
            Targets::default()
        );
    }

    #[test]
    fn whole_programs_go_by_their_name() {
        assert!(
            is_whole("kernels-verbs", "verbs") && is_whole("kernels-verbs", "arrayspan-kernels")
        );
        assert!(!is_whole("kernels-verbs", "stencil"));
    }
}
