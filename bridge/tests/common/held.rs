//! A CUDA stream that stands still until a test lets it go on, so that what happens meanwhile does not depend on time.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cudarc::driver::result::stream::launch_host_function;

/// A call that waits for the whole device (the driver's loading of a kernel on another thread, say) waits for the held
/// stream as well, and may keep the thread that would let it go on from doing so. It goes on by itself then.
const LONGEST: Duration = Duration::from_secs(10);

/// A stream that is held back. It goes on when this is dropped.
pub(crate) struct Held(Arc<Gate>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Shut,
    Open,
    /// It was shut for too long.
    Expired,
}

struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        let shut = |state: &mut State| *state == State::Shut;
        let waited = self.changed.wait_timeout_while(self.state(), LONGEST, shut);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *state == State::Shut {
            *state = State::Expired;
        }
    }

    /// Whether it was shut until now.
    fn open(&self) -> bool {
        let mut state = self.state();
        let held = *state == State::Shut;
        if held {
            *state = State::Open;
        }
        self.changed.notify_all();
        held
    }
}

impl Held {
    /// Lets the stream go on. Whether it was held until now: else what happened meanwhile shows nothing.
    pub(crate) fn go_on(self) -> bool {
        self.0.open()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// Holds back what is queued on the stream from now on.
pub(crate) fn hold(stream: usize) -> Held {
    unsafe extern "C" fn wait(gate: *mut c_void) {
        // SAFETY: the count that `hold` has given away; the driver calls this once.
        unsafe { Arc::from_raw(gate.cast_const().cast::<Gate>()) }.wait();
    }
    let gate = Arc::new(Gate { state: Mutex::new(State::Shut), changed: Condvar::new() });
    let (stream, given) = (with_exposed_provenance_mut(stream), Arc::into_raw(gate.clone()));
    // SAFETY: a live stream; the function calls nothing of CUDA, and owns the count that it is given.
    unsafe { launch_host_function(stream, wait, given.cast_mut().cast()).unwrap() };
    Held(gate)
}
