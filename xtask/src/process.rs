//! Running other programs.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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

/// Runs a program and hands each line of its standard output to `each`; whether it succeeds. Its errors are
/// shown, but not that a kernel compiler had warnings, which `PoCL` says hundreds of times.
pub(crate) fn lines(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    eprintln!("+ {}", shown(command));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", shown(command)))?;
    let errors = child.stderr.take().map(|stderr| {
        thread::spawn(move || {
            each_line(stderr, |line| {
                let dull =
                    line.ends_with("warning generated.") || line.ends_with("warnings generated.");
                if !dull {
                    eprintln!("{line}");
                }
            })
        })
    });
    if let Some(stdout) = child.stdout.take() {
        each_line(stdout, &mut each)?;
    }
    let status = child.wait()?;
    if let Some(Ok(read)) = errors.map(thread::JoinHandle::join) {
        read?;
    }
    Ok(status.success())
}

fn each_line(stream: impl Read, mut each: impl FnMut(&str)) -> std::io::Result<()> {
    for line in BufReader::new(stream).split(b'\n') {
        each(String::from_utf8_lossy(&line?).trim_end());
    }
    Ok(())
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
