//! What an import demands beyond what it always checks.

use super::abi::{IS_COPIED, READ_ONLY, SUBBYTE_PADDED};
use super::refuse::foreign;
use crate::Result;

/// What an import demands beyond what it always checks.
///
/// ```
/// use arrayspan_bridge::dlpack::ImportOptions;
///
/// let for_wide_loads = ImportOptions { alignment: 256, ..ImportOptions::default() };
/// # assert_eq!(for_wide_loads.unknown_flags, Default::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The first element lies at a multiple of so many bytes, in `OpenCL` counted from the start of the
    /// buffer. 0 and 1 demand nothing; elements are always aligned as their own type demands.
    pub alignment: usize,
    /// What happens to flags that `DLPack` 1.3 does not know.
    pub unknown_flags: UnknownFlags,
}

/// What happens to flags that `DLPack` 1.3 does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFlags {
    /// They are refused: nobody can say what they mean for the elements.
    #[default]
    Refuse,
    /// They are ignored, as most libraries do.
    Ignore,
}

impl ImportOptions {
    pub(super) fn check(&self, flags: u64) -> Result<()> {
        let unknown = flags & !(READ_ONLY | IS_COPIED | SUBBYTE_PADDED);
        if unknown != 0 && self.unknown_flags == UnknownFlags::Refuse {
            return foreign("flags", format!("unknown bits {unknown:#x}"));
        }
        Ok(())
    }
}
