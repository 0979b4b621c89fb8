//! The parameters of Python's constructors, as `operators.pyi` declares them.

/// A function and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) returns: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// In words: `sequence of float`.
    pub(super) kind: String,
    pub(super) default: Option<String>,
}

/// The functions that stubs declare.
pub(super) fn read(stubs: &str) -> Vec<Signature> {
    let declared = stubs.split("\ndef ").skip(1);
    declared.filter_map(one).collect()
}

fn one(text: &str) -> Option<Signature> {
    let (name, rest) = text.split_once('(')?;
    let (parameters, rest) = rest.split_once(") -> ")?;
    let parameters = parts(parameters, ',').into_iter().filter_map(parameter).collect();
    let returns = words(rest.split(": ...").next().unwrap_or(rest));
    Some(Signature { name: name.to_owned(), parameters, returns })
}

/// `axis: int = 0`; the star before those that are given by name is none.
fn parameter(text: &str) -> Option<Parameter> {
    let (name, rest) = text.split_once(':')?;
    let (kind, default) = match parts(rest, '=')[..] {
        [kind, default] => (kind, Some(default.trim().to_owned())),
        _ => (rest, None),
    };
    let kind = parts(kind, '|').into_iter().map(words).collect::<Vec<_>>().join(" or ");
    Some(Parameter { name: name.trim().to_owned(), kind, default })
}

/// What a type is called in documentation.
fn words(kind: &str) -> String {
    let kind = kind.trim();
    let within = |outer: &str| kind.strip_prefix(outer)?.strip_prefix('[')?.strip_suffix(']');
    if let Some(choices) = within("Literal") {
        return format!("{{{choices}}}");
    }
    if let Some(element) = within("Sequence") {
        return format!("sequence of {}", words(element));
    }
    if let Some(elements) = within("tuple") {
        let elements: Vec<String> = parts(elements, ',').into_iter().map(words).collect();
        return format!("({})", elements.join(", "));
    }
    match kind {
        "ArrayLike" => "array_like".into(),
        "Shape" => "int or tuple of int".into(),
        "DType" => "dtype or its name".into(),
        "DeviceLike" => "device or its name".into(),
        "Any" => "object".into(),
        _ => kind.into(),
    }
}

/// The parts between separators that are in no brackets or quotes.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quoted) = (Vec::new(), 0, 0_usize, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ if character == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_with_their_types_and_defaults() {
        let stubs = "import x\n\ndef A(\n    shape: Shape,\n    axes: tuple[int, int] = (-2, -1),\n    *,\n    \
                     kind: Literal[\"a\", \"b=c\"] | None = None,\n) -> Operator: ...\ndef B() -> Operator: ...\n";
        let [a, b] = &read(stubs)[..] else { panic!("two functions") };
        assert_eq!((&*a.name, a.parameters.len()), ("A", 3));
        let shown = |at: usize| (&*a.parameters[at].kind, a.parameters[at].default.as_deref());
        assert_eq!(shown(0), ("int or tuple of int", None));
        assert_eq!(shown(1), ("(int, int)", Some("(-2, -1)")));
        assert_eq!(shown(2), ("{\"a\", \"b=c\"} or None", Some("None")));
        assert_eq!((&*b.name, b.parameters.len(), &*b.returns), ("B", 0, "Operator"));
    }
}
