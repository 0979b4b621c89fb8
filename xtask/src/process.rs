//! Running other programs.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::Result;

/// The folder of the workspace.
pub(crate) fn repository() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// A path in the folder for everything downloaded or built.
pub(crate) fn local(path: &str) -> PathBuf {
    repository().join(".arrayspan").join(path)
}

/// The cargo that runs this, in the repository.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(repository());
    command
}

/// Runs a program and shows what it says.
pub(crate) fn run(command: &mut Command) -> Result {
    eprintln!("+ {}", shown(command));
    let status = command.status().map_err(|error| format!("{}: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", shown(command)).into()) }
}

/// Runs a program and returns what it says on its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", shown(command)))?;
    if !output.status.success() {
        return Err(format!("{}: {}", shown(command), output.status).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program runs and succeeds; what it says is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Where a line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

/// Runs a program and hands each line it writes to `each`; whether it succeeds.
pub(crate) fn lines(command: &mut Command, mut each: impl FnMut(Stream, &str)) -> Result<bool> {
    eprintln!("+ {}", shown(command));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", shown(command)))?;
    let (sender, receiver) = channel();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let errors_to = sender.clone();
    thread::spawn(move || send_lines(output, Stream::Output, &sender));
    thread::spawn(move || send_lines(errors, Stream::Errors, &errors_to));
    for (stream, line) in receiver {
        each(stream, &line);
    }
    Ok(child.wait()?.success())
}

/// Until the stream ends or nobody listens.
fn send_lines(read: Option<impl Read>, stream: Stream, to: &Sender<(Stream, String)>) {
    let lines = read.into_iter().flat_map(|read| BufReader::new(read).split(b'\n'));
    for line in lines.map_while(std::io::Result::ok) {
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if to.send((stream, line)).is_err() {
            return;
        }
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    let program = Path::new(&*words[0])
        .file_name()
        .map_or_else(Default::default, |name| name.to_string_lossy().into_owned());
    let mut line = program;
    for word in &words[1..] {
        let short = word.lines().next().unwrap_or_default();
        line = format!("{line} {short}");
    }
    line
}
