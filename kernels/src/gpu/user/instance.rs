//! A kernel of a user's for the dtypes of a call.

use std::sync::Arc;

use arrayspan_bridge::devices::KernelSource;
use arrayspan_bridge::iteration::Text;

use crate::user::{Definition, Letters};
use crate::verb::LaunchCall;

/// What every kernel of a user's has compiled in, whatever its kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    pub(super) definition: Arc<Definition>,
    pub(super) letters: Letters,
    /// Of each input, whether it is a number that comes by value.
    pub(super) by_value: Vec<bool>,
}

impl Instance {
    pub(super) fn of(call: &LaunchCall<'_>) -> Self {
        Self {
            definition: call.definition.clone(),
            letters: call.letters.clone(),
            by_value: call.inputs.iter().map(|input| input.array().is_none()).collect(),
        }
    }

    /// The numbers of the inputs that are arrays.
    pub(super) fn arrays(&self) -> impl Iterator<Item = usize> {
        (0..self.by_value.len()).filter(|&input| !self.by_value[input])
    }

    /// A kernel under the name that its user gave it.
    pub(super) fn kernel(&self, entry: &str, text: Text) -> KernelSource {
        KernelSource::new(&self.definition.name, entry, text.finish())
    }
}
