//! A thread's own default stream, for those who ask for it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;

use crate::{Device, Stream};

thread_local! {
    /// The streams made default on this thread, the latest last.
    static DEFAULTS: RefCell<Vec<(u64, Stream)>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// While it lives, its stream is the default of its device on this thread: [`Device::stream`] returns it.
/// Made by [`Stream::as_default`]. Stays on its thread.
#[must_use = "the stream is the default only while the guard lives"]
pub struct DefaultStream {
    id: u64,
    not_send: PhantomData<*const ()>,
}

impl Stream {
    /// Makes this stream the default of its device on this thread until the guard is dropped, also by a
    /// panic. The latest guard of a device that still lives decides; other devices and other threads
    /// are not concerned.
    ///
    /// Only work that names no stream is concerned. What arrayspan does for the whole process (releases
    /// on the reaper's thread, the stream that cudarc sees) stays on [`Device::process_stream`].
    ///
    /// ```
    /// use arrayspan_devices::Device;
    ///
    /// let device = Device::cpu();
    /// let mine = device.new_stream()?;
    /// {
    ///     let _default = mine.as_default();
    ///     assert_eq!(device.stream()?, mine);
    /// }
    /// assert_eq!(device.stream()?, device.process_stream()?);
    /// # Ok::<(), arrayspan_devices::Error>(())
    /// ```
    pub fn as_default(&self) -> DefaultStream {
        let id = NEXT.with(|next| next.replace(next.get().wrapping_add(1)));
        DEFAULTS.with_borrow_mut(|defaults| defaults.push((id, self.clone())));
        DefaultStream { id, not_send: PhantomData }
    }
}

impl Drop for DefaultStream {
    fn drop(&mut self) {
        let take = |defaults: &RefCell<Vec<(u64, Stream)>>| {
            let mut defaults = defaults.try_borrow_mut().ok()?;
            let at = defaults.iter().position(|(id, _)| *id == self.id)?;
            Some(defaults.remove(at))
        };
        // This may be the last clone of the stream: it is dropped outside the borrow. A thread that is ending has
        // no defaults any more.
        drop(DEFAULTS.try_with(take));
    }
}

impl fmt::Debug for DefaultStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DefaultStream({})", self.id)
    }
}

/// The stream that this thread has made the default of `device`.
pub(crate) fn of(device: Device) -> Option<Stream> {
    let find = |defaults: &RefCell<Vec<(u64, Stream)>>| {
        let defaults = defaults.try_borrow().ok()?;
        let latest = defaults.iter().rev().find(|(_, stream)| stream.device() == device);
        latest.map(|(_, stream)| stream.clone())
    };
    DEFAULTS.try_with(find).ok().flatten()
}
