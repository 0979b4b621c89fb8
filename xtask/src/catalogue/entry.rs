//! What the documentation of an operator says, in the order that the template of `CONTRIBUTING.md` gives it.

use crate::documentation::{self, blocks, without_links};

/// One operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The module, `derivative`.
    pub(super) family: String,
    pub(super) name: String,
    pub(super) file: String,
    /// The first paragraph: formula, domain and range.
    pub(super) what: String,
    /// What it is over the complex numbers.
    pub(super) complex: String,
    /// Launches and values moved.
    pub(super) cost: String,
    /// The operator of PyLops whose numbers it is compared with, and what differs.
    pub(super) golden: String,
}

/// The operators that a file declares, `pub struct Name(());`, or what their documentation lacks.
pub(super) fn read(file: &str, text: &str) -> Vec<Result<Entry, String>> {
    let sources = documentation::read(text).into_iter().filter(|source| source.constructs);
    sources.map(|source| entry(file, &source.name, &source.of_type)).collect()
}

fn entry(file: &str, name: &str, docs: &[String]) -> Result<Entry, String> {
    let paragraphs = paragraphs(docs);
    let whole = paragraphs.join(" ");
    let sentence = |label: &str| {
        let (_, rest) = whole.split_once(&format!("{label}: "))?;
        Some(first_sentence(rest))
    };
    let part =
        |label: &str| sentence(label).ok_or(format!("{file}: {name} does not say '{label}:'"));
    let cost = part("Cost")?;
    Ok(Entry {
        family: file.split('/').nth(2).unwrap_or_default().to_owned(),
        name: name.to_owned(),
        file: file.to_owned(),
        what: paragraphs.first().cloned().unwrap_or_default(),
        complex: part("Complex")?,
        // The name of a test is for those who read the source.
        cost: cost.split(" (test ").next().unwrap_or_default().to_owned(),
        golden: part("Golden")?,
    })
}

/// Paragraphs in a line each, without tables and programs; links become what they show.
fn paragraphs(docs: &[String]) -> Vec<String> {
    let paragraphs = blocks(docs).into_iter().filter(|block| !block.is_table());
    paragraphs.map(|block| without_links(&block.0.join(" "))).collect()
}

/// Up to the point that ends it: one before a space and a capital letter, or before the end.
fn first_sentence(text: &str) -> String {
    let ends = text.match_indices(". ").find(|(at, _)| {
        let next = text[at + 2..].chars().next();
        next.is_some_and(|c| c.is_uppercase() || c == '`' || c == '[')
    });
    ends.map_or(text, |(at, _)| &text[..at]).trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
//! A file.

/// `y = x[i]` of [`Edge`](crate::Edge), [`Scheme`] and [others](Edge::Zero);
/// domain and range are `space`.
///
/// | a | b |
/// |---|---|
///
/// Units: none. Complex: linear; of e.g. numbers. Cost: 1.5 launches (test `bytes::none`). More.
///
/// ```
/// Cost: none
/// ```
///
/// Golden: PyLops 2.8.0 `None`.
#[derive(Debug)]
pub struct None(());

/// `y = 0`.
pub struct Bare(());
";

    #[test]
    fn what_the_template_asks_for_is_read() {
        let found = read("operators/src/basic/none.rs", SOURCE);
        let [Ok(none), Err(lacks)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(
            none.what,
            "`y = x[i]` of `Edge`, `Scheme` and others; domain and range are `space`."
        );
        assert_eq!((&*none.family, &*none.cost), ("basic", "1.5 launches"));
        assert_eq!(
            (&*none.complex, &*none.golden),
            ("linear; of e.g. numbers", "PyLops 2.8.0 `None`")
        );
        assert!(lacks.contains("Bare does not say 'Cost:'"), "{lacks}");
    }
}
