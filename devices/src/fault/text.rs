//! Faults as a line of text.

use super::{Class, Fault, FaultKind, Threads};
use crate::{Device, Error, Result};

/// The environment variable that holds faults.
pub(super) const VARIABLE: &str = "ARRAYSPAN_FAULTS";

/// Reads faults separated by semicolons.
pub(super) fn read(text: &str) -> Result<Vec<Fault>> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            one(part).map_err(|why| Error::Setting { variable: VARIABLE, text: part.into(), why })
        })
        .collect()
}

/// Reads `kind:field=value,…`.
fn one(text: &str) -> Result<Fault, String> {
    let (kind, fields) = text.split_once(':').unwrap_or((text, ""));
    let kind = match kind.trim() {
        "allocation" => FaultKind::Allocation,
        "launch" => FaultKind::Launch,
        "copy" => FaultKind::Copy,
        "pinned" => FaultKind::Pinned,
        "plan" => FaultKind::Plan,
        "wait" => FaultKind::Wait,
        "context" => FaultKind::Context,
        other => {
            return Err(format!(
                "'{other}' is not one of allocation, launch, copy, pinned, plan, wait, context"
            ));
        }
    };
    let mut fault = Fault { threads: Threads::Each, ..Fault::new(kind) };
    let mut count = None;
    for field in fields.split(',').map(str::trim).filter(|field| !field.is_empty()) {
        let (name, value) =
            field.split_once('=').ok_or_else(|| format!("'{field}' lacks a value"))?;
        match name.trim() {
            "skip" => fault.skip = number(name, value)?,
            "count" => count = Some(number(name, value)?),
            "every" => {
                fault.every = number(name, value)?;
                if fault.every == 0 {
                    return Err("every is at least 1".into());
                }
                // Asked for regularly, failures do not end.
                count = count.or(Some(usize::MAX));
            }
            "class" => fault.class = class(value)?,
            "device" => {
                let device: Device =
                    value.trim().parse().map_err(|error: Error| error.to_string())?;
                fault.device = Some(device);
            }
            "threads" => fault.threads = threads(value)?,
            "protected" => fault.only_protected = yes(value)?,
            other => {
                return Err(format!(
                    "'{other}' is not one of skip, count, every, class, device, threads, protected"
                ));
            }
        }
    }
    fault.count = count.unwrap_or(fault.count);
    Ok(fault)
}

fn number(name: &str, value: &str) -> Result<usize, String> {
    value.trim().parse().map_err(|_| format!("{name} is a number, not '{value}'"))
}

fn class(value: &str) -> Result<Class, String> {
    match value.trim() {
        "memory" => Ok(Class::OutOfMemory),
        "lost" => Ok(Class::DeviceLost),
        "driver" => Ok(Class::Driver),
        other => Err(format!("class is one of memory, lost, driver, not '{other}'")),
    }
}

fn threads(value: &str) -> Result<Threads, String> {
    match value.trim() {
        "any" => Ok(Threads::Any),
        "each" => Ok(Threads::Each),
        other => Err(format!("threads is any or each, not '{other}'")),
    }
}

fn yes(value: &str) -> Result<bool, String> {
    match value.trim() {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(format!("protected is yes or no, not '{other}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_fails_and_when() {
        let faults = read(" allocation:skip=3, count=1 ;launch:every=101; copy: every=5,count=2,class=lost,device=cpu,threads=any,protected=yes;").unwrap();
        let each = |kind| Fault { threads: Threads::Each, ..Fault::new(kind) };
        assert_eq!(faults[0], Fault { skip: 3, ..each(FaultKind::Allocation) });
        assert_eq!(faults[1], Fault { every: 101, count: usize::MAX, ..each(FaultKind::Launch) });
        let lost = Fault {
            class: Class::DeviceLost,
            every: 5,
            count: 2,
            device: Some(Device::cpu()),
            threads: Threads::Any,
            only_protected: true,
            ..Fault::new(FaultKind::Copy)
        };
        assert_eq!(faults[2], lost);
        assert_eq!(read("plan").unwrap(), [each(FaultKind::Plan)]);
        assert!(read("").unwrap().is_empty() && read(" ; ").unwrap().is_empty());
    }

    #[test]
    fn text_that_means_nothing_is_an_error_that_quotes_it() {
        for (text, why) in [
            ("allocate", "allocation, launch"),
            ("copy:sometimes", "lacks a value"),
            ("copy:skip=x", "is a number"),
            ("copy:skip=-1", "is a number"),
            ("copy:every=0", "at least 1"),
            ("copy:often=1", "skip, count"),
            ("copy:class=bad", "memory, lost"),
            ("copy:device=gpu", "not a device"),
            ("copy:threads=two", "any or each"),
            ("copy:protected=1", "yes or no"),
        ] {
            let error = read(&format!("launch:skip=1;{text}")).unwrap_err();
            assert!(matches!(&error, Error::Setting { text: found, .. } if found == text));
            let said = error.to_string();
            assert!(said.contains(why) && said.contains(VARIABLE), "{said}");
        }
    }
}
