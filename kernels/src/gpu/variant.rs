//! Everything that is baked into a kernel.

use arrayspan_bridge::devices::Source;

use super::{combine, copy, gemm, map, reduce, stencil};

/// Everything that is baked into a kernel: two calls with equal variants run the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    Map(map::Variant),
    Transpose(copy::Variant),
    Stencil(stencil::Variant),
    Reduce(reduce::Variant),
    Combine(combine::Variant),
    Gemm(gemm::Variant),
}

const PRELUDE: &str = include_str!("../source/prelude.cl.h");

impl Variant {
    /// The kernel. Slow, and therefore asked for once only.
    pub(super) fn source(&self) -> Source {
        let (name, entry, before, after) = match self {
            Self::Map(map) => (map.name(), "map", map.define(), map::TEXT.into()),
            Self::Transpose(copy) => (copy.name(), "transpose", copy.define(), copy::TEXT.into()),
            Self::Stencil(stencil) => {
                let text = stencil.bands() + stencil::TEXT;
                (stencil.name(), "stencil", stencil.define(), text)
            }
            Self::Reduce(reduce) => {
                let text = combine::REDUCTION.to_owned() + reduce::TEXT;
                (reduce.name(), "reduce", reduce.define(), text)
            }
            Self::Combine(combine) => {
                let text = combine::REDUCTION.to_owned() + combine::TEXT;
                (combine.name(), "combine", combine.define(), text)
            }
            Self::Gemm(gemm) => (gemm.name(), "gemm", gemm.define(), gemm::TEXT.into()),
        };
        Source::new(name, entry, format!("{before}\n{PRELUDE}\n{after}"))
    }
}
