//! What became of the tests, and what is on record about them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::Result;
use crate::process::repository;

/// How many tests of a file ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    /// Of what is not yet part of arrayspan.
    missing: usize,
    skipped: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.missing += other.missing;
        self.skipped += other.skipped;
    }

    fn cells(self) -> [usize; 4] {
        [self.passed, self.failed, self.missing, self.skipped]
    }
}

/// What became of the tests.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    files: BTreeMap<String, Counts>,
    /// Tests that failed, and why.
    failed: Vec<(String, String)>,
    /// What tests ask for that there is not, by file.
    missing: BTreeMap<String, Vec<String>>,
}

impl Outcomes {
    /// Takes the lines of the plug-in of a file.
    pub(super) fn read(&mut self, file: &str, lines: &str) {
        let mut counts = Counts::default();
        for line in lines.lines() {
            let mut cells = line.split('\t');
            let (outcome, test) =
                (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            let why = cells.next().unwrap_or_default();
            match outcome {
                "passed" => counts.passed += 1,
                "skipped" => counts.skipped += 1,
                "missing" => {
                    counts.missing += 1;
                    let what = why.split(" is not yet").next().unwrap_or(why);
                    let what = what.rsplit(": ").next().unwrap_or(what).to_owned();
                    let known = self.missing.entry(file.to_owned()).or_default();
                    if !known.contains(&what) {
                        known.push(what);
                    }
                }
                _ => {
                    counts.failed += 1;
                    self.failed.push((test.to_owned(), why.to_owned()));
                }
            }
        }
        self.files.insert(file.to_owned(), counts);
    }

    /// A line for each test that failed.
    pub(super) fn failures(&self) -> String {
        self.failed.iter().fold(String::new(), |mut text, (test, why)| {
            let _ = writeln!(text, "{test}: {why}");
            text
        })
    }

    /// The table, in Markdown.
    pub(super) fn table(&self) -> String {
        let mut text =
            "| file | passed | failed | not implemented | skipped |\n|---|---|---|---|---|\n"
                .to_owned();
        let mut all = Counts::default();
        for (file, counts) in &self.files {
            all.add(*counts);
            let [passed, failed, missing, skipped] = counts.cells();
            let what = self.missing.get(file).map_or_else(String::new, |names| {
                format!(
                    ": {}",
                    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )
            });
            let _ =
                writeln!(text, "| `{file}` | {passed} | {failed} | {missing}{what} | {skipped} |");
        }
        let [passed, failed, missing, skipped] = all.cells();
        let _ = writeln!(text, "| all | {passed} | {failed} | {missing} | {skipped} |");
        text
    }
}

/// What is on record: numbers of files, and reasons of tests that fail.
#[derive(Debug)]
pub(super) struct Record {
    files: BTreeMap<String, Counts>,
    /// The beginning of the name of a test, and why it fails.
    reasons: Vec<(String, String)>,
    table: String,
}

const COMMENT: &str = "# PyLops' tests on arrayspan.pylops: `file passed failed missing skipped`, written by \
    `cargo xtask pylops-tests --write`;\n# and, by hand, `reason test why`: why tests fail whose names begin so.\n";

impl Record {
    pub(super) fn read() -> Result<Self> {
        let text = fs::read_to_string(path())?;
        let mut record = Self { files: BTreeMap::new(), reasons: Vec::new(), table: String::new() };
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let cells: Vec<&str> = line.split('\t').collect();
            match cells[..] {
                ["reason", test, why] => record.reasons.push((test.to_owned(), why.to_owned())),
                [file, passed, failed, missing, skipped] => {
                    let counts = Counts {
                        passed: passed.parse()?,
                        failed: failed.parse()?,
                        missing: missing.parse()?,
                        skipped: skipped.parse()?,
                    };
                    record.files.insert(file.to_owned(), counts);
                }
                _ => return Err(format!("{}: what is `{line}`?", path().display()).into()),
            }
        }
        Ok(record)
    }

    /// What is worse than what is on record: fewer tests that pass, a failure without a reason.
    pub(super) fn worse(&self, now: &Outcomes) -> Vec<String> {
        let mut worse = Vec::new();
        for (file, before) in &self.files {
            let after = now.files.get(file).copied().unwrap_or_default();
            if after.passed < before.passed || after.failed > before.failed {
                worse.push(format!(
                    "{file}: {} passed and {} failed, where {} passed and {} failed",
                    after.passed, after.failed, before.passed, before.failed
                ));
            }
        }
        for (test, why) in &now.failed {
            if !self.reasons.iter().any(|(known, _)| test.starts_with(known.as_str())) {
                worse.push(format!("{test} failed: {why}"));
            }
        }
        worse
    }

    /// Takes the numbers over.
    pub(super) fn take(&mut self, now: &Outcomes) {
        self.files.clone_from(&now.files);
        self.table = now.table();
    }

    /// Writes the numbers, and the table between its marks in the documentation.
    pub(super) fn write(&self) -> Result {
        let mut text = COMMENT.to_owned();
        for (file, counts) in &self.files {
            let [passed, failed, missing, skipped] = counts.cells();
            let _ = writeln!(text, "{file}\t{passed}\t{failed}\t{missing}\t{skipped}");
        }
        for (test, why) in &self.reasons {
            let _ = writeln!(text, "reason\t{test}\t{why}");
        }
        fs::write(path(), text)?;
        let page = repository().join("docs/pylops.md");
        let text = fs::read_to_string(&page)?;
        let (begin, end) = ("<!-- tests of PyLops -->\n", "<!-- end -->");
        let marks = text.find(begin).map(|at| at + begin.len());
        let Some((from, to)) = marks.and_then(|from| Some((from, from + text[from..].find(end)?)))
        else {
            return Err("docs/pylops.md has no place for the table".into());
        };
        Ok(fs::write(page, format!("{}\n{}\n{}", &text[..from], self.table, &text[to..]))?)
    }
}

fn path() -> PathBuf {
    repository().join("xtask/src/pylops_tests/record.tsv")
}
