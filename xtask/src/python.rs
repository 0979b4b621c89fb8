//! Python packages, without touching those of the user.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process::{local, run, succeeds};

/// Installs packages, exactly these, into a folder of their own; does nothing when that is there.
pub(crate) fn packages_in(folder: &Path, packages: &[&str]) -> Result {
    if folder.exists() {
        return Ok(());
    }
    // Moved into place at the end, so that an interrupted download is not taken for a finished one.
    let mut part = folder.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    if part.exists() {
        fs::remove_dir_all(&part)?;
    }
    let mut command = pip()?;
    command.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    command.env("PIP_ROOT_USER_ACTION", "ignore").arg("--target");
    run(command.arg(&part).args(packages))?;
    fs::rename(&part, folder)?;
    Ok(())
}

/// A virtual environment with these packages and what they need; its interpreter.
pub(crate) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = local(name);
    let python = folder.join("bin/python");
    if !succeeds(Command::new(&python).arg("--version")) {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    }
    let mut command = Command::new(&python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    run(command.args(packages))?;
    Ok(python)
}

/// Whether there is an interpreter.
pub(crate) fn is_there() -> bool {
    succeeds(Command::new("python3").arg("--version"))
}

/// Whether the user may install system packages.
pub(crate) fn is_root() -> bool {
    let id = crate::process::output(Command::new("id").arg("-u"));
    id.is_ok_and(|id| id.trim() == "0")
}

/// Installs packages of a Debian-like system; only for root.
pub(crate) fn system_packages(packages: &[&str]) -> Result {
    if !is_root() || !succeeds(Command::new("apt-get").arg("--version")) {
        return Err("system packages need apt-get and root".into());
    }
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        command
    };
    let install =
        |words: &[&str]| run(apt().args(["install", "-y", "--no-install-recommends"]).args(words));
    // The lists of a fresh machine are empty, those of an old one name packages that are gone.
    if install(packages).is_ok() {
        Ok(())
    } else {
        run(apt().arg("update")).and_then(|()| install(packages))
    }
}

/// A pip of the system, or of a virtual environment.
fn pip() -> Result<Command> {
    let command = |python: &Path| {
        let mut command = Command::new(python);
        command.args(["-m", "pip"]);
        command
    };
    let system = Path::new("python3");
    if succeeds(command(system).arg("--version")) {
        return Ok(command(system));
    }
    let (folder, own) = (local("python"), local("python/bin/python"));
    let make = || succeeds(Command::new(system).args(["-m", "venv", "--clear"]).arg(&folder));
    let works = || succeeds(command(&own).arg("--version"));
    if works() || (make() && works()) {
        return Ok(command(&own));
    }
    system_packages(&["python3-pip"])
        .map_err(|error| format!("python3 has neither pip nor venv, and {error}"))?;
    Ok(command(system))
}
