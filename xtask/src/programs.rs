//! The programs that cargo builds.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::process::{cargo, output};

/// A program that cargo built.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Package and target: `kernels-verbs`.
    pub(crate) name: String,
    /// `lib`, `test`, `bench`, `example` or `bin`.
    pub(crate) kind: String,
    pub(crate) path: PathBuf,
    /// The folder of its package, where cargo would run it.
    pub(crate) package: PathBuf,
    /// Whether it runs tests; a `bin` may be built as itself, for those that call it.
    pub(crate) tests: bool,
}

/// Builds, and returns every program of a wanted kind that came out.
pub(crate) fn built(words: &[&str], wanted: impl Fn(&str) -> bool) -> Result<Vec<Program>> {
    built_by(&mut cargo(words), wanted)
}

/// As [`built`], by a call of cargo.
pub(crate) fn built_by(
    command: &mut Command,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Program>> {
    let messages = output(command.arg("--message-format=json-render-diagnostics"))?;
    let programs = messages.lines().filter_map(Program::from_message);
    Ok(programs.filter(|program| wanted(&program.kind)).collect())
}

impl Program {
    /// The program that one of cargo's messages tells of.
    fn from_message(message: &str) -> Option<Self> {
        let path = PathBuf::from(text_of(message, "\"executable\":\"")?);
        let (_, target) = message.split_once("\"target\":")?;
        let kind = text_of(target, "\"kind\":[\"")?;
        let package = package_of(&text_of(message, "\"package_id\":\"")?);
        let name = format!("{package}-{}", text_of(target, "\"name\":\"")?);
        let manifest = PathBuf::from(text_of(message, "\"manifest_path\":\"")?);
        let (_, profile) = message.split_once("\"profile\":{")?;
        let tests = profile.split_once('}')?.0.contains("\"test\":true");
        Some(Self { name, kind, path, package: manifest.parent()?.to_path_buf(), tests })
    }
}

/// What follows `start`, to the next quote. Cargo's messages hold no escapes in paths and names.
pub(crate) fn text_of(message: &str, start: &str) -> Option<String> {
    let (_, rest) = message.split_once(start)?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// `path+file:///…/kernels#arrayspan-kernels@0.1.0` and `path+file:///…/xtask#0.1.0` are `kernels` and `xtask`.
fn package_of(id: &str) -> String {
    let (path, name) = id.split_once('#').unwrap_or((id, id));
    let folder = || path.rsplit('/').next().unwrap_or(path);
    let name = name.split_once('@').map_or_else(folder, |(name, _)| name);
    name.trim_start_matches("arrayspan-").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///a/kernels#arrayspan-kernels@0.1.0","manifest_path":"/a/kernels/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"verbs","src_path":"/a","doctest":false,"test":true},"profile":{"opt_level":"1","test":true},"executable":"/t/verbs-1"}"#;

    #[test]
    fn programs_are_read_from_what_cargo_says() {
        let expected = Program {
            name: "kernels-verbs".into(),
            kind: "test".into(),
            path: "/t/verbs-1".into(),
            package: "/a/kernels".into(),
            tests: true,
        };
        assert_eq!(Program::from_message(MESSAGE), Some(expected));
        assert_eq!(package_of("path+file:///a/xtask#0.1.0"), "xtask");
        assert_eq!(package_of("path+file:///a#arrayspan@0.1.0"), "arrayspan");
        assert_eq!(Program::from_message(&MESSAGE.replace("\"/t/verbs-1\"", "null")), None);
    }
}
