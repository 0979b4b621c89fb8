//! What verbs, operators and a solver cost on the host, by the number of cores: the section
//! "By the number of cores" of `docs/benchmarks.md`.
//!
//! ```text
//! cargo bench --bench host -- [CORES,CORES,...] [NAME-PART]
//! ```
//!
//! Each number of cores is a process of its own, limited by `RAYON_NUM_THREADS` and, where `taskset` is installed, by its
//! affinity; the program starts itself again and needs no files. Prints a table: milliseconds (the median) for each number
//! of cores, then, at the largest one, GB/s of the bytes that must move, what part that is of the rate at which the same
//! cores copy memory, GFLOP/s, and the goal on 16 cores. Calls are made on a thread that is not one of rayon's, as by users.

mod measure;
mod rates;
mod rows;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use measure::{Failure, memory_rate};
use rates::rates;
use rows::{Goal, Row, goals};

/// All rows.
fn rows() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    goals(&mut rows)?;
    rates(&mut rows)?;
    Ok(rows)
}

/// Measures the rows whose names have `part` in them, in this process.
fn measure(part: &str, cores: usize) -> Result<(), Failure> {
    println!("{:.6}\tmemory", memory_rate(cores));
    for row in rows()?.iter().filter(|row| row.name.contains(part)) {
        match (row.run)() {
            Ok(time) => println!("{time:.6}\t{}", row.name),
            Err(failure) => eprintln!("{}: {failure}", row.name),
        }
    }
    Ok(())
}

/// What another process measures on so many cores.
fn measured(part: &str, cores: usize) -> Result<BTreeMap<String, f64>, Failure> {
    let program = std::env::current_exe()?;
    let pins = Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut command = if pins {
        let mut command = Command::new("taskset");
        command.arg("-c").arg(format!("0-{}", cores - 1)).arg(program);
        command
    } else {
        Command::new(program)
    };
    let cores = cores.to_string();
    command.args(["--measure", &cores, part]).env("RAYON_NUM_THREADS", &cores);
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("the measurement on {cores} cores failed: {}", output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let parsed = text.lines().filter_map(|line| {
        let (time, name) = line.split_once('\t')?;
        Some((name.to_owned(), time.parse().ok()?))
    });
    Ok(parsed.collect())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, cores, part] = &words[..]
        && flag == "--measure"
    {
        return measure(part, cores.parse()?);
    }
    let available = std::thread::available_parallelism()?.get();
    let counted = |word: &String| word.starts_with(|letter: char| letter.is_ascii_digit());
    let cores: Vec<usize> = match words.first().filter(|word| counted(word)) {
        Some(list) => list.split(',').map(str::parse).collect::<Result<_, _>>()?,
        None => [1, 2, 4, 8, 16].into_iter().filter(|cores| *cores <= available).collect(),
    };
    let part = words.last().filter(|word| !counted(word)).map_or("", String::as_str);
    let figures = cores.iter().map(|cores| measured(part, *cores));
    let figures = figures.collect::<Result<Vec<_>, _>>()?;
    let Some(last) = figures.last() else { return Ok(()) };
    let memory = last.get("memory").copied().unwrap_or(f64::NAN);

    let heads: Vec<String> = cores.iter().map(|cores| format!("{cores:>9}")).collect();
    println!(
        "{:58}{}{:>9}{:>7}{:>9}  goal on 16",
        "ms on cores",
        heads.concat(),
        "GB/s",
        "share",
        "GFLOP/s"
    );
    let rates: Vec<String> = figures
        .iter()
        .map(|of| format!("{:>9.1}", of.get("memory").unwrap_or(&f64::NAN)))
        .collect();
    println!("{:58}{}", "GB/s at which memory is copied", rates.concat());
    for row in rows()?.iter().filter(|row| row.name.contains(part)) {
        let times = figures.iter().map(|of| of.get(&row.name).copied().unwrap_or(f64::NAN));
        let times: Vec<f64> = times.collect();
        let columns: Vec<String> = times.iter().map(|time| format!("{time:>9.3}")).collect();
        let seconds = times.last().unwrap_or(&f64::NAN) / 1e3;
        let (rate, work) = (row.bytes / seconds / 1e9, row.flops / seconds / 1e9);
        let share = rate / memory;
        let (goal, kept) = match row.goal {
            Goal::Milliseconds(most) => (format!("<= {most} ms"), seconds * 1e3 <= most),
            Goal::Share(least) => (format!("share >= {least}"), share >= least),
            Goal::None => (String::new(), true),
        };
        let missed = if kept { "" } else { "  MISSED" };
        let columns = columns.concat();
        println!("{:58}{columns}{rate:>9.1}{share:>7.2}{work:>9.1}  {goal}{missed}", row.name);
    }
    Ok(())
}
