//! Which part of the conformance suite and of the verbs' tests runs where kernels are compiled slowly.

use std::process::Command;

use crate::environment::Environment;
use crate::process::repository;

const SEED: &str = "ARRAYSPAN_TEST_SEED";
const FULL: &str = "ARRAYSPAN_TEST_FULL";

/// Everything, or the sample that a number decides about: the user's, else the commit's, so that a commit is tested by
/// the same sample everywhere and the next one by another.
pub(crate) fn choose(environment: &mut Environment, full: bool) {
    if full {
        environment.set(FULL, "1");
        return;
    }
    if std::env::var(FULL).is_ok_and(|full| !full.is_empty() && full != "0") {
        return;
    }
    let seed = std::env::var(SEED).ok().filter(|seed| !seed.is_empty());
    let seed = seed.unwrap_or_else(|| seed_of(&commit()).to_string());
    println!("skipped: on PoCL a sample runs, {SEED}={seed}; everything with --full");
    environment.set(SEED, seed);
}

/// Whether the sample has number `at` of things of which it has one in `of`: another one with the next seed. Everything has all.
pub(crate) fn has(environment: &Environment, at: usize, of: u64) -> bool {
    let seed = environment.value(SEED).and_then(|seed| seed.to_str()?.parse::<u64>().ok());
    seed.is_none_or(|seed| seed % of == at as u64 % of)
}

/// The commit that is tested, or nothing.
fn commit() -> String {
    let mut git = Command::new("git");
    let output = git.args(["rev-parse", "HEAD"]).current_dir(repository()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// The number that the first digits of a commit's name are.
fn seed_of(commit: &str) -> u32 {
    let digits: String = commit.chars().take(8).collect();
    u32::from_str_radix(&digits, 16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_seed_has_one_and_full_means_all() {
        let mut environment = Environment::default();
        assert!((0..3).all(|at| has(&environment, at, 3)));
        for seed in 0..6_u64 {
            environment.set(SEED, seed.to_string());
            let found: Vec<usize> = (0..3).filter(|&at| has(&environment, at, 3)).collect();
            assert_eq!(found, [seed as usize % 3]);
        }
    }

    #[test]
    fn a_commit_has_one_seed_and_no_commit_has_one_too() {
        assert_eq!(seed_of("4e2c860aaaaaaaaa\n"), 0x4e2c_860a);
        assert_eq!(seed_of("ffffffffffff"), u32::MAX);
        assert_eq!((seed_of(""), seed_of("fatal: not a repository")), (0, 0));
    }
}
