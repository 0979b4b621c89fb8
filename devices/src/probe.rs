//! Opens a shared library of others and asks for its version.

use std::error::Error as _;
use std::ffi::c_int;
use std::path::PathBuf;

use libloading::Library as Opened;

use crate::{Error, Result};

/// A shared library that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// Its version in its own counting, where it tells.
    pub version: Option<String>,
    /// The file it was loaded from, where the system tells.
    pub path: Option<PathBuf>,
}

/// The function that tells a library's version, by its shape.
pub(crate) enum Ask {
    /// `(property, &mut value)` with 0, 1 and 2 for the parts.
    Property(&'static str),
    /// `(&mut major, &mut minor)`.
    Pair(&'static str),
    /// `(&mut number)`, five digits as NCCL counts.
    Number(&'static str),
}

/// Opens the first of `names` there is and asks it. It stays open: these libraries start threads and do
/// not bear being closed.
pub(crate) fn find(what: &str, names: &[String], ask: &Ask) -> Result<Library> {
    let mut why = String::new();
    for name in names {
        // SAFETY: opens the vendor's library by the name the vendor gives it, whose initialisers have no
        // conditions.
        match unsafe { Opened::new(name) } {
            Ok(opened) => {
                let version = version(&opened, ask);
                std::mem::forget(opened);
                let stem = name.split_inclusive(".so").next().unwrap_or(name);
                return Ok(Library { version, path: loaded_from(stem) });
            }
            Err(error) => {
                // The loader's own words are the source of the error.
                let words = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                keep(&mut why, name, &words);
            }
        }
    }
    let why = format!("{why} (tried {})", names.join(", "));
    Err(Error::Unavailable { what: what.into(), why })
}

/// The loader's words about the first name, unless a later one says more than that there is no such file.
fn keep(why: &mut String, name: &str, error: &str) {
    if why.is_empty() || !error.contains("No such file") {
        *why = if error.contains(name) { error.into() } else { format!("{name}: {error}") };
    }
}

/// The library's version, or `None` where it lacks the function or the function fails.
fn version(opened: &Opened, ask: &Ask) -> Option<String> {
    match *ask {
        Ask::Property(function) => {
            type Property = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
            // SAFETY: the vendor declares the function with this signature (the property is an enum).
            let asked = unsafe { opened.get::<Property>(function) }.ok()?;
            let part = |which| {
                let mut value = 0;
                // SAFETY: `value` is written during the call only.
                (unsafe { asked(which, &raw mut value) } == 0).then_some(value)
            };
            Some(format!("{}.{}.{}", part(0)?, part(1)?, part(2)?))
        }
        Ask::Pair(function) => {
            type Pair = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
            // SAFETY: as above.
            let asked = unsafe { opened.get::<Pair>(function) }.ok()?;
            let (mut major, mut minor) = (0, 0);
            // SAFETY: both numbers are written during the call only.
            let told = unsafe { asked(&raw mut major, &raw mut minor) } == 0;
            told.then(|| format!("{major}.{minor}"))
        }
        Ask::Number(function) => {
            type Number = unsafe extern "C" fn(*mut c_int) -> c_int;
            // SAFETY: as above.
            let asked = unsafe { opened.get::<Number>(function) }.ok()?;
            let mut number = 0;
            // SAFETY: the number is written during the call only.
            (unsafe { asked(&raw mut number) } == 0).then(|| nccl(number))
        }
    }
}

/// NCCL writes 2.28.3 as 22803.
fn nccl(number: c_int) -> String {
    format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}

/// The file behind a loaded library whose file name begins with `stem`, as Linux tells; else `None`.
pub(crate) fn loaded_from(stem: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let path = &line[line.find('/')?..];
        path.rsplit('/').next()?.starts_with(stem).then_some(path)
    });
    path.map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_says_which_files_were_tried() {
        let names = ["libarrayspan-none.so".to_owned(), "libarrayspan-none.so.1".to_owned()];
        let found = find("None", &names, &Ask::Pair("noneVersion"));
        let error = found.map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(error.starts_with("None is unavailable: libarrayspan-none.so"), "{error}");
        assert!(error.contains("tried libarrayspan-none.so, libarrayspan-none.so.1"), "{error}");
    }

    #[test]
    fn what_the_loader_says_of_a_broken_file_is_kept() {
        let mut why = String::new();
        keep(&mut why, "a.so", "a.so: No such file or directory");
        keep(&mut why, "a.so.1", "a.so.1: file too short");
        keep(&mut why, "a.so.2", "a.so.2: No such file or directory");
        assert_eq!(why, "a.so.1: file too short");
    }

    #[test]
    fn nccl_counts_in_hundreds() {
        assert_eq!(nccl(22_803), "2.28.3");
        assert_eq!(nccl(23_100), "2.31.0");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_loaded_library_knows_its_file() {
        let path = loaded_from("libc.so").unwrap_or_default();
        assert!(path.is_absolute() && path.exists(), "{path:?}");
        assert_eq!(loaded_from("libarrayspan-none.so"), None);
    }
}
