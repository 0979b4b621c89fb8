//! What libraries keep with a stream, one value of each type.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::Result;

/// Values of different types, made at first use.
#[derive(Default)]
pub(crate) struct Companions(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

impl Companions {
    /// The value of this type, made if it is not there.
    ///
    /// # Errors
    /// Those of `make`, of which nothing is kept.
    pub(crate) fn get<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<Arc<T>>,
    ) -> Result<Arc<T>> {
        let find = |companions: &[Arc<dyn Any + Send + Sync>]| {
            companions.iter().find_map(|companion| companion.clone().downcast::<T>().ok())
        };
        if let Some(known) = find(&self.0.lock()) {
            return Ok(known);
        }
        // Not under the lock: making it may look for memory.
        let made = make()?;
        let mut companions = self.0.lock();
        if let Some(known) = find(&companions) {
            // Another thread was quicker; what was made here ends outside of the lock.
            drop(companions);
            return Ok(known);
        }
        companions.push(made.clone());
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, Error, Stream};

    #[test]
    fn a_stream_keeps_one_companion_of_each_type_as_long_as_it_lives() -> Result<()> {
        let stream = Stream::new(Device::cpu())?;
        let number = stream.companion(|| Ok(Arc::new(7_u32)))?;
        let text = stream.companion(|| Ok(Arc::new(String::from("seven"))))?;
        let again: Arc<u32> = stream.clone().companion(|| unreachable!("it is there"))?;
        assert!(Arc::ptr_eq(&number, &again) && *text == "seven");
        let kept = Arc::downgrade(&number);
        drop((number, again));
        assert_eq!(kept.strong_count(), 1, "the stream's");
        drop(stream);
        assert_eq!((kept.strong_count(), Arc::strong_count(&text)), (0, 1));
        Ok(())
    }

    #[test]
    fn a_companion_that_cannot_be_made_is_asked_for_again() -> Result<()> {
        let stream = Stream::new(Device::cpu())?;
        let refused = || Error::Unsupported { device: "cpu".into(), what: "a companion".into() };
        assert!(stream.companion::<u32>(|| Err(refused())).is_err());
        assert_eq!(*stream.companion(|| Ok(Arc::new(7_u32)))?, 7);
        Ok(())
    }
}
