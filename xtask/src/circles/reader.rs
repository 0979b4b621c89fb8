//! The imports and the items of a file, read from its text.

use std::collections::BTreeSet;

/// One name that a `use` brings in, or all names of a module, with `*` as its last part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Import {
    /// The modules within the file that it stands in.
    pub(super) within: Vec<String>,
    /// As it is written: `["super", "element", "Element"]`.
    pub(super) path: Vec<String>,
    /// What it is called in the file, if that is not the last part of the path.
    pub(super) alias: Option<String>,
}

impl Import {
    /// What it is called in the file.
    pub(super) fn name(&self) -> Option<&String> {
        self.alias.as_ref().or_else(|| self.path.iter().rev().find(|part| *part != "self"))
    }
}

/// The names of the items that a file defines, in whichever of its modules.
pub(super) fn items(text: &str) -> BTreeSet<String> {
    const KEYWORDS: [&str; 8] =
        ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];
    let tokens = tokens(text);
    let pairs = tokens.windows(2).filter(|pair| KEYWORDS.contains(&pair[0].as_str()));
    let macros = tokens.windows(3).filter(|three| three[0] == "macro_rules" && three[1] == "!");
    pairs.map(|pair| pair[1].clone()).chain(macros.map(|three| three[2].clone())).collect()
}

/// All imports of a file but those of its tests.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // The modules that are open, each with the braces that were open before it.
    let (mut within, mut braces) = (Vec::<(String, usize)>::new(), 0_usize);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "mod" if tokens.get(at + 1).is_some_and(|token| token == "{") => {
                within.push((tokens[at].clone(), braces));
            }
            "{" => braces += 1,
            "}" => {
                braces = braces.saturating_sub(1);
                within.pop_if(|(_, before)| *before == braces);
            }
            "use" => {
                let len = tokens[at..].iter().position(|token| token == ";");
                let tree = &tokens[at..at + len.unwrap_or(0)];
                at += tree.len();
                let names: Vec<String> = within.iter().map(|(name, _)| name.clone()).collect();
                if !names.iter().any(|name| name == "tests") {
                    let mut paths = Vec::new();
                    expand(tree, &[], &mut paths);
                    let import = |(path, alias)| Import { within: names.clone(), path, alias };
                    found.extend(paths.into_iter().map(import));
                }
            }
            _ => {}
        }
    }
    found
}

/// The paths of a tree of imports behind `prefix`, and what they are called; what is behind it in the tokens.
fn expand<'t>(
    mut tree: &'t [String],
    prefix: &[String],
    paths: &mut Vec<(Vec<String>, Option<String>)>,
) -> &'t [String] {
    let (mut path, mut alias) = (prefix.to_vec(), None);
    while let Some((token, rest)) = tree.split_first() {
        match token.as_str() {
            "," | "}" => break,
            ":" => tree = rest,
            "{" => {
                tree = rest;
                while tree.first().is_some_and(|token| token != "}") {
                    tree = expand(tree, &path, paths);
                    tree = tree.strip_prefix(&[",".to_owned()][..]).unwrap_or(tree);
                }
                return tree.get(1..).unwrap_or_default();
            }
            "as" => {
                alias = rest.first().cloned();
                tree = rest.get(1..).unwrap_or_default();
            }
            _ => {
                path.push(token.clone());
                tree = rest;
            }
        }
    }
    paths.push((path, alias));
    tree
}

/// Words and marks, without comments and what is between quotes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(len) = raw_string(rest) {
            len
        } else if first == '"' {
            quoted(rest, '"')
        } else if first == '\'' {
            character(rest)
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let len = end.unwrap_or(rest.len());
            tokens.push(rest[..len].to_owned());
            len
        } else {
            if !first.is_whitespace() {
                tokens.push(first.into());
            }
            first.len_utf8()
        };
        rest = &rest[len..];
    }
    tokens
}

/// The length of a comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut open, mut at) = (0_usize, 0);
    while at < text.len() {
        let here = &text.as_bytes()[at..];
        if here.starts_with(b"/*") {
            (open, at) = (open + 1, at + 2);
        } else if here.starts_with(b"*/") {
            (open, at) = (open - 1, at + 2);
            if open == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// The length of a raw string, if one begins here.
fn raw_string(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r"].into_iter().find(|prefix| text.starts_with(prefix))?;
    let hashes = text[prefix.len()..].bytes().take_while(|byte| *byte == b'#').count();
    let start = prefix.len() + hashes + 1;
    if text.as_bytes().get(start - 1) != Some(&b'"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text[start..].find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// The length up to the quote that ends it.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The length of a character, or of the mark of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) | (Some(_), Some((_, '\''))) => quoted(text, '\''),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        imports(text).into_iter().map(|import| import.path.join("::")).collect()
    }

    #[test]
    fn trees_are_taken_apart() {
        let text =
            "pub(crate) use super::{a::{self, B as C}, d, e::*};\nuse crate::f;\nuse std::io;";
        let expected =
            ["super::a::self", "super::a::B", "super::d", "super::e::*", "crate::f", "std::io"];
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn imports_and_items_are_known_by_their_names() {
        let text = "use super::{a::{self, B as C}, d}; pub(crate) struct S<T>(T); fn f() {} \
                    macro_rules! m { () => {} } pub type T = u8; // fn g() {}";
        let names: Vec<_> = imports(text).iter().map(|i| i.name().unwrap().clone()).collect();
        assert_eq!(names, ["a", "C", "d"]);
        assert_eq!(items(text).into_iter().collect::<Vec<_>>(), ["S", "T", "f", "m"]);
    }

    #[test]
    fn comments_strings_and_characters_hold_no_imports() {
        let text = r##"
            // use super::a;
            /* use super::b; /* use super::c; */ use super::d; */
            const S: &str = "\" use super::e;";
            const R: &str = r#"use super::f; " "#;
            fn f<'a>(c: char, s: &'a str) -> bool { c == '"' || c == '\'' || s == "use super::g;" }
            use super::h;
        "##;
        assert_eq!(paths(text), ["super::h"]);
    }

    #[test]
    fn imports_know_the_module_that_they_stand_in() {
        let text = "mod a { fn f() {} mod b { use super::c; } use super::d; } use super::e; \
                    #[cfg(test)] mod tests { use super::g; }";
        let found = imports(text);
        let within: Vec<String> = found.iter().map(|import| import.within.join("::")).collect();
        assert_eq!(within, ["a::b", "a", ""]);
    }
}
