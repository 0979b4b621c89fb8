//! Ctrl-C in what is computed at length without an observer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrayspan::devices::{Device, Stream};
use arrayspan::kernels::verb::Call;
use arrayspan::kernels::{self, Executor};
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::error::{Failure, Result};

/// How long nobody looks for a signal after the last look.
const PAUSE: Duration = Duration::from_millis(50);

/// An executor that fails once a signal of Python's has raised something.
#[derive(Debug)]
struct Interruptible {
    on: Arc<dyn Executor>,
    looked: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
}

/// What `work` computes on a device, without the interpreter's lock; what a signal raises meanwhile ends it.
///
/// # Errors
/// Those of `work`, and what was raised.
pub(crate) fn within<T: Send, E>(
    py: Python<'_>,
    device: Device,
    work: impl FnOnce(&dyn Executor) -> std::result::Result<T, E> + Send,
) -> Result<T>
where
    E: Send,
    Failure: From<E>,
{
    let (done, raised) = py.detach(|| -> kernels::Result<_> {
        let (looked, raised) = (Mutex::new(Instant::now()), Mutex::default());
        let on = Interruptible { on: kernels::on(device)?, looked, raised };
        Ok((work(&on), on.raised.into_inner()))
    })?;
    match raised {
        Some(raised) => Err(raised.into()),
        None => Ok(done?),
    }
}

impl Interruptible {
    fn look(&self) -> kernels::Result<()> {
        // Another thread looks.
        let Some(mut looked) = self.looked.try_lock() else { return Ok(()) };
        if looked.elapsed() < PAUSE {
            return Ok(());
        }
        let raised = Python::try_attach(|py| -> PyResult<()> {
            py.check_signals()?;
            Ok(())
        });
        *looked = Instant::now();
        match raised {
            Some(Ok(())) => return Ok(()),
            Some(Err(error)) => *self.raised.lock() = Some(error),
            // The interpreter ends.
            None => {}
        }
        Err(kernels::Error::Argument { verb: "solver", why: "interrupted".into() })
    }
}

impl Executor for Interruptible {
    fn stream(&self) -> &Stream {
        self.on.stream()
    }

    fn execute(&self, call: &mut Call<'_>) -> kernels::Result<()> {
        self.look()?;
        self.on.execute(call)
    }

    fn records(&self) -> bool {
        self.on.records()
    }

    fn has_graphs(&self) -> bool {
        self.on.has_graphs()
    }

    fn keeping(&self) -> kernels::Result<Option<Box<dyn Executor>>> {
        self.on.keeping()
    }

    fn begin_section(&self) {
        self.on.begin_section();
    }

    fn beside(&self, other: &Arc<dyn Executor>) -> Option<&dyn Executor> {
        self.on.beside(other)
    }
}
