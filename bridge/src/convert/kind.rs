//! Which library an array belongs to.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The library whose type an array has. Says nothing about where its elements lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ArrayKind {
    /// [`Array`](crate::Array), [`SharedArray`](crate::SharedArray) and views of them.
    Array,
    /// Arrays and views of `ndarray`.
    Ndarray,
    /// Tensors of libtorch.
    Torch,
    /// Slices of `cudarc`, and arrays in its terms.
    Cudarc,
    /// Buffers of `opencl3`, and arrays in its terms.
    OpenCl,
    /// Managed tensors of `DLPack`.
    Dlpack,
}

impl ArrayKind {
    /// Every kind.
    #[must_use]
    pub fn all() -> [Self; 6] {
        [Self::Array, Self::Ndarray, Self::Torch, Self::Cudarc, Self::OpenCl, Self::Dlpack]
    }

    /// Its name: `arrayspan`, `ndarray`, `torch`, `cudarc`, `opencl`, `dlpack`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "arrayspan",
            Self::Ndarray => "ndarray",
            Self::Torch => "torch",
            Self::Cudarc => "cudarc",
            Self::OpenCl => "opencl",
            Self::Dlpack => "dlpack",
        }
    }
}

impl fmt::Display for ArrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ArrayKind {
    type Err = Error;

    /// Reads the [`name`](Self::name) of a kind.
    fn from_str(text: &str) -> Result<Self, Error> {
        let named = Self::all().into_iter().find(|kind| kind.name() == text);
        named.ok_or_else(|| Error::KindName { text: text.into() })
    }
}
