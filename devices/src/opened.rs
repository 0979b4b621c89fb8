//! Libraries and handles that a process opens once, at first use; a failure that may pass is not kept.

use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use parking_lot::Mutex;

use crate::{Error, Result};

/// Something of the whole process that is opened at first use. What was opened stays; of failures only those stay that say
/// what is so as long as the process lives. After any other the next one who asks opens it again.
#[derive(Debug)]
pub(crate) struct Opened<T> {
    opened: OnceLock<T>,
    refused: Mutex<Option<Error>>,
}

impl<T> Opened<T> {
    pub(crate) const fn new() -> Self {
        Self { opened: OnceLock::new(), refused: Mutex::new(None) }
    }

    /// What has been opened; does not open it.
    pub(crate) fn get(&self) -> Option<&T> {
        self.opened.get()
    }

    /// What has been opened, by `open` if nothing was; one thread at a time.
    ///
    /// # Errors
    /// Those of `open`.
    pub(crate) fn get_or_open(&self, open: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(opened) = self.get() {
            return Ok(opened);
        }
        let mut refused = self.refused.lock();
        if let Some(opened) = self.get() {
            return Ok(opened);
        }
        if let Some(error) = &*refused {
            return Err(error.clone());
        }
        match open() {
            Ok(opened) => Ok(self.opened.get_or_init(|| opened)),
            Err(error) => {
                if is_lasting(&error) {
                    *refused = Some(error.clone());
                }
                Err(error)
            }
        }
    }
}

/// Whether an error will be the same whenever it is asked again: what is not installed, not supported, disabled. Memory
/// that is short and a driver's other refusals may pass.
fn is_lasting(error: &Error) -> bool {
    matches!(error, Error::Unavailable { .. } | Error::Unsupported { .. } | Error::Setting { .. })
}

/// How long to wait before each further attempt: 1.6 seconds in all.
const PAUSES: [Duration; 7] = {
    const fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }
    let [a, b, c, d] = [milliseconds(10), milliseconds(20), milliseconds(50), milliseconds(100)];
    [a, b, c, d, milliseconds(200), milliseconds(400), milliseconds(800)]
};

/// Calls `attempt` until it is not refused for a reason that `passes`, with pauses that grow, a few times at most.
///
/// # Errors
/// Those of the last attempt.
pub(crate) fn patiently<T, E>(
    passes: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    for pause in PAUSES {
        match attempt() {
            Err(error) if passes(&error) => sleep(pause),
            done => return done,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    fn driver(code: i32) -> Error {
        Error::Driver { device: "fake".into(), call: "open", name: "BUSY".into(), code }
    }

    #[test]
    fn a_refusal_that_may_pass_is_not_remembered() {
        let opened = Opened::new();
        for error in [driver(999), Error::out_of_memory(Device::cpu(), 0, -6)] {
            let refused = opened.get_or_open(|| Err(error.clone()));
            assert_eq!(refused.unwrap_err().to_string(), error.to_string());
        }
        assert_eq!(opened.get_or_open(|| Ok(7)).unwrap(), &7);
        assert_eq!(opened.get_or_open(|| Err(driver(1))).unwrap(), &7, "it stays open");
    }

    #[test]
    fn what_is_not_installed_is_asked_for_once() {
        let opened = Opened::<u8>::new();
        let absent = Error::Unavailable { what: "CUDA".into(), why: "no driver".into() };
        assert!(opened.get_or_open(|| Err(absent)).is_err());
        let again = opened.get_or_open(|| unreachable!("asked again"));
        assert!(matches!(again, Err(Error::Unavailable { .. })));
    }

    #[test]
    fn threads_at_once_open_it_once() {
        let opened = Opened::new();
        let times = Mutex::new(0);
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    let open = || {
                        *times.lock() += 1;
                        Ok(())
                    };
                    assert!(opened.get_or_open(open).is_ok());
                });
            }
        });
        assert_eq!(*times.lock(), 1);
    }

    #[test]
    fn a_refusal_is_waited_out_and_one_that_does_not_pass_is_told_at_once() {
        let mut left = 3;
        let mut attempt = || {
            left -= 1;
            if left == 0 { Ok(left) } else { Err(-6) }
        };
        assert_eq!(patiently(|code| *code == -6, &mut attempt), Ok(0));
        let mut attempts = 0;
        let refused = patiently(
            |code| *code == -6,
            || {
                attempts += 1;
                Err::<(), _>(-30)
            },
        );
        assert_eq!((refused, attempts), (Err(-30), 1));
        let refused = patiently(
            |code| *code == -6,
            || {
                attempts += 1;
                Err::<(), _>(-6)
            },
        );
        assert_eq!((refused, attempts), (Err(-6), 1 + PAUSES.len() + 1));
    }
}
