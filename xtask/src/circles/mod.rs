//! Files of a crate that import each other in a circle.
//!
//! An arrow is an import that names a module by its own path: `use super::element::Element` in `map.rs` goes to
//! `element.rs`. What a folder's `mod.rs`, or the crate's root, hands on under its own name is no arrow, and neither are
//! imports of tests.

mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::package::files;
use crate::packages;
use reader::{Import, imports};

/// The path of a module: `["gpu", "map"]`. That of the crate's root is empty.
type Module = Vec<String>;

/// As [`check`], as a chore.
pub(crate) fn run() -> Result {
    if check()? { Ok(()) } else { Err("files import each other in a circle".into()) }
}

/// Whether no files of a package import each other in a circle. The first circle of each package is told.
pub(crate) fn check() -> Result<bool> {
    let mut passed = true;
    for package in packages::all()? {
        let source = package.folder.join("src");
        if !source.is_dir() {
            continue;
        }
        let mut found = Vec::new();
        files(&source, &mut |file| {
            found.extend(module(&source, file).map(|module| (module, file.to_owned())));
        })?;
        let mut texts = Vec::with_capacity(found.len());
        for (module, file) in found {
            texts.push((module, is_face(&file), fs::read_to_string(file)?));
        }
        if let Some(circle) = circle(&arrows(&texts)) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            eprintln!("error: {}: {} import each other", package.name, names.join(" -> "));
            passed = false;
        }
    }
    Ok(passed)
}

/// The module that a file below `source` holds; `None` for what is no Rust file, and for tests.
fn module(source: &Path, file: &Path) -> Option<Module> {
    let path: PathBuf = file.strip_prefix(source).ok()?.with_extension("");
    let mut module: Module =
        path.iter().map(|part| part.to_str().map(str::to_owned)).collect::<Option<_>>()?;
    if file.extension()? != "rs" || module.iter().any(|part| part == "tests") {
        return None;
    }
    if is_face(file) {
        module.pop();
    }
    Some(module)
}

/// Whether a file stands for its folder.
fn is_face(file: &Path) -> bool {
    ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name))
}

/// Who imports whom: of each module that is no face, whether it is one, and its text.
fn arrows(texts: &[(Module, bool, String)]) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let all: BTreeMap<&[String], (&Module, bool)> =
        texts.iter().map(|(module, face, _)| (&module[..], (module, *face))).collect();
    let inner = texts.iter().filter(|(_, face, _)| !face);
    inner
        .map(|(module, _, text)| {
            let imports = imports(text);
            let targets = imports.iter().filter_map(|import| {
                let path = absolute(module, import)?;
                // The longest part of the path that is a file: the rest are its items.
                let (target, face) =
                    (0..=path.len()).rev().find_map(|len| all.get(&path[..len]).copied())?;
                (!face && target != module).then_some(target)
            });
            (module, targets.collect())
        })
        .collect()
}

/// The path of an import from the crate's root; `None` if it leads to another crate.
fn absolute(module: &Module, import: &Import) -> Option<Vec<String>> {
    let mut base: Vec<String> = module.iter().chain(&import.within).cloned().collect();
    let mut path = &import.path[..];
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            path = &path[1..];
        }
        "self" | "super" => {
            while let Some(step @ ("self" | "super")) = path.first().map(String::as_str) {
                if step == "super" {
                    base.pop()?;
                }
                path = &path[1..];
            }
        }
        // A file that is no face has no modules of its own but those within it.
        _ => return None,
    }
    base.extend(path.iter().cloned());
    Some(base)
}

/// Modules of which each imports the next and the last the first, if there are any.
fn circle<'m>(arrows: &BTreeMap<&'m Module, BTreeSet<&'m Module>>) -> Option<Vec<&'m Module>> {
    // Modules that import none of the others are on no circle; without them, others are not.
    let mut left = arrows.clone();
    loop {
        let before = left.len();
        let standing: BTreeSet<&Module> = left.keys().copied().collect();
        left.retain(|_, targets| targets.iter().any(|target| standing.contains(target)));
        if left.len() == before {
            break;
        }
    }
    let mut walk = vec![*left.keys().next()?];
    loop {
        let next = *left[walk.last()?].iter().find(|target| left.contains_key(*target))?;
        if let Some(start) = walk.iter().position(|module| *module == next) {
            return Some(walk.split_off(start));
        }
        walk.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: &[(&str, &str)]) -> Option<Vec<String>> {
        let texts: Vec<_> = texts
            .iter()
            .map(|(name, text)| {
                let module = module(Path::new("src"), &Path::new("src").join(name)).unwrap();
                (module, is_face(Path::new(name)), (*text).to_owned())
            })
            .collect();
        let circle = circle(&arrows(&texts))?.into_iter().map(|module| module.join("::"));
        Some(circle.collect())
    }

    #[test]
    fn a_circle_of_two_and_of_three_files_is_found() {
        let (a, b) = (("a.rs", "use super::b::{B, C};"), ("b.rs", "use crate::a::A;"));
        assert_eq!(told(&[a, b]), Some(vec!["a".into(), "b".into()]));
        let texts = [
            ("gpu/map.rs", "use super::{Gpu, copy};"),
            ("gpu/copy.rs", "use crate::verb::CopyCall;"),
            ("verb/mod.rs", ""),
            ("verb/call.rs", "pub(crate) use crate::gpu::map::run as it;"),
            ("gpu/mod.rs", "mod map; mod copy; use map::run;"),
        ];
        assert_eq!(told(&texts), None);
        let mut texts = texts.to_vec();
        texts[1].1 = "use crate::verb::call::CopyCall;";
        assert_eq!(told(&texts).unwrap().len(), 3);
    }

    #[test]
    fn what_a_folder_hands_on_what_tests_import_and_what_is_only_written_about_is_no_arrow() {
        let texts = [
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", "use crate::B; #[cfg(test)] mod tests { use super::super::b::B; }"),
            ("b.rs", "use super::a::A; // use super::b::B;"),
        ];
        assert_eq!(told(&texts), None);
    }

    #[test]
    fn a_module_within_a_file_is_part_of_the_file() {
        let texts = [
            ("a.rs", "mod inner { use super::super::b::B; }"),
            ("b.rs", "use crate::a::inner::Deep;"),
        ];
        assert_eq!(told(&texts).unwrap().len(), 2);
    }
}
