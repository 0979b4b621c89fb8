//! The documentation of operators and solvers in Rust: that of the type, of its fields, and of its first constructor.

use std::collections::BTreeMap;

/// What stands over `pub struct Name(());` or `pub struct Name {`, over the fields of the latter and over the first `pub fn` of
/// it, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) of_type: Vec<String>,
    pub(super) of_constructor: Vec<String>,
    pub(super) fields: BTreeMap<String, String>,
}

/// The types that a file declares.
pub(super) fn read(text: &str) -> Vec<Source> {
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
            found.push(Source { name, of_type, ..Source::default() });
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
pub(super) fn aliases(text: &str) -> Vec<(String, String, Vec<String>)> {
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
