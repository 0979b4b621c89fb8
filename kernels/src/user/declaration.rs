//! Names and parameters of user kernels, read and checked: nothing of them gets into a kernel's text but identifiers.

use super::types::Type;
use crate::{Error, Result};

/// A declared parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parameter {
    pub(crate) kind: Type,
    pub(crate) name: String,
    /// Of an output: whether its old content is read.
    pub(crate) is_read: bool,
}

/// So many arrays and numbers fit into the arguments of a launch, whatever they are.
const MOST_PARAMETERS: usize = 20;

/// The most bytes of a name.
const LONGEST: usize = 64;

/// Words of C, C++ and `OpenCL` C, and names that the text around the source has.
const RESERVED: [&str; 96] = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "complex",
    "const",
    "constant",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "event_t",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "generic",
    "global",
    "goto",
    "half",
    "half_t",
    "if",
    "imaginary",
    "inline",
    "int",
    "kernel",
    "local",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "pipe",
    "private",
    "protected",
    "public",
    "quad",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "size_t",
    "static",
    "static_assert",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uchar",
    "uint",
    "ulong",
    "union",
    "unsigned",
    "ushort",
    "using",
    "vector",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    "xor_eq",
];

/// What parameters may not end in: generated names do.
const ENDINGS: [&str; 4] = ["_at", "_re", "_im", "_value"];

/// Fails with what is wrong with a kernel's declaration.
pub(super) fn wrong<T>(kernel: &str, why: impl Into<String>) -> Result<T> {
    Err(Error::Declaration { kernel: kernel.into(), why: why.into() })
}

/// The name of a kernel: an identifier.
pub(super) fn name(text: &str) -> Result<String> {
    match identifier(text) {
        Ok(()) => Ok(text.into()),
        Err(why) => wrong(text, why),
    }
}

/// A list as `f32 x, T y, inout T z`; `taken` are names that are something else.
pub(super) fn parameters(kernel: &str, text: &str, taken: &[&str]) -> Result<Vec<Parameter>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').map(|part| parameter(kernel, part.trim(), taken)).collect()
}

fn parameter(kernel: &str, text: &str, taken: &[&str]) -> Result<Parameter> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (is_read, words) = match words.split_first() {
        Some((&"inout", rest)) => (true, rest),
        _ => (false, &words[..]),
    };
    let [kind, name] = words else {
        return wrong(kernel, format!("parameter '{}' is no type and a name", text.escape_debug()));
    };
    let Some(kind) = Type::parse(kind) else {
        let why =
            "neither a type (i8 to i64, u8 to u64, f32, f64, c64, c128) nor one capital letter";
        return wrong(kernel, format!("'{}' is {why}", kind.escape_debug()));
    };
    if let Err(why) = identifier(name) {
        return wrong(kernel, why);
    }
    let generated = ENDINGS.iter().find(|ending| name.ends_with(**ending));
    if let Some(ending) = generated {
        return wrong(kernel, format!("'{name}' ends in {ending}, as generated names do"));
    }
    if taken.contains(name) {
        return wrong(kernel, format!("'{name}' is the name of something else in this kernel"));
    }
    Ok(Parameter { kind, name: (*name).into(), is_read })
}

/// All parameters of a kernel: names that differ, at least one output, not too many.
pub(super) fn all(kernel: &str, inputs: &[Parameter], outputs: &[Parameter]) -> Result<()> {
    let mut names: Vec<&str> = inputs.iter().chain(outputs).map(|one| one.name.as_str()).collect();
    if outputs.is_empty() {
        return wrong(kernel, "it has no output");
    }
    if names.len() > MOST_PARAMETERS {
        return wrong(
            kernel,
            format!("it has {} parameters, more than {MOST_PARAMETERS}", names.len()),
        );
    }
    if let Some(input) = inputs.iter().find(|input| input.is_read) {
        return wrong(kernel, format!("'{}' is an input, and inout is for outputs", input.name));
    }
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => wrong(kernel, format!("two parameters are called '{}'", pair[0])),
        None => Ok(()),
    }
}

/// Fails unless a text is an identifier that begins with a small letter and means nothing to a compiler. Macros of the
/// text around the source are written in capitals, so none is ever met.
fn identifier(text: &str) -> Result<(), String> {
    let shown = || text.escape_debug().to_string().chars().take(LONGEST).collect::<String>();
    let letters = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !letters || !text.starts_with(|c: char| c.is_ascii_lowercase()) || text.len() > LONGEST {
        let what = "no name: small ASCII letter, then letters, digits and underscores";
        return Err(format!("'{}' is {what}, {LONGEST} at most", shown()));
    }
    let reserved = RESERVED.contains(&text)
        || text.contains("__")
        || text.starts_with("user_")
        || matches!(Type::parse(text), Some(Type::Fixed(_)));
    if reserved { Err(format!("'{text}' is a reserved word")) } else { Ok(()) }
}

/// Whether a text has an identifier, as a word of its own.
pub(super) fn names(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !word(c)).any(|found| found == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str) -> String {
        parameters("k", text, &["i"]).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn types_and_names_are_read() {
        let list = parameters("k", " T x ,c128 y_2,inout f32\tz", &[]).unwrap();
        let read: Vec<_> = list.iter().map(|one| (one.name.as_str(), one.is_read)).collect();
        assert_eq!(read, [("x", false), ("y_2", false), ("z", true)]);
        assert_eq!(list[0].kind, Type::Letter('T'));
        assert!(parameters("k", "  ", &[]).unwrap().is_empty());
    }

    #[test]
    fn nothing_but_names_gets_through() {
        let hostile = [
            "f32 x;",
            "f32 x)",
            "f32 x{}",
            "f32 *x",
            "f32 x[2]",
            "f32 x\"",
            "f32 x/**/",
            "f32 x\\",
            "f32 #x",
            "f32 X",
            "f32 _x",
            "f32 1x",
            "f32 a__b",
            "f32 é",
            "f32 while",
            "f32 f64",
            "f32 kernel",
            "f32 user_body",
            "f32 i",
            "f32 x_at",
            "f32",
            "f32 x y",
            "f32 x,",
            ",f32 x",
            "f128 x",
            "TT x",
            "t x",
            "float x",
            "f32 x\n#define y",
        ];
        for text in hostile {
            assert!(!why(text).is_empty(), "{text:?} is taken");
        }
        assert!(why(&format!("f32 {}", "x".repeat(65))).contains("no name"));
    }

    #[test]
    fn names_of_kernels_are_identifiers() {
        assert_eq!(name("saxpy_2").unwrap(), "saxpy_2");
        for hostile in ["", "a\"\n#include \"/etc/passwd", "a b", "void", "a\0", "../x", "Ä"] {
            assert!(name(hostile).is_err(), "{hostile:?} is taken");
        }
    }

    #[test]
    fn parameters_are_told_apart() {
        let list = |text| parameters("k", text, &[]).unwrap();
        let check =
            |inputs, outputs| all("k", &list(inputs), &list(outputs)).map_err(|e| e.to_string());
        assert!(check("f32 x", "f32 y").is_ok());
        assert!(check("f32 x", "f32 x").unwrap_err().contains("two parameters are called 'x'"));
        assert!(check("f32 x", "").unwrap_err().contains("no output"));
        assert!(check("inout f32 x", "f32 y").unwrap_err().contains("inout is for outputs"));
        let many: Vec<String> = (0..30).map(|n| format!("f32 x{n}")).collect();
        assert!(check(&many.join(","), "f32 y").unwrap_err().contains("31 parameters"));
    }
}
