//! What verbs, operators and a solver cost on the host, by the number of cores: the section
//! "By the number of cores" of `docs/benchmarks.md`.
//!
//! ```text
//! cargo bench --bench host -- [--all] [CORES,CORES,...] [NAME-PART]
//! ```
//!
//! Rows with goals in milliseconds and what they are made of; with `--all` also those whose goal is the rate of memory, of
//! which there are many. Sizes are fixed. Each number of cores is a process of its own, limited by `RAYON_NUM_THREADS` and, where `taskset`
//! is installed, by its affinity; the program starts itself again and needs no files. Each row is printed as soon as it is
//! measured, the largest number of cores first; at the end comes the table: milliseconds (the median) for each number of
//! cores, then, at the largest one, GB/s of the bytes that must move, what part that is of the rate at which the same
//! cores copy memory, GFLOP/s, and the goal on 16 cores. Calls are made on a thread that is not one of rayon's, as by
//! users.

mod data;
mod measure;
mod rates;
mod rows;
mod table;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use measure::{Failure, memory_rate};
use rates::rates;
use rows::{Row, goals};
use table::Table;

/// The rows whose names have `part` in them.
fn rows(all: bool, part: &str) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    goals(&mut rows)?;
    if all {
        rates(&mut rows)?;
    }
    rows.retain(|row| row.name.contains(part));
    Ok(rows)
}

/// Measures rows in this process, and prints each when it is done.
fn measure(rows: &[Row], cores: usize) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:.6}\tmemory", memory_rate(cores))?;
    for row in rows {
        match (row.run)() {
            Ok(time) => writeln!(out, "{time:.6}\t{}", row.name)?,
            Err(failure) => eprintln!("{}: {failure}", row.name),
        }
        out.flush()?;
    }
    Ok(())
}

/// What another process measures on so many cores; `seen` is told of each row at once.
fn measured(
    words: &[String],
    cores: usize,
    mut seen: impl FnMut(&str, f64),
) -> Result<BTreeMap<String, f64>, Failure> {
    let program = std::env::current_exe()?;
    let pins = Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut command = if pins {
        let mut command = Command::new("taskset");
        command.arg("-c").arg(format!("0-{}", cores - 1)).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.args(["--measure", &cores.to_string()]).args(words);
    command.env("RAYON_NUM_THREADS", cores.to_string()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let mut figures = BTreeMap::new();
    for line in lines {
        let line = line?;
        let Some((figure, name)) = line.split_once('\t') else { continue };
        let figure = figure.parse()?;
        seen(name, figure);
        figures.insert(name.to_owned(), figure);
    }
    let status = child.wait()?;
    if !status.success() {
        return Err(format!("the measurement on {cores} cores failed: {status}").into());
    }
    Ok(figures)
}

/// What was asked for.
struct Asked<'w> {
    all: bool,
    cores: Vec<usize>,
    part: &'w str,
}

impl<'w> Asked<'w> {
    /// # Errors
    /// A word that is no option, no list of numbers, and not the one part of a name.
    fn of(words: &'w [String]) -> Result<Self, Failure> {
        let mut asked = Self { all: false, cores: Vec::new(), part: "" };
        for word in words {
            if word == "--all" {
                asked.all = true;
            } else if word.starts_with('-') {
                return Err(format!("{word:?} is not an option; there is --all").into());
            } else if word.starts_with(|first: char| first.is_ascii_digit()) {
                let numbers = word.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>();
                asked.cores = numbers.map_err(|_| format!("{word:?} is no list of cores"))?;
            } else if asked.part.is_empty() {
                asked.part = word;
            } else {
                return Err(
                    format!("{word:?} is the second part of a name; there may be one").into()
                );
            }
        }
        Ok(asked)
    }
}

fn main() -> Result<(), Failure> {
    let mut words: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let of_child = words.first().is_some_and(|word| word == "--measure");
    let child = match &words[..] {
        [_, cores, ..] if of_child => Some(cores.parse()?),
        _ => None,
    };
    words.drain(..if of_child { 2 } else { 0 });
    let asked = Asked::of(&words)?;
    let rows = rows(asked.all, asked.part)?;
    if let Some(cores) = child {
        return measure(&rows, cores);
    }
    if rows.is_empty() {
        return Err(format!("no row has {:?} in its name", asked.part).into());
    }
    let available = std::thread::available_parallelism()?.get();
    let mut cores = asked.cores;
    if let Some(wrong) = cores.iter().find(|cores| !(1..=available).contains(*cores)) {
        return Err(format!("{wrong} cores: there are 1 to {available}").into());
    }
    if cores.is_empty() {
        cores.extend([1, 2, 16].into_iter().filter(|cores| *cores <= available));
    }
    cores.sort_unstable();
    let mut table = Table::new(&rows);
    for cores in cores.into_iter().rev() {
        let figures = measured(&words, cores, |name, figure| {
            println!("{cores:>3} cores {figure:>10.3}  {name}");
        })?;
        table.add(cores, figures);
    }
    table.print();
    Ok(())
}
