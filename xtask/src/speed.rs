//! How fast this machine is, against the one that the budget is stated for.
//!
//! The same work takes machines of one kind, and one machine at different hours, times that differ by more than two: cores are
//! shared with others, and two of them may be one. What most of the command does is to compile, so a text that is always the
//! same is compiled, by as many compilers at once as there are cores in the budget.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Result;
use crate::process::local;
use crate::steps::{CORES, processor};

/// What the compilers take of processors on the machine that the budget is stated for: two idle cores of an AMD EPYC of 2023.
const REFERENCE: Duration = Duration::from_millis(4_700);

/// Functions in the text.
const FUNCTIONS: usize = 100;

/// How many times as long as there the same work takes here, as measured several times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Speed {
    measured: Vec<f64>,
}

impl Speed {
    /// Measures once more. Where that is not possible, nothing is known, and nothing is corrected.
    pub(crate) fn measure(&mut self) {
        match took() {
            Ok(took) => self.measured.push(took.as_secs_f64() / REFERENCE.as_secs_f64()),
            Err(error) => eprintln!("the speed of this machine was not measured: {error}"),
        }
    }

    /// How many times as long the same work takes here, in the mean; 1 if that is not known. A measurement that was disturbed
    /// cannot make much of little: a machine counts as at most four times as slow or as fast.
    pub(crate) fn slowness(&self) -> f64 {
        let count = self.measured.len();
        if count == 0 {
            return 1.0;
        }
        (self.measured.iter().sum::<f64>() / count as f64).clamp(0.25, 4.0)
    }
}

/// What the compilers take of processors, all of them.
fn took() -> Result<Duration> {
    let file = local("speed.rs");
    fs::create_dir_all(local(""))?;
    fs::write(&file, text())?;
    let before = processor().ok_or("no times of processes")?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compile = |at: u32| {
        let words =
            ["--edition=2024", "--crate-type=lib", "--emit=obj", "-Copt-level=1", "-Awarnings"];
        let mut command = Command::new(&rustc);
        command.args(words).arg("-o").arg(local(&format!("speed-{at}.o"))).arg(&file);
        command.stdin(Stdio::null()).spawn()
    };
    let compilers = (0..CORES).map(compile).collect::<std::io::Result<Vec<_>>>()?;
    for mut compiler in compilers {
        if !compiler.wait()?.success() {
            return Err("the compiler failed".into());
        }
    }
    Ok(processor().ok_or("no times of processes")?.saturating_sub(before))
}

/// Functions with loops, iterators and branches, each with numbers of its own.
fn text() -> String {
    let mut text = String::new();
    for at in 0..FUNCTIONS {
        let _ = write!(
            text,
            "pub fn f{at}(x: &[f64], names: &mut std::collections::BTreeMap<u{bits}, String>) -> f64 {{\n\
             \x20   let mut sums = [0.0; {len}];\n\
             \x20   for (place, x) in x.iter().enumerate().skip({at}) {{ sums[place % {len}] += x * {at}.5; }}\n\
             \x20   let kept: Vec<f64> = sums.iter().copied().filter(|sum| *sum > {at}.0).map(f64::sqrt).collect();\n\
             \x20   names.entry({bits}).or_default().push_str(&format!(\"{{:?}} of {at}\", kept));\n\
             \x20   match names.len() {{ {at} => kept.iter().sum(), 7 => sums[0], _ => kept.len() as f64 }}\n\
             }}\n",
            bits = [8, 16, 32, 64][at % 4],
            len = at % 7 + 3,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_averaged_and_what_is_not_known_corrects_nothing() {
        let of = |measured: &[f64]| Speed { measured: measured.to_vec() }.slowness();
        assert!((of(&[]) - 1.0).abs() < 1e-12);
        assert!((of(&[1.0, 3.0]) - 2.0).abs() < 1e-12);
        assert!((of(&[100.0]) - 4.0).abs() < 1e-12 && (of(&[0.0]) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn the_text_is_always_the_same() {
        assert_eq!(text(), text());
        assert_eq!(text().matches("pub fn").count(), FUNCTIONS);
    }
}
