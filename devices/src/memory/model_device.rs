//! A device whose streams only say which work comes before which.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use parking_lot::Mutex;

use super::stand_in::{Bare, Marks, Streams, refusal};
use crate::Result;
use crate::driver::{EventDriver, StreamDriver};

/// Pieces of work, by number.
pub(super) type Work = BTreeSet<usize>;

/// A device whose streams only say which work comes before which. None is done before the host asks for it.
#[derive(Debug)]
pub(super) struct Ordered {
    /// What the host knows to be done; all that is queued later comes after it.
    pub(super) done: Arc<Mutex<Work>>,
}

#[derive(Debug)]
pub(super) struct Queue {
    raw: usize,
    /// What comes before the next piece of work.
    pub(super) before: Mutex<Work>,
    done: Arc<Mutex<Work>>,
}

#[derive(Debug)]
struct Mark {
    before: Work,
    done: Arc<Mutex<Work>>,
}

impl Streams for Ordered {
    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let (raw, done) = (NEXT.fetch_add(1, SeqCst), self.done.clone());
        Ok(Box::new(Bare(Queue { raw, before: Mutex::default(), done })))
    }
}

impl Queue {
    /// What comes before work that is queued now.
    pub(super) fn before(&self) -> Work {
        &*self.before.lock() | &*self.done.lock()
    }
}

impl Marks for Queue {
    fn synchronize(&self) -> Result<()> {
        let before = self.before();
        self.done.lock().extend(before);
        Ok(())
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        Ok(Box::new(Mark { before: self.before(), done: self.done.clone() }))
    }

    fn wait(&self, event: &dyn EventDriver) -> Result<()> {
        let mark = event.as_any().downcast_ref::<Mark>().expect("one of this device");
        self.before.lock().extend(&mark.before);
        Ok(())
    }

    fn raw(&self) -> usize {
        self.raw
    }
}

impl EventDriver for Mark {
    fn synchronize(&self) -> Result<()> {
        self.done.lock().extend(&self.before);
        Ok(())
    }

    fn is_complete(&self) -> Result<bool> {
        Ok(self.before.is_subset(&self.done.lock()))
    }

    fn elapsed_since(&self, _: &dyn EventDriver) -> Result<Duration> {
        refusal("elapsed")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
