//! The documentation of operators and solvers as their sources have it: that of the type, of its fields, and of its first
//! constructor; and what a documentation in Markdown is made of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::package::files;

/// What stands over `pub struct Name(());` or `pub struct Name {`, over the fields of the latter and over the first `pub fn` of
/// it, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) name: String,
    /// Whether it is declared `(());`, so that all there is of it are functions that make something else.
    pub(crate) constructs: bool,
    pub(crate) of_type: Vec<String>,
    pub(crate) of_constructor: Vec<String>,
    pub(crate) fields: BTreeMap<String, String>,
}

/// The types that a file declares.
pub(crate) fn read(text: &str) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    let (mut docs, mut of, mut within) = (Vec::new(), None, false);
    for line in text.lines() {
        let bare = line.trim_start();
        if let Some(doc) = bare.strip_prefix("///") {
            docs.push(doc.strip_prefix(' ').unwrap_or(doc).to_owned());
            continue;
        }
        if bare.starts_with("#[") {
            continue;
        }
        let rest = line.strip_prefix("pub struct ");
        let name = rest.and_then(|rest| {
            within = rest.ends_with(" {");
            rest.strip_suffix("(());").or_else(|| rest.strip_suffix(" {"))
        });
        within &= line != "}";
        if let Some(name) = name {
            let name = name.split('<').next().unwrap_or(name).to_owned();
            let of_type = std::mem::take(&mut docs);
            let constructs = line.ends_with("(());");
            found.push(Source { name, constructs, of_type, ..Source::default() });
        } else if within
            && let Some((field, _)) =
                bare.strip_prefix("pub ").and_then(|field| field.split_once(':'))
            && let Some(source) = found.last_mut()
        {
            source.fields.insert(field.to_owned(), docs.join(" "));
        } else if let Some(name) = line.strip_prefix("impl ") {
            of = name.strip_suffix(" {").map(str::to_owned);
        } else if bare.starts_with("pub fn ")
            && let Some(source) = found.iter_mut().find(|source| Some(&source.name) == of.as_ref())
            && source.of_constructor.is_empty()
        {
            source.of_constructor = std::mem::take(&mut docs);
        }
        docs.clear();
    }
    found
}

/// The types that are others by a second name, `pub type Ista = IterativeThresholding<…>;`: both names, and what stands over it.
pub(crate) fn aliases(text: &str) -> Vec<(String, String, Vec<String>)> {
    let (mut docs, mut found) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.strip_prefix(' ').unwrap_or(doc).to_owned());
            continue;
        }
        let docs = std::mem::take(&mut docs);
        let alias = line.strip_prefix("pub type ").and_then(|alias| alias.strip_suffix(';'));
        if let Some((name, of)) = alias.and_then(|alias| alias.split_once(" = ")) {
            found.push((name.to_owned(), of.split('<').next().unwrap_or(of).to_owned(), docs));
        }
    }
    found
}

/// Calls `each` with every source in a folder, and its text.
pub(crate) fn each_source(folder: &Path, each: &mut impl FnMut(&Path, &str)) -> Result {
    files(folder, &mut |path| {
        if path.extension().is_some_and(|extension| extension == "rs") {
            each(path, &fs::read_to_string(path).unwrap_or_default());
        }
    })
}

/// A paragraph, a table or a title, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block(pub(crate) Vec<String>);

/// The blocks of a documentation, without programs, and without what says where links lead.
pub(crate) fn blocks(lines: &[String]) -> Vec<Block> {
    let (mut blocks, mut program) = (vec![Block(Vec::new())], false);
    for line in lines {
        let fence = line.starts_with("```");
        program ^= fence;
        let leads = line.starts_with('[') && line.contains("]: ");
        if fence || line.trim().is_empty() {
            blocks.push(Block(Vec::new()));
        } else if program || leads {
            // No part of any block.
        } else if line.starts_with('#') {
            blocks.extend([Block(vec![line.clone()]), Block(Vec::new())]);
        } else if let Some(block) = blocks.last_mut() {
            block.0.push(line.trim().to_owned());
        }
    }
    blocks.retain(|block| !block.0.is_empty());
    blocks
}

impl Block {
    /// Whether it is that title.
    pub(crate) fn is_title(&self, title: &str) -> bool {
        self.0.first().is_some_and(|line| {
            line.starts_with('#') && line.trim_start_matches('#').trim() == title
        })
    }

    /// Whether it is a table.
    pub(crate) fn is_table(&self) -> bool {
        self.0.iter().all(|line| line.starts_with('|'))
    }
}

/// ``[`Edge`](crate::Edge)``, ``[`Edge`]`` and `[edges](Edge::Zero)` are what they show: the page lies elsewhere.
pub(crate) fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        out += before;
        let shown = link.split_once(']');
        let target = shown.and_then(|(_, after)| after.strip_prefix('(')?.split_once(')'));
        match (shown, target) {
            (Some((shown, _)), Some((target, after))) if target.contains("::") => {
                out += shown;
                rest = after;
            }
            (Some((shown, after)), _) if shown.starts_with('`') && shown.ends_with('`') => {
                out += shown;
                rest = after;
            }
            // Brackets of a formula.
            _ => {
                out.push('[');
                rest = link;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_and_its_first_constructor_are_read() {
        let text = "/// Of A.\n#[derive(Debug)]\npub struct A(());\n\nimpl A {\n    const X: u8 = 0;\n\n    /// Makes it.\n    \
                    #[must_use]\n    pub fn new() {}\n\n    /// Another.\n    pub fn by() {}\n}\n/// Of B.\nfn b() {}\n";
        let [a] = &read(text)[..] else { panic!("one operator") };
        assert_eq!((&*a.name, &a.of_type[..]), ("A", &["Of A.".to_owned()][..]));
        assert_eq!(a.of_constructor, ["Makes it."]);
    }

    #[test]
    fn fields_and_second_names_are_read() {
        let text = "/// Of S.\npub struct S<T> {\n    /// First\n    /// line.\n    pub a: usize,\n    b: u8,\n}\n\nfn f() {\n    pub c: u8;\n}\n\
                    /// Of R.\npub type R = S<u8>;\n";
        let [s] = &read(text)[..] else { panic!("one type") };
        assert_eq!((&*s.name, s.fields.len(), &*s.fields["a"]), ("S", 1, "First line."));
        assert_eq!(aliases(text), [("R".to_owned(), "S".to_owned(), vec!["Of R.".to_owned()])]);
    }
}
