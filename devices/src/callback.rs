//! Tells the host when work is done, without making it wait.
//!
//! Not through the drivers' own callbacks: those run on a thread of the driver that may call nothing of it, and hold up
//! the queue meanwhile.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use crate::caught::run_caught;
use crate::{Error, Event, Result, Stream};

/// Told how the work before it has ended.
type Callback = Box<dyn FnOnce(Result<()>) + Send>;

impl Stream {
    /// Runs `callback` once all work queued so far is done, and tells it whether that work failed. Does not wait.
    ///
    /// Callbacks of one stream run one after the other, in the order they were given, on a thread of their own that
    /// holds up neither the stream nor the callbacks of other streams. They may do all that other threads may,
    /// also queue work on this stream. A panic ends its callback and is reported by `tracing`; the next ones run.
    /// Callbacks that have not run when the process ends are dropped.
    ///
    /// # Errors
    /// When the driver refuses an event, or the system a thread; the callback is dropped then.
    pub fn on_complete(&self, callback: impl FnOnce(Result<()>) + Send + 'static) -> Result<()> {
        let callbacks = self.callbacks();
        // Under the lock, so that two threads' marks are queued in the order of their callbacks.
        let mut queue = callbacks.queue.lock();
        queue.waiting.push_back((self.record()?, Box::new(callback)));
        if queue.served {
            return Ok(());
        }
        let served = callbacks.clone();
        let thread = thread::Builder::new().name("arrayspan-callbacks".into());
        match thread.spawn(move || served.serve()) {
            Ok(_) => {
                queue.served = true;
                Ok(())
            }
            Err(error) => {
                queue.waiting.pop_back();
                Err(Error::Unavailable {
                    what: "a thread for callbacks".into(),
                    why: error.to_string(),
                })
            }
        }
    }
}

/// The callbacks of one stream that have not run.
#[derive(Default)]
pub(crate) struct Callbacks {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Event, Callback)>,
    /// Whether a thread runs them. It ends with the last one.
    served: bool,
}

impl Callbacks {
    fn serve(self: Arc<Self>) {
        while let Some((event, callback)) = self.next() {
            let ended = event.synchronize();
            drop(event);
            run_caught("a completion callback", Box::new(move || callback(ended)));
        }
    }

    fn next(&self) -> Option<(Event, Callback)> {
        let mut queue = self.queue.lock();
        let next = queue.waiting.pop_front();
        queue.served = next.is_some();
        next
    }
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callbacks({})", self.queue.lock().waiting.len())
    }
}
