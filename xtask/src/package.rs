//! Whether the packages could be published: their manifests say what registries show, and what they are compiled from is
//! in them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::Result;
use crate::packages::{self, Package};
use crate::process::{cargo, output, run as show, succeeds};

/// What a published manifest says.
const FIELDS: [&str; 9] = [
    "description",
    "version",
    "license",
    "repository",
    "documentation",
    "readme",
    "keywords",
    "categories",
    "include",
];

/// What each package holds beside its sources.
const FILES: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// As [`check`], as a chore, and builds what is packed.
pub(crate) fn run() -> Result {
    if check(true)? { Ok(()) } else { Err("the packages are not complete".into()) }
}

/// Packs all of them, and looks into each; if asked for builds each from its package, with the packages it depends on.
pub(crate) fn check(built: bool) -> Result<bool> {
    let all = packages::all()?;
    pack(&all, built)?;
    let mut complete = true;
    for package in all.iter().filter(|package| package.is_published()) {
        for missing in lacks(package)? {
            eprintln!("error: {}: {missing}", package.name);
            complete = false;
        }
    }
    Ok(complete)
}

/// What cargo itself refuses to pack. It asks the registry about versions only where it has to.
fn pack(all: &[Package], built: bool) -> Result {
    let command = |offline: bool| {
        let mut pack = cargo(&["package", "--workspace", "--allow-dirty", "--quiet"]);
        if !built {
            pack.arg("--no-verify");
        }
        for chore in all.iter().filter(|package| !package.is_published()) {
            pack.args(["--exclude", &chore.name]);
        }
        if offline {
            pack.arg("--offline");
        }
        pack
    };
    if succeeds(&mut command(true)) { Ok(()) } else { show(&mut command(false)) }
}

/// What is missing from a package.
fn lacks(package: &Package) -> Result<Vec<String>> {
    let says = |field: &str| {
        let mut lines = package.manifest.lines();
        lines.any(|line| {
            line.starts_with(&format!("{field} ")) || line.starts_with(&format!("{field}."))
        })
    };
    let fields = FIELDS.iter().filter(|field| !says(field));
    let mut lacks: Vec<String> =
        fields.map(|field| format!("the manifest has no {field}")).collect();
    let held = held(package)?;
    let mut needed: BTreeSet<PathBuf> = FILES.iter().map(PathBuf::from).collect();
    files(&package.folder.join("src"), &mut |file| {
        needed.extend(file.strip_prefix(&package.folder).map(Path::to_path_buf));
    })?;
    for source in held.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
        let text = fs::read_to_string(package.folder.join(source))?;
        needed.extend(included(source, &text));
    }
    lacks.extend(needed.difference(&held).map(|file| format!("{} is not packed", file.display())));
    Ok(lacks)
}

/// The files that a package holds.
fn held(package: &Package) -> Result<BTreeSet<PathBuf>> {
    let mut list = cargo(&["package", "--list", "--allow-dirty", "--package", &package.name]);
    Ok(output(&mut list)?.lines().map(PathBuf::from).collect())
}

/// The files that a source takes in, from the folder of the package.
fn included(source: &Path, text: &str) -> Vec<PathBuf> {
    let beside = source.parent().unwrap_or(Path::new(""));
    let calls = text.match_indices("include_str!(\"").filter_map(|(at, call)| {
        let (path, _) = text[at + call.len()..].split_once('"')?;
        Some(plain(&beside.join(path)))
    });
    calls.collect()
}

/// `src/gpu/../source` is `src/source`; what leads out of the package begins with `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        let inside = plain.file_name().is_some();
        match part {
            Component::ParentDir if inside => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

/// All files in a folder and below.
pub(crate) fn files(folder: &Path, each: &mut impl FnMut(&Path)) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, each)?;
        } else {
            each(&path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_source_takes_in_is_named_as_the_package_names_it() {
        let text =
            "const A: &str = include_str!(\"../source/map.cl.h\"); x(include_str!(\"near.h\"));";
        let found = included(Path::new("src/gpu/map.rs"), text);
        assert_eq!(found, [Path::new("src/source/map.cl.h"), Path::new("src/gpu/near.h")]);
        let outside = included(Path::new("src/lib.rs"), "include_str!(\"../../docs/page.md\")");
        assert_eq!(outside, [Path::new("../docs/page.md")]);
    }

    #[test]
    fn a_manifest_that_says_nothing_lacks_everything() {
        let package = packages::all().unwrap().remove(0);
        assert_eq!(lacks(&package).unwrap(), Vec::<String>::new());
        let silent = Package { manifest: "[package]".into(), ..package };
        assert_eq!(lacks(&silent).unwrap().len(), FIELDS.len());
    }
}
