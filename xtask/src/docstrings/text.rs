//! A docstring in NumPy's style: what follows the summary.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::signature::{Parameter, Signature};
use crate::documentation::{Block, Source, blocks, without_links};

/// Columns of a line at most.
const WIDTH: usize = 88;

/// What stands before the source of a method, and behind it.
const REFERENCE: &str = "Reference: ";
const GOLDEN: &str = " Golden: ";

/// What errors of Rust are called in Python.
const ERRORS: [(&str, &str); 9] = [
    ("``Error::Parameter``", "``ParameterError``"),
    ("``Error::TooLarge``", "``ParameterError``"),
    ("``Error::NoInverse``", "``ParameterError``"),
    ("``Error::Shape``", "``ShapeError``"),
    ("``Error::Spaces``", "``ShapeError``"),
    ("``Error::DType``", "``DTypeError``"),
    ("``Error::WrongDevice``", "``WrongDevice``"),
    ("``Error::Devices``", "``WrongDevice``"),
    ("``Error::NoAdjoint``", "``NoAdjoint``"),
];

/// Of a function with that signature. `shared` are the meanings of parameters that several have.
pub(super) fn of(
    signature: &Signature,
    source: &Source,
    shared: &BTreeMap<String, String>,
) -> String {
    let (of_type, of_constructor) = (blocks(&source.of_type), blocks(&source.of_constructor));
    let mut text = String::new();
    let (first, rest) = of_type.split_first().map_or((None, &[][..]), |(a, b)| (Some(a), b));
    if let Some(block) = first {
        paragraph(&mut text, &plain(block));
    }
    section(&mut text, "Parameters");
    for parameter in &signature.parameters {
        let meaning = source.fields.get(&parameter.name).or_else(|| shared.get(&parameter.name));
        describe(&mut text, parameter, meaning);
    }
    section(&mut text, "Returns");
    text += &signature.returns;
    text.push('\n');
    let errors = of_constructor.iter().skip_while(|block| !block.is_title("Errors")).skip(1);
    let errors: Vec<String> = errors.map(plain).collect();
    if !errors.is_empty() {
        section(&mut text, "Raises");
        text += "arrayspan.errors.Error\n";
        for error in &errors {
            indented(&mut text, &named(error));
        }
    }
    let made = of_constructor.iter().take_while(|block| !block.is_title("Errors"));
    let notes = made.chain(rest).map(note);
    let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
    if !notes.is_empty() {
        section(&mut text, "Notes");
        let has = |name: &str| signature.parameters.iter().any(|parameter| parameter.name == name);
        let of_space = has("shape") && has("dtype");
        let space =
            if of_space { "``space`` is that of ``shape`` and ``dtype``, and " } else { "" };
        paragraph(&mut text, &format!("In what follows {space}names are those of Rust."));
        for note in &notes {
            paragraph(&mut text, note);
        }
    }
    let references: Vec<String> = rest.iter().filter_map(reference).collect();
    if !references.is_empty() {
        section(&mut text, "References");
        for reference in &references {
            paragraph(&mut text, reference);
        }
    }
    text.trim_end().to_owned() + "\n"
}

fn section(text: &mut String, title: &str) {
    let _ = write!(text, "{title}\n{}\n", "-".repeat(title.len()));
    // Sections are apart by an empty line.
    let at = text.len() - 2 * title.len() - 2;
    if at > 0 && !text[..at].ends_with("\n\n") {
        text.insert(at, '\n');
    }
}

fn describe(
    text: &mut String,
    Parameter { name, kind, default }: &Parameter,
    meaning: Option<&String>,
) {
    let default =
        default.as_ref().map_or_else(String::new, |default| format!(", default {default}"));
    let _ = writeln!(text, "{name} : {kind}{default}");
    if let Some(meaning) = meaning {
        indented(text, &named(&code(&without_links(meaning))));
    }
}

/// The names that errors have in Python.
fn named(text: &str) -> String {
    ERRORS.iter().fold(text.to_owned(), |text, (rust, python)| text.replace(rust, python))
}

