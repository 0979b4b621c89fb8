//! Which file of a crate defines what a path names.

use std::collections::{BTreeMap, BTreeSet};

use super::Module;
use super::reader::{Import, imports, items};

/// The files of a crate, by their modules.
#[derive(Default)]
pub(super) struct Files(BTreeMap<Module, File>);

struct File {
    /// Whether it stands for its folder.
    face: bool,
    imports: Vec<Import>,
    items: BTreeSet<String>,
}

/// Names are handed on by at most so many files: some hand them to each other.
const MOST_HANDS: usize = 16;

impl Files {
    pub(super) fn add(&mut self, module: Module, face: bool, text: &str) {
        let file = File { face, imports: imports(text), items: items(text) };
        self.0.insert(module, file);
    }

    /// Who imports what whom defines: of each module that is no face.
    pub(super) fn arrows(&self) -> BTreeMap<&Module, BTreeSet<&Module>> {
        let inner = self.0.iter().filter(|(_, file)| !file.face);
        inner
            .map(|(module, file)| {
                let targets = file.imports.iter().filter_map(|import| {
                    let path = self.absolute(module, import)?;
                    let target = self.definer(&path, MOST_HANDS)?;
                    (target != module).then_some(target)
                });
                (module, targets.collect())
            })
            .collect()
    }

    /// The file that defines what a path from the crate's root names; `None` if that is a face.
    fn definer(&self, path: &[String], hands: usize) -> Option<&Module> {
        // The longest part of the path that is a file: the rest are its items.
        let (len, (module, file)) = (0..=path.len())
            .rev()
            .find_map(|len| Some((len, self.0.get_key_value(&path[..len])?)))?;
        if !file.face {
            return Some(module);
        }
        let [name, rest @ ..] = &path[len..] else { return None };
        if module.is_empty() || hands == 0 || file.items.contains(name) {
            return None;
        }
        let own = || file.imports.iter().filter(|import| import.within.is_empty());
        let named = own().filter(|import| import.name() == Some(name));
        let named = named.filter_map(|import| self.absolute(module, import));
        let all = own().filter_map(|import| {
            let of = Import {
                path: import.path.strip_suffix(&["*".to_owned()])?.into(),
                ..import.clone()
            };
            let of = self.absolute(module, &of)?;
            let file = self.0.get(&of)?;
            let known = file.face || file.items.contains(name);
            known.then(|| [&of[..], std::slice::from_ref(name)].concat())
        });
        named.chain(all).find_map(|path| self.definer(&[&path[..], rest].concat(), hands - 1))
    }

    /// The path of an import from the crate's root; `None` if it leads to another crate.
    fn absolute(&self, module: &Module, import: &Import) -> Option<Vec<String>> {
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
            own => {
                let child = [&base[..], &[own.to_owned()]].concat();
                if !self.0.contains_key(&child) {
                    return None;
                }
            }
        }
        base.extend(path.iter().cloned());
        Some(base)
    }
}
