//! Everything that is baked into a kernel.

use arrayspan_bridge::devices::Source;

use super::{copy, map};

/// Everything that is baked into a kernel: two calls with equal variants run the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    Map(map::Variant),
    Transpose(copy::Variant),
}

const PRELUDE: &str = include_str!("../source/prelude.cl.h");

impl Variant {
    /// The kernel. Slow, and therefore asked for once only.
    pub(super) fn source(&self) -> Source {
        let (name, entry, defines, body) = match self {
            Self::Map(variant) => (variant.name(), "map", variant.define(), map::TEXT),
            Self::Transpose(variant) => (variant.name(), "transpose", variant.define(), copy::TEXT),
        };
        Source::new(name, entry, format!("{defines}\n{PRELUDE}\n{body}"))
    }
}