fn paragraph(text: &mut String, words: &str) {
    // A list has lines of its own.
    for line in words.lines() {
        let within = if line.starts_with("* ") { "  " } else { "" };
        wrapped(text, line, ("", within));
    }
    text.push('\n');
}

fn indented(text: &mut String, words: &str) {
    wrapped(text, words, ("    ", "    "));
}

/// Words in lines, the first with one indentation, the others with another.
fn wrapped(text: &mut String, words: &str, (first, others): (&str, &str)) {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            *text += line.trim_end();
            text.push('\n');
            (line, empty) = (others.to_owned(), true);
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    *text += line.trim_end();
    text.push('\n');
}

/// What it says, as Python's documentation writes it; a row of a table becomes an entry of a list.
fn plain(block: &Block) -> String {
    if !block.is_table() || block.0.len() < 3 {
        return code(&without_links(&block.0.join(" ")));
    }
    let row = |line: &String| {
        let line = line.replace("\\|", "\u{0}");
        let cells = line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{0}', "|"));
        let cells: Vec<String> = cells.map(|cell| code(&without_links(&cell))).collect();
        let (name, others) = cells.split_first().map_or(("", &[][..]), |(a, b)| (&**a, b));
        let others: Vec<&str> =
            others.iter().map(|cell| &**cell).filter(|cell| !cell.is_empty()).collect();
        format!("* {name}: {}", others.join("; "))
    };
    block.0[2..].iter().map(row).collect::<Vec<_>>().join("\n")
}

/// What it says but for the [source](fn@reference) of the method, and the names of tests, which are for those who read Rust.
fn note(block: &Block) -> String {
    let mut whole = plain(block);
    while let Some((before, rest)) = whole.split_once(" (test ")
        && let Some((_, after)) = rest.split_once(')')
    {
        whole = format!("{before}{after}");
    }
    if let Some(reference) = reference(block) {
        whole = whole.replace(&format!("{REFERENCE}{reference}"), "");
    }
    whole.trim().replace("Golden: PyLops", "Compared with PyLops")
}

/// The source of the method, if that is what it names.
fn reference(block: &Block) -> Option<String> {
    let whole = plain(block);
    let (_, reference) = whole.split_once(REFERENCE)?;
    let source = reference.split(GOLDEN).next().unwrap_or(reference);
    Some(source.trim().to_owned())
}

/// Code as reStructuredText marks it.
fn code(text: &str) -> String {
    text.replace('`', "``")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docstring_has_the_sections_of_numpy() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let source = Source {
            name: "A".into(),
            constructs: true,
            of_type: lines(
                "`y = x` of [`Space`](crate::Space).\n\n| kind | row |\n|---|---|\n| `a` | `x \\| y` |\n\nUnits: none (test `b::a`).\n\n```\nlet x;\n```\n\n\
                 Reference: B, C 1 (2000). Golden: PyLops 2.8.0 `A`.",
            ),
            fields: BTreeMap::new(),
            of_constructor: lines(
                "Along `axis`.\n\n# Errors\n[`Error::Parameter`](crate::Error::Parameter) when not.",
            ),
        };
        let axis = Parameter { name: "axis".into(), kind: "int".into(), default: Some("0".into()) };
        let signature =
            Signature { name: "A".into(), parameters: vec![axis], returns: "Operator".into() };
        let shared = BTreeMap::from([("axis".to_owned(), "Of [`x`](y::z).".to_owned())]);
        let text = of(&signature, &source, &shared);
        assert_eq!(
            text,
            "``y = x`` of ``Space``.\n\nParameters\n----------\naxis : int, default 0\n    Of ``x``.\n\n\
             Returns\n-------\nOperator\n\nRaises\n------\narrayspan.errors.Error\n    ``ParameterError`` when not.\n\n\
             Notes\n-----\nIn what follows names are those of Rust.\n\nAlong ``axis``.\n\n* ``a``: ``x | y``\n\nUnits: none.\n\nCompared with PyLops 2.8.0 ``A``.\n\nReferences\n----------\nB, C 1 (2000).\n"
        );
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let mut text = String::new();
        paragraph(&mut text, &"word ".repeat(40));
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH) && text.lines().count() == 4
        );
    }
}
