//! `docs/operators.md`: every operator in one table, written from the documentation of its constructor.

mod entry;
mod page;

use std::fs;
use std::path::PathBuf;

use crate::Result;
use crate::docstrings;
use crate::package::files;
use crate::process::repository;
use entry::Entry;

pub(crate) use entry::without_links;

/// Writes the page anew, and what Python says of operators.
pub(crate) fn run() -> Result {
    fs::write(path(), page::of(&entries()?))?;
    docstrings::write()
}

/// Whether both are what would be written now.
pub(crate) fn check() -> Result<bool> {
    let same = fs::read_to_string(path()).unwrap_or_default() == page::of(&entries()?);
    if !same {
        eprintln!("error: docs/operators.md is not what its sources say: cargo xtask catalogue");
    }
    Ok(docstrings::check()? && same)
}

fn path() -> PathBuf {
    repository().join("docs/operators.md")
}

/// The operators, by family and name.
fn entries() -> Result<Vec<Entry>> {
    let mut found: Vec<Result<Entry, String>> = Vec::new();
    let root = repository();
    files(&root.join("operators/src"), &mut |path| {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).unwrap_or_default();
            let file = path.strip_prefix(&root).unwrap_or(path);
            found.extend(entry::read(&file.to_string_lossy().replace('\\', "/"), &text));
        }
    })?;
    let mut entries = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    entries.sort_by(|a, b| (&a.family, &a.name).cmp(&(&b.family, &b.name)));
    Ok(entries)
}
