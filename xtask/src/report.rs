//! What the output of `cargo test -- --show-output` says, line by line.

use std::collections::BTreeMap;

use crate::spent::Spent;

/// What ran, what failed and what was skipped.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
    /// How many tests gave each reason for not doing anything.
    pub(crate) skipped: BTreeMap<String, usize>,
    /// What the tests of operators cost.
    pub(crate) spent: Spent,
    /// Steps that did not run, and why.
    pub(crate) skipped_steps: Vec<(String, String)>,
    section: Section,
}

/// Where in the output of one test program the reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Progress,
    Successes,
    Failures,
}

impl Report {
    /// The output of another program begins, wherever that of the last one broke off.
    pub(crate) fn begin(&mut self) {
        self.section = Section::Progress;
    }

    /// A step does not run.
    pub(crate) fn skip_step(&mut self, step: &str, why: &str) {
        self.skipped_steps.push((step.to_owned(), why.to_owned()));
    }

    /// Takes in one line; whether a person wants to see it.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        self.skip(line);
        if self.spent.take(line) {
            return false;
        }
        match line {
            "successes:" => self.section = Section::Successes,
            "failures:" => self.section = Section::Failures,
            _ if line.starts_with("test result: ") => {
                self.section = Section::Progress;
                self.count(line);
                return true;
            }
            _ => {}
        }
        match self.section {
            Section::Failures => true,
            Section::Successes => false,
            Section::Progress => {
                let dull = line.is_empty()
                    || line.starts_with("running ")
                    || line.starts_with("test ") && !line.ends_with("FAILED");
                !dull
            }
        }
    }

    /// Takes in one line of the errors, where cargo tells what it does and threads that tests start write.
    pub(crate) fn take_error(&mut self, line: &str) -> bool {
        // PoCL says that its compiler had warnings for every kernel.
        let dull = line.ends_with("warning generated.") || line.ends_with("warnings generated.");
        !self.skip(line) && !dull
    }

    fn skip(&mut self, line: &str) -> bool {
        let Some(reason) = line.strip_prefix("skipped: ") else { return false };
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
        true
    }

    /// `test result: ok. 12 passed; 0 failed; 1 ignored; …`
    fn count(&mut self, line: &str) {
        let words: Vec<&str> = line.split([' ', ';']).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let Ok(number) = pair[0].parse::<usize>() else { continue };
            match pair[1] {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 3 tests
test cpu::dot_test ... ok
test cuda::dot_test ... ok
test cuda::is_linear ... FAILED

successes:

---- cuda::dot_test stdout ----
skipped: no CUDA device


successes:
    cpu::dot_test
    cuda::dot_test

failures:

---- cuda::is_linear stdout ----
it is bent

failures:
    cuda::is_linear

test result: FAILED. 2 passed; 1 failed; 4 ignored; 0 measured; 0 filtered out; finished in 0.33s
";

    #[test]
    fn counts_what_ran_and_what_was_skipped() {
        let mut report = Report::default();
        let shown: Vec<&str> = OUTPUT.lines().filter(|line| report.take(line)).collect();
        assert!(!report.take_error("2 warnings generated.") && report.take_error("error: no"));
        assert_eq!((report.passed, report.failed, report.ignored), (2, 1, 4));
        assert_eq!(report.skipped.into_iter().collect::<Vec<_>>(), [("no CUDA device".into(), 1)]);
        assert!(
            shown.contains(&"it is bent") && shown.contains(&"test cuda::is_linear ... FAILED")
        );
        assert!(!shown.iter().any(|line| line.contains("cpu::dot_test")));
    }
}
