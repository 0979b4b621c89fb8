//! Parts of test programs that run in processes of their own.
//!
//! `OpenCL` calls of one process wait for each other, so a program keeps one core busy. Its tests are dealt out to
//! several processes: those of one module stay together, because they use the same kernels.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::programs::Program;

/// Tests of a program that run in one process.
#[derive(Clone, Debug)]
pub(crate) struct Shard {
    pub(crate) program: Arc<Program>,
    /// `conformance-conformance 3/8`, or the program's where it is not divided.
    pub(crate) name: String,
    /// Which part of the program, from zero on.
    pub(crate) number: usize,
    /// Their names; none for all tests of the program.
    pub(crate) tests: Vec<String>,
    /// What it is likely to take, in tests on the host.
    pub(crate) weight: usize,
}

impl Shard {
    /// Whether it is all tests that its program has.
    pub(crate) fn is_whole(&self) -> bool {
        self.tests.is_empty()
    }
}

/// About what a process is worth its start.
const WORTH_A_PROCESS: usize = 250;
const MOST_SHARDS: usize = 12;

/// The names of tests in what a program answers to `--list`.
pub(crate) fn listed(output: &str) -> Vec<String> {
    output.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

/// What a test takes, in tests on the host: on `OpenCL` kernels are compiled.
fn weight(test: &str) -> usize {
    if test.contains("opencl") { 12 } else { 1 }
}

/// Deals the tests of a program out. `tests` are all of them, or those that are wanted.
pub(crate) fn shards(program: &Arc<Program>, tests: &[String], all: bool) -> Vec<Shard> {
    let total: usize = tests.iter().map(|test| weight(test)).sum();
    let count = total.div_ceil(WORTH_A_PROCESS).clamp(1, MOST_SHARDS);
    let parts = split(tests, count);
    let count = parts.len();
    let shard = |(number, tests): (usize, Vec<String>)| {
        let weight = tests.iter().map(|test| weight(test)).sum();
        let name = match count {
            1 => program.name.clone(),
            _ => format!("{} {}/{count}", program.name, number + 1),
        };
        let tests = if count == 1 && all { Vec::new() } else { tests };
        Shard { program: program.clone(), name, number, tests, weight }
    };
    parts.into_iter().enumerate().map(shard).collect()
}

/// At most `count` parts of about the same weight; tests of one module stay together.
fn split(tests: &[String], count: usize) -> Vec<Vec<String>> {
    let mut modules: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for test in tests {
        let module = test.rsplit_once("::").map_or("", |(module, _)| module);
        modules.entry(module).or_default().push(test);
    }
    let total = |tests: &[&String]| -> usize { tests.iter().map(|test| weight(test)).sum() };
    let mut modules: Vec<Vec<&String>> = modules.into_values().collect();
    // Heaviest first, each to the part that has least: a stable sort, so that the outcome is always the same.
    modules.sort_by_key(|tests| std::cmp::Reverse(total(tests)));
    let mut parts: Vec<(usize, Vec<String>)> = vec![(0, Vec::new()); count.max(1)];
    for tests in modules {
        let Some(part) = parts.iter_mut().min_by_key(|part| part.0) else { continue };
        part.0 += total(&tests);
        part.1.extend(tests.into_iter().cloned());
    }
    parts.into_iter().map(|(_, tests)| tests).filter(|tests| !tests.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn program() -> Arc<Program> {
        Arc::new(Program {
            name: "kernels-verbs".into(),
            kind: "test".into(),
            path: "/t/verbs-1".into(),
            package: "/a/kernels".into(),
            tests: true,
        })
    }

    fn names() -> Vec<String> {
        let devices = ["cpu", "cuda", "opencl"];
        let tests = (0..40).flat_map(|verb| (0..3).map(move |test| (verb, test)));
        tests
            .flat_map(|(verb, test)| devices.map(|d| format!("{d}::verb{verb}::test{test}")))
            .collect()
    }

    #[test]
    fn tests_are_read_from_a_list() {
        let list = "a::b: test\nc: test\nd: benchmark\n\n3 tests, 1 benchmark\n";
        assert_eq!(listed(list), ["a::b", "c"]);
    }

    #[test]
    fn every_test_is_in_one_shard_and_modules_stay_together() {
        let names = names();
        let shards = shards(&program(), &names, true);
        assert!(shards.len() > 1, "{}", shards.len());
        let found: Vec<&String> = shards.iter().flat_map(|shard| &shard.tests).collect();
        assert_eq!(found.len(), names.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), names.iter().collect());
        for shard in &shards {
            let module = |test: &String| test.rsplit_once("::").unwrap().0.to_owned();
            for module in shard.tests.iter().map(module) {
                let tests = names.iter().filter(|name| name.starts_with(&format!("{module}::")));
                assert!(tests.clone().all(|test| shard.tests.contains(test)), "{module}");
            }
        }
    }

    #[test]
    fn shards_weigh_about_the_same() {
        let shards = shards(&program(), &names(), true);
        let weights = || shards.iter().map(|shard| shard.weight);
        let (least, most) = (weights().min().unwrap(), weights().max().unwrap());
        assert!(most - least <= 3 * 12, "{least} to {most}");
        assert_eq!(shards[1].name, format!("kernels-verbs 2/{}", shards.len()));
    }

    #[test]
    fn a_small_program_is_one_shard_and_a_part_of_it_is_named() {
        let names: Vec<String> = names().into_iter().take(6).collect();
        let whole = &shards(&program(), &names, true)[0];
        assert_eq!((whole.name.as_str(), whole.tests.len()), ("kernels-verbs", 0));
        assert_eq!(shards(&program(), &names[..2], false)[0].tests, names[..2]);
        assert!(shards(&program(), &[], false).is_empty());
    }
}
