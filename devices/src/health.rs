//! Failures of a device that no call of its driver can return.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::{Error, Result};

/// The state of one device: the first failure that nobody was told of, and how it was lost, if it was.
///
/// The driver, which makes one for each device, writes what it finds when it frees something on whatever thread; the
/// device's next caller reads it.
#[derive(Debug, Default)]
pub struct Health {
    deferred: Mutex<Option<Error>>,
    lost: OnceLock<Error>,
}

impl Health {
    /// Keeps the first failure nobody could be told about.
    pub fn defer(&self, error: Error) {
        tracing::error!(%error, "found where nobody could be told");
        self.deferred.lock().get_or_insert(error);
    }

    /// As [`defer`](Self::defer), of the end of a call.
    pub fn keep(&self, ended: Result<()>) {
        if let Err(error) = ended {
            self.defer(error);
        }
    }

    /// The failure that was kept, once.
    pub fn take(&self) -> Option<Error> {
        self.deferred.lock().take()
    }

    /// Remembers that the device is lost, if that is what the error says, and gives the error back. From then on its
    /// pool, which need not ask the driver, gives out nothing.
    pub fn note(&self, error: Error) -> Error {
        if matches!(error, Error::DeviceLost { .. }) {
            self.lost.get_or_init(|| error.clone());
        }
        error
    }

    /// How the device was lost, if it was.
    pub fn lost(&self) -> Option<&Error> {
        self.lost.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32) -> Error {
        Error::Driver { device: "fake".into(), call: "free", name: "BAD".into(), code }
    }

    #[test]
    fn the_first_failure_is_kept_and_told_once() {
        let health = Health::default();
        health.keep(Ok(()));
        assert!(health.take().is_none());
        for code in [1, 2] {
            health.defer(failure(code));
        }
        assert!(matches!(health.take(), Some(Error::Driver { code: 1, .. })));
        assert!(health.take().is_none());
    }

    #[test]
    fn a_device_is_lost_once_and_by_nothing_but_its_loss() {
        let health = Health::default();
        assert!(matches!(health.note(failure(2)), Error::Driver { code: 2, .. }));
        assert!(health.lost().is_none());
        let lost = |code| {
            let (device, name) = ("fake".into(), "GONE".into());
            Error::DeviceLost { device, call: "wait", name, code }
        };
        for code in [3, 4] {
            assert!(matches!(health.note(lost(code)), Error::DeviceLost { .. }));
        }
        assert!(matches!(health.lost(), Some(Error::DeviceLost { code: 3, .. })));
    }
}
