//! What an executor has made of an argument that many calls share, kept beside it for the next one.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Room for one value of any type. The first that is put in stays; values of other types are made anew each time.
#[derive(Default)]
pub(crate) struct Kept(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Kept {
    /// The value of this type, made if it is not there. Nobody waits for who makes one: several may at first.
    pub(crate) fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let there = self.0.get().and_then(|there| Arc::clone(there).downcast().ok());
        there.unwrap_or_else(|| {
            let made = Arc::new(make());
            // If another was quicker, that one stays.
            let _ = self.0.set(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
            made
        })
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Kept(something)" } else { "Kept(nothing)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_stays_and_those_of_other_types_are_made_anew() {
        let kept = Kept::default();
        let first = kept.get(|| 1_u32);
        assert!(Arc::ptr_eq(&first, &kept.get(|| 2_u32)));
        assert_eq!([*kept.get(|| 3_u64), *kept.get(|| 4_u64)], [3, 4]);
        assert_eq!(*kept.get(|| 5_u32), 1);
    }
}
