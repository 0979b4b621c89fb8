//! How much a pool may take, and how much of it it may keep unused.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use super::limit::{self, Limit};
use super::wrong::Wrong;
use crate::{Device, DeviceInfo, DeviceKind, Result};

/// The part of a device's memory the pool may keep for reuse when all is freed, as 1 / this. More would starve
/// other libraries of the process and other processes.
const KEPT: usize = 8;
/// The most the host's pool may keep: all processes share its memory.
const KEPT_ON_HOST: usize = 2 << 30;

/// The bounds of one pool. Numbers that are read on every call are atomic; changes take turns.
#[derive(Debug)]
pub(in crate::memory) struct Bounds {
    /// Bytes the pool may hold; `usize::MAX` without a limit.
    limit: AtomicUsize,
    /// Bytes of the device that stay free for others.
    headroom: AtomicUsize,
    /// Bytes the pool may keep unused.
    cache: AtomicUsize,
    /// What is wrong with the limit in the environment: then nothing can be allocated until another one is set.
    wrong: Mutex<Option<Wrong>>,
}

impl Bounds {
    /// For the device called `name`, with its limit from the environment, where devices of `kinds` are named.
    pub(super) fn new(name: &str, info: &DeviceInfo, kinds: &[DeviceKind]) -> Self {
        let kept = info.memory_bytes / KEPT;
        let kept = if name == "cpu" { kept.min(KEPT_ON_HOST) } else { kept };
        let found = limit::from_environment(name, kinds)
            .and_then(|limit| limit.map_or(Ok(usize::MAX), |limit| bytes(limit, 0, info)));
        let (limit, wrong) = match found {
            Ok(bytes) => (bytes, None),
            Err(wrong) => (0, Some(wrong)),
        };
        Self {
            limit: AtomicUsize::new(limit),
            headroom: AtomicUsize::new(0),
            cache: AtomicUsize::new(kept),
            wrong: Mutex::new(wrong),
        }
    }

    pub(in crate::memory) fn limit(&self) -> Option<usize> {
        Some(self.limit.load(Relaxed)).filter(|limit| *limit != usize::MAX)
    }

    pub(in crate::memory) fn headroom(&self) -> usize {
        self.headroom.load(Relaxed)
    }

    pub(in crate::memory) fn cache(&self) -> usize {
        self.cache.load(Relaxed)
    }

    /// To be called before a limit is reported as the cause: that of the environment may be unreadable.
    pub(super) fn check(&self, device: Device) -> Result<()> {
        let wrong = self.wrong.lock().clone();
        wrong.map_or(Ok(()), |wrong| Err(wrong.error(device, limit::VARIABLE)))
    }

    pub(super) fn set_limit(&self, device: Device, limit: Option<Limit>) -> Result<()> {
        let mut wrong = self.wrong.lock();
        let most = match limit {
            None => usize::MAX,
            Some(limit) => bytes(limit, self.headroom(), device.info())
                .map_err(|wrong| wrong.error(device, "set_limit"))?,
        };
        self.limit.store(most, Relaxed);
        *wrong = None;
        Ok(())
    }

    pub(in crate::memory) fn set_headroom(&self, device: Device, headroom: usize) -> Result<()> {
        let _turn = self.wrong.lock();
        let there = device.info().memory_bytes;
        if there > 0 && headroom.saturating_add(self.limit().unwrap_or(0)) > there {
            let why = match self.limit() {
                Some(limit) => format!("with the limit of {limit} bytes {}", exceeds(there)),
                None => exceeds(there),
            };
            let wrong = Wrong { asked: format!("{headroom} bytes"), why };
            return Err(wrong.error(device, "set_headroom"));
        }
        self.headroom.store(headroom, Relaxed);
        Ok(())
    }

    pub(super) fn set_cache(&self, bytes: usize) {
        self.cache.store(bytes, Relaxed);
    }
}

fn exceeds(there: usize) -> String {
    format!("it exceeds the {there} bytes that the device has")
}

/// A limit in bytes, beside what stays free for others.
fn bytes(limit: Limit, headroom: usize, info: &DeviceInfo) -> Result<usize, Wrong> {
    let there = info.memory_bytes;
    let wrong = |why: String| Err(Wrong { asked: limit.to_string(), why });
    let bytes = match limit {
        Limit::Bytes(0) => return wrong("nothing could be allocated".into()),
        Limit::Bytes(bytes) => bytes,
        Limit::Fraction(part) if part > 0.0 && part <= 1.0 => {
            if there == 0 {
                return wrong("how much memory there is, is not known".into());
            }
            (there as f64 * part) as usize
        }
        Limit::Fraction(_) => return wrong("a fraction lies above 0 and is at most 1".into()),
    };
    if there > 0 && bytes.saturating_add(headroom) > there {
        return wrong(match headroom {
            0 => exceeds(there),
            _ => format!("with the headroom of {headroom} bytes {}", exceeds(there)),
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn bounds() -> Bounds {
        Bounds::new("a device that no variable names", Device::cpu().info(), &[])
    }

    #[test]
    fn limits_that_make_no_sense_are_refused_and_change_nothing() {
        let (cpu, bounds) = (Device::cpu(), bounds());
        let there = cpu.info().memory_bytes;
        assert!(bounds.set_limit(cpu, Some(Limit::Bytes(there / 2))).is_ok());
        for limit in [
            Limit::Bytes(0),
            Limit::Bytes(there + 1),
            Limit::Fraction(0.0),
            Limit::Fraction(-0.5),
            Limit::Fraction(1.01),
            Limit::Fraction(f64::NAN),
            Limit::Fraction(f64::INFINITY),
        ] {
            let refused = bounds.set_limit(cpu, Some(limit));
            assert!(matches!(refused, Err(Error::Limit { .. })), "{limit}");
            assert_eq!(bounds.limit(), Some(there / 2), "{limit}");
        }
        assert!(matches!(bounds.set_headroom(cpu, there / 2 + 2), Err(Error::Limit { .. })));
        let refused = bounds.set_headroom(cpu, usize::MAX).unwrap_err().to_string();
        assert!(refused.contains(&format!("with the limit of {} bytes", there / 2)), "{refused}");
        assert_eq!(bounds.headroom(), 0);
    }

    #[test]
    fn bounds_that_are_not_set_are_not_blamed() {
        let (cpu, bounds) = (Device::cpu(), bounds());
        let there = cpu.info().memory_bytes;
        let exceeds = format!("cpu: it exceeds the {there} bytes that the device has");
        let headroom = bounds.set_headroom(cpu, usize::MAX).unwrap_err().to_string();
        assert_eq!(headroom, format!("set_headroom: {} bytes on {exceeds}", usize::MAX));
        let limit = bounds.set_limit(cpu, Some(Limit::Bytes(there + 1))).unwrap_err().to_string();
        assert_eq!(limit, format!("set_limit: {} bytes on {exceeds}", there + 1));
    }

    #[test]
    fn limit_and_headroom_share_the_device() {
        let (cpu, bounds) = (Device::cpu(), bounds());
        let there = cpu.info().memory_bytes;
        assert!(bounds.set_headroom(cpu, there / 4).is_ok());
        assert!(bounds.set_limit(cpu, Some(Limit::Fraction(0.9))).is_err());
        assert!(bounds.set_limit(cpu, Some(Limit::Fraction(0.5))).is_ok());
        assert_eq!(bounds.limit(), Some((there as f64 * 0.5) as usize));
        assert!(bounds.set_limit(cpu, None).is_ok() && bounds.limit().is_none());
    }
}
