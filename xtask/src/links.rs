//! Links that lead nowhere: between the pages of the documentation as it was just built, and between the files of the
//! repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::package::files;
use crate::packages;
use crate::process::repository;

/// A link of tracing's, on the page of every type: that of a trait which all types have.
const NOT_OURS: &str = "dispatcher";

/// As [`check`], as a chore.
pub(crate) fn run() -> Result {
    if check()? { Ok(()) } else { Err("links lead nowhere".into()) }
}

/// Whether all links lead somewhere. rustdoc checks those to items itself, and takes any other as it stands: what works
/// beside a README is broken on every other site.
pub(crate) fn check() -> Result<bool> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let documentation = repository().join(target).join("doc");
    let mut broken = Vec::new();
    for package in packages::all()?.iter().filter(|package| package.is_published()) {
        let pages = documentation.join(package.name.replace('-', "_"));
        files(&pages, &mut |page| broken.extend(broken_in(page, "html", &["href=\""], '"')))?;
        for entry in fs::read_dir(&package.folder)? {
            broken.extend(broken_in(&entry?.path(), "md", &["](", "]: "], ')'));
        }
    }
    files(&repository().join("docs"), &mut |page| {
        broken.extend(broken_in(page, "md", &["](", "]: "], ')'));
    })?;
    for line in &broken {
        eprintln!("error: {line}");
    }
    Ok(broken.is_empty())
}

/// The links of a page that lead to no file, if its name ends so. A link follows one of `starts` and goes on to `end` or the
/// end of the line.
fn broken_in(page: &Path, extension: &str, starts: &[&str], end: char) -> Vec<String> {
    if page.extension().is_none_or(|found| found != extension) {
        return Vec::new();
    }
    let Ok(text) = fs::read_to_string(page) else { return Vec::new() };
    let text = if extension == "md" { without_code(&text) } else { text };
    let beside = page.parent().unwrap_or(page);
    let links = starts.iter().flat_map(|start| links(&text, start, end));
    let broken = links.filter(|link| !beside.join(link).exists());
    broken.map(|link| format!("{}: {link} leads nowhere", page.display())).collect()
}

/// A page of Markdown without its programs, in which brackets are no links.
fn without_code(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// The files that a page links, without what is on other sites or on the page itself.
fn links<'t>(text: &'t str, start: &'t str, end: char) -> impl Iterator<Item = &'t str> {
    text.match_indices(start).filter_map(move |(at, _)| {
        let rest = &text[at + start.len()..];
        let link = rest.split([end, '\n', ' ']).next()?;
        let path = link.split(['#', '?']).next()?;
        // A `$` is put in by a script.
        let elsewhere = path.is_empty() || path.contains([':', '$']) || path == NOT_OURS;
        (!elsewhere).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_files_are_looked_at() {
        let text = "[a](docs/a.md) [b](https://b.org/c) [c](#part) [d](e.md#part)\n[f]: f.md\n";
        let found: Vec<_> = links(text, "](", ')').chain(links(text, "]: ", ')')).collect();
        assert_eq!(found, ["docs/a.md", "e.md", "f.md"]);
    }

    #[test]
    fn programs_have_no_links() {
        let text = "[a](a.md)\n```rust\nf([x]: [&mut T; 2], a[0](1));\n```\n[b]: b.md\n";
        let text = without_code(text);
        let found: Vec<_> = links(&text, "](", ')').chain(links(&text, "]: ", ')')).collect();
        assert_eq!(found, ["a.md", "b.md"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let page = repository().join("README.md");
        assert_eq!(broken_in(&page, "md", &["]("], ')'), Vec::<String>::new());
        // The same page where its links do not lead.
        let elsewhere = env::temp_dir().join(format!("arrayspan-{}.md", std::process::id()));
        fs::copy(&page, &elsewhere).unwrap();
        let broken = broken_in(&elsewhere, "md", &["]("], ')');
        fs::remove_file(&elsewhere).unwrap();
        assert!(broken.iter().any(|line| line.contains("docs/benchmarks.md")), "{broken:?}");
    }
}
