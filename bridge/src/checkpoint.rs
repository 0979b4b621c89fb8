//! What work changes, and how it is put back before the work runs again.

use crate::{Array, Result};

/// State that can be put back as it was: an accumulator, a solver's vectors, a generator of random numbers.
pub trait Checkpoint {
    /// What is kept meanwhile.
    type Saved;

    /// Keeps the present state.
    ///
    /// # Errors
    /// Where there is no room for it.
    fn save(&self) -> Result<Self::Saved>;

    /// Puts the state back as it was. May be called more than once for one `saved`.
    ///
    /// # Errors
    /// The driver's refusal; the state is unspecified then.
    fn restore(&mut self, saved: &Self::Saved) -> Result<()>;
}

/// Numbers, vectors and whatever else can be cloned.
impl<T: Clone> Checkpoint for T {
    type Saved = T;

    fn save(&self) -> Result<T> {
        Ok(self.clone())
    }

    fn restore(&mut self, saved: &T) -> Result<()> {
        self.clone_from(saved);
        Ok(())
    }
}

/// A copy on the same device.
impl Checkpoint for Array {
    type Saved = Array;

    fn save(&self) -> Result<Array> {
        self.view().to_array()
    }

    fn restore(&mut self, saved: &Array) -> Result<()> {
        let stream = self.device().stream()?;
        self.view_mut().copy_from(&saved.view(), &stream)
    }
}
