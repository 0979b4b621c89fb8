//! Limits of a device's memory, as programs and users write them.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use super::wrong::Wrong;
use crate::{DeviceKind, Error, Result};

/// Names limits that hold from the start: `2GiB`, `50%`, `cuda:0=2GiB,cpu=25%`.
pub(super) const VARIABLE: &str = "ARRAYSPAN_MEMORY_LIMIT";

/// How much of a device's memory arrayspan may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// So many bytes.
    Bytes(usize),
    /// This part of what the device has: above 0, at most 1.
    Fraction(f64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Self::Fraction(part) => write!(f, "{}% of the device", part * 100.0),
        }
    }
}

impl FromStr for Limit {
    type Err = Error;

    /// Reads `1073741824`, `512MiB`, `1.5 GB`, `50%`.
    ///
    /// # Errors
    /// [`Error::LimitText`] for what is no size, for a percentage that is not above 0 and at most 100, and for more bytes
    /// than can be counted.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = (&text[..end], text[end..].trim());
        let wrong = |why| Error::LimitText { text: text.into(), why };
        let other = || wrong("expected 2GiB, 512MiB, 50%");
        let number: f64 = number.parse().map_err(|_| other())?;
        let unit = match unit.to_ascii_lowercase().as_str() {
            "%" if number > 0.0 && number <= 100.0 => return Ok(Self::Fraction(number / 100.0)),
            "%" => return Err(wrong("a percentage lies above 0 and is at most 100")),
            "" | "b" => 1.0,
            "kib" => 1024.0,
            "mib" => 1024.0 * 1024.0,
            "gib" => 1024.0 * 1024.0 * 1024.0,
            "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            _ => return Err(other()),
        };
        let bytes = number * unit;
        if bytes >= usize::MAX as f64 {
            return Err(wrong("more bytes than can be counted"));
        }
        Ok(Self::Bytes(bytes as usize))
    }
}

/// The limit the environment sets for the device called `name`: one with its name, else one without a name.
pub(super) fn from_environment(name: &str, kinds: &[DeviceKind]) -> Result<Option<Limit>, Wrong> {
    static TEXT: OnceLock<String> = OnceLock::new();
    let text = TEXT.get_or_init(|| std::env::var(VARIABLE).unwrap_or_default());
    find(text, name, kinds).map_err(|why| Wrong { asked: text.clone(), why: why.to_string() })
}

fn find(text: &str, name: &str, kinds: &[DeviceKind]) -> Result<Option<Limit>> {
    let (mut named, mut any) = (None, None);
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        match entry.split_once('=') {
            None => any = Some(entry.parse()?),
            Some((device, size)) => {
                let limit = size.parse()?;
                if full_name(device.trim(), kinds)? == name {
                    named = Some(limit);
                }
            }
        }
    }
    Ok(named.or(any))
}

/// A device's name, of one of `kinds`, as devices themselves write it; whether there is such a device is not asked, since
/// that would open it.
fn full_name(text: &str, kinds: &[DeviceKind]) -> Result<String> {
    let (name, number) = text.split_once(':').unwrap_or((text, "0"));
    let kind = kinds.iter().find(|kind| kind.name() == name);
    match (kind, number.parse::<usize>()) {
        (Some(&DeviceKind::Cpu), Ok(0)) => Ok("cpu".into()),
        (Some(kind), Ok(number)) if *kind != DeviceKind::Cpu => Ok(format!("{kind}:{number}")),
        _ => Err(Error::DeviceName { text: text.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [DeviceKind; 3] = [DeviceKind::Cpu, DeviceKind::Cuda, DeviceKind::OpenCl];

    #[test]
    fn sizes_are_read_with_binary_and_decimal_units_and_as_a_part() {
        let read = |text: &str| text.parse::<Limit>().map_err(|error| error.to_string());
        assert_eq!(read("4096"), Ok(Limit::Bytes(4096)));
        assert_eq!(read("1.5 GiB"), Ok(Limit::Bytes(3 << 29)));
        assert_eq!(read("2gb"), Ok(Limit::Bytes(2_000_000_000)));
        assert_eq!(read(" 50% "), Ok(Limit::Fraction(0.5)));
        assert_eq!(read("100%"), Ok(Limit::Fraction(1.0)));
        for text in
            ["", " ", "GiB", "2 GiBi", "-1", "-5%", "nan", "nan%", "1..2MiB", "half", "1e400"]
        {
            assert!(read(text).is_err_and(|why| why.contains("expected 2GiB")), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_a_limit_of_any_device_is_a_typed_error() {
        let many = "9".repeat(400);
        for (text, reason) in [
            ("300%".to_string(), "at most 100"),
            ("100.01%".into(), "at most 100"),
            ("0%".into(), "above 0"),
            (format!("{many}%"), "at most 100"),
            (many.clone(), "than can be counted"),
            ("18446744073709551616".into(), "than can be counted"),
            ("99999999TiB".into(), "than can be counted"),
        ] {
            match text.parse::<Limit>() {
                Err(Error::LimitText { text: given, why }) => {
                    assert!(given == text && why.contains(reason), "{text}: {why}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_limit_with_a_name_counts_more_than_one_without() {
        let text = "50%, cuda:0=2GiB,cpu=1GiB,opencl=25%";
        let find = |text: &str, name: &str| find(text, name, &KINDS).expect("it can be read");
        assert_eq!(find(text, "cuda:0"), Some(Limit::Bytes(2 << 30)));
        assert_eq!(find(text, "cuda:1"), Some(Limit::Fraction(0.5)));
        assert_eq!(find(text, "opencl:0"), Some(Limit::Fraction(0.25)));
        assert_eq!(find("cpu=1GiB", "cuda:0"), None);
        assert_eq!(find("", "cpu"), None);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_refused_whole() {
        for text in ["2GiB,gpu:0=1GiB", "cuda:x=1GiB", "cpu:1=1GiB", "cuda:0=", "cuda:0:1GiB"] {
            assert!(find(text, "cpu", &KINDS).is_err(), "{text}");
        }
    }
}
