//! What a kernel takes for an element.

use arrayspan_bridge::DType;

use super::text::Text;

/// What a kernel takes for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Element {
    /// A number of a computable dtype.
    Number(DType),
    /// So many bytes (a power of two up to 16) that are only moved.
    Bytes(usize),
}

impl Element {
    /// Its size in bytes.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Number(dtype) => dtype.bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    pub(super) fn is_complex(self) -> bool {
        matches!(self, Self::Number(dtype) if dtype.is_complex())
    }

    /// For the names of kernels: `float32`, `bytes16`.
    pub(super) fn name(self) -> String {
        match self {
            Self::Number(dtype) => dtype.to_string().to_lowercase(),
            Self::Bytes(bytes) => format!("bytes{bytes}"),
        }
    }

    /// Tells the prelude.
    pub(super) fn define(self, text: &mut Text) {
        let (element, bits) = match self {
            Self::Number(dtype) => (1 + u8::from(dtype.is_complex()), dtype.real().bits()),
            Self::Bytes(bytes) => (0, 8 * bytes),
        };
        text.define("ELEMENT", element);
        text.define("BITS", bits);
    }
}
