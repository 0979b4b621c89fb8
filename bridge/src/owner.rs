//! What keeps memory from another library alive, and can be asked for again.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrayspan_devices::Release;

/// The value whose memory an array uses. The memory's release function drops it, unless
/// [`Owner::take`] has handed it back before; then the release function finds nothing to do.
#[derive(Clone)]
pub(crate) struct Owner(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl Owner {
    pub(crate) fn new(value: impl Any + Send) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(value)))))
    }

    /// The function that drops the value once no work uses its memory any more.
    pub(crate) fn release(&self) -> Release {
        let owner = self.clone();
        Box::new(move || drop(owner.take_any()))
    }

    /// Whether the value is a `V`, and still here.
    pub(crate) fn is<V: Any>(&self) -> bool {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().is_some_and(|value| value.is::<V>())
    }

    /// Hands the value back if it is a `V` that passes `fits`. The caller must hold the memory alone and
    /// use it no more.
    pub(crate) fn take<V: Any>(&self, fits: impl FnOnce(&V) -> bool) -> Option<V> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !slot.as_ref()?.downcast_ref::<V>().is_some_and(fits) {
            return None;
        }
        slot.take()?.downcast::<V>().ok().map(|value| *value)
    }

    fn take_any(&self) -> Option<Box<dyn Any + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Owner")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_taken_back_is_not_dropped_by_the_release() {
        let value = Arc::new(7);
        let owner = Owner::new(value.clone());
        let release = owner.release();
        assert!(owner.take::<Arc<u8>>(|_| true).is_none(), "another type");
        assert!(owner.take::<Arc<i32>>(|_| false).is_none(), "refused by the caller");
        let back = owner.take::<Arc<i32>>(|_| true).expect("the right type");
        release();
        assert_eq!(Arc::strong_count(&value), 2);
        drop(back);
    }

    #[test]
    fn a_value_not_taken_back_is_dropped_by_the_release() {
        let value = Arc::new(7);
        let owner = Owner::new(value.clone());
        owner.release()();
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
