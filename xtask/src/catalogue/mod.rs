//! `docs/operators.md`: every operator in one table, written from the documentation of its constructor.

mod entry;
mod page;

use std::fs;
use std::path::PathBuf;

use crate::Result;
use crate::documentation::each_source;
use crate::process::repository;
use entry::Entry;

/// Writes the page anew.
pub(crate) fn run() -> Result {
    fs::write(path(), page::of(&entries()?))?;
    Ok(())
}

/// Whether the page is what would be written now.
pub(crate) fn check() -> Result<bool> {
    let same = fs::read_to_string(path()).unwrap_or_default() == page::of(&entries()?);
    if !same {
        eprintln!("error: docs/operators.md is not what its sources say: cargo xtask catalogue");
    }
    Ok(same)
}

fn path() -> PathBuf {
    repository().join("docs/operators.md")
}

/// The operators, by family and name.
fn entries() -> Result<Vec<Entry>> {
    let mut found: Vec<Result<Entry, String>> = Vec::new();
    let root = repository();
    each_source(&root.join("operators/src"), &mut |path, text| {
        let file = path.strip_prefix(&root).unwrap_or(path);
        found.extend(entry::read(&file.to_string_lossy().replace('\\', "/"), text));
    })?;
    let mut entries = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    entries.sort_by(|a, b| (&a.family, &a.name).cmp(&(&b.family, &b.name)));
    Ok(entries)
}
