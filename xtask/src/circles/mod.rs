//! Files of a crate that import each other in a circle.
//!
//! An arrow goes from a file to the one that defines what it imports: `use super::element::Element` in `map.rs` goes to
//! `element.rs`, and so does `use super::Element` where the folder's `mod.rs` hands it on (`pub use element::Element`). What a
//! `mod.rs` defines itself and what the crate's root hands on is no arrow, and neither are imports of tests.

mod names;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::package::files;
use crate::packages;
use names::Files;

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
        let mut crate_files = Files::default();
        for (module, file) in found {
            crate_files.add(module, is_face(&file), &fs::read_to_string(file)?);
        }
        if let Some(circle) = circle(&crate_files.arrows()) {
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
        let mut files = Files::default();
        for (name, text) in texts {
            let module = module(Path::new("src"), &Path::new("src").join(name)).unwrap();
            files.add(module, is_face(Path::new(name)), text);
        }
        let circle = circle(&files.arrows())?.into_iter().map(|module| module.join("::"));
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
    fn what_the_root_hands_on_what_tests_import_and_what_is_only_written_about_is_no_arrow() {
        let texts = [
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("a.rs", "use crate::B; #[cfg(test)] mod tests { use super::super::b::B; }"),
            ("b.rs", "use super::a::A; // use super::b::B;"),
        ];
        assert_eq!(told(&texts), None);
    }

    #[test]
    fn what_a_folder_hands_on_leads_to_the_file_that_defines_it() {
        let face = |imports| ("gpu/mod.rs", imports);
        let a = ("gpu/a.rs", "use super::B; pub struct A;");
        let b = |import| ("gpu/b.rs", import);
        for imports in [
            "mod a; mod b; pub use a::A; pub(crate) use self::b::B;",
            "pub use crate::gpu::b::Inner as B; use super::gpu::a::A;",
            "mod a; mod b; pub use a::*; pub use b::*;",
        ] {
            let mut texts = vec![face(imports), a, b("use crate::gpu::{A, C}; pub struct B;")];
            assert_eq!(told(&texts).unwrap().len(), 2, "{imports}");
            texts[2] = b("pub struct B; pub struct Inner;");
            assert_eq!(told(&texts), None, "{imports}");
        }
        // By way of another folder, and what the folder defines itself.
        let texts = [
            ("lib.rs", "pub use gpu::A;"),
            ("gpu/mod.rs", "mod a; pub use a::A; pub use crate::host::H; pub struct Own;"),
            ("gpu/a.rs", "use super::{H, Own}; pub struct A;"),
            ("host/mod.rs", "mod h; pub use h::H;"),
            ("host/h.rs", "use crate::gpu::A; pub struct H;"),
        ];
        assert_eq!(told(&texts).unwrap().len(), 2);
        let mut apart = texts.to_vec();
        apart[4].1 = "use crate::A; use crate::gpu::Own; pub struct H;";
        assert_eq!(told(&apart), None);
        // Names that folders hand to each other are nobody's.
        let nobody = [("a/mod.rs", "pub use crate::b::X;"), ("b/mod.rs", "pub use crate::a::X;")];
        assert_eq!(told(&[nobody[0], nobody[1], ("c.rs", "use crate::a::X;")]), None);
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
