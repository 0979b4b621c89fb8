//! Whether an array crossed without a copy, and what the caller allows.

use std::fmt;

use crate::{Error, Result};

/// What the caller allows when an array is handed over or moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// A copy is made where it is needed, and reported.
    #[default]
    CopyIfNeeded,
    /// A needed copy is an error.
    ZeroCopyOnly,
}

/// How an array crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// Both sides use the same memory.
    ZeroCopy,
    /// The elements were copied.
    Copied {
        /// Why they had to be.
        why: Why,
        /// How many bytes.
        bytes: usize,
    },
}

/// Why a copy was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The target is another device.
    OtherDevice,
    /// The target cannot express the strides.
    Strides,
    /// The source may not be written and the target would.
    ReadOnly,
    /// The source is only borrowed and the target would own its memory.
    Borrowed,
    /// The target cannot give this memory back: it did not come from its own allocator.
    Allocator,
    /// The target needs its memory aligned, and this is not.
    Alignment,
    /// The target has another dtype.
    OtherDType,
    /// The caller asked for its own copy.
    Asked,
    /// Others hold the memory too, and could write it or see it written.
    Shared,
    /// The elements in memory are to be conjugated or negated before they are what the source shows.
    Lazy,
}

impl Transfer {
    /// The crossing by a copy, if it is allowed.
    ///
    /// # Errors
    /// [`Error::CopyRefused`].
    pub fn copy(self, operation: &'static str, why: Why, bytes: usize) -> Result<Crossing> {
        match self {
            Self::CopyIfNeeded => Ok(Crossing::Copied { why, bytes }),
            Self::ZeroCopyOnly => Err(Error::CopyRefused { operation, why, bytes }),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherDevice => "other device",
            Self::Strides => "strides",
            Self::ReadOnly => "read-only source",
            Self::Borrowed => "borrowed source",
            Self::Allocator => "another allocator",
            Self::Alignment => "alignment",
            Self::OtherDType => "other dtype",
            Self::Asked => "asked for",
            Self::Shared => "shared memory",
            Self::Lazy => "pending conjugate or sign",
        })
    }
}

impl fmt::Display for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroCopy => f.write_str("zero-copy"),
            Self::Copied { why, bytes } => write!(f, "copied {bytes} bytes ({why})"),
        }
    }
}
