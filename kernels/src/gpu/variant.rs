//! Everything that is compiled into a kernel.

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::Text;

use super::{combine, copy, gemm, map, map_many, reduce, stencil, stencil_sum, user};

/// Everything that is compiled into a kernel: two calls with equal variants run the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    Map(map::Variant),
    MapMany(map_many::Variant),
    Transpose(copy::Variant),
    Stencil(stencil::Variant),
    StencilSum(stencil_sum::Variant),
    Reduce(reduce::Variant),
    Join(combine::Variant),
    Gemm(gemm::Variant),
    User(user::Variant),
}

const PRELUDE: &str = include_str!("../source/prelude.cl.h");

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let (name, entry) = match self {
            Self::Map(map) => (map.name(), "map"),
            Self::MapMany(many) => (many.name(), "map_many"),
            Self::Transpose(copy) => (copy.name(), "transpose"),
            Self::Stencil(stencil) => (stencil.name(), "stencil"),
            Self::StencilSum(sum) => (sum.name(), "stencil_sum"),
            Self::Reduce(reduce) => (reduce.name(), "reduce"),
            Self::Join(join) => (join.name(), "join"),
            Self::Gemm(gemm) => (gemm.name(), "gemm"),
            Self::User(user) => return user.source(),
        };
        match self {
            Self::Map(map) => map.define(&mut text),
            Self::MapMany(many) => many.define(&mut text),
            Self::Transpose(copy) => copy.define(&mut text),
            Self::Stencil(stencil) => stencil.define(&mut text),
            Self::StencilSum(sum) => sum.define(&mut text),
            Self::Reduce(reduce) => reduce.define(&mut text),
            Self::Join(join) => join.define(&mut text),
            Self::Gemm(gemm) => gemm.define(&mut text),
            Self::User(_) => {}
        }
        text.add(PRELUDE);
        match self {
            Self::Stencil(stencil) => stencil.bands(&mut text),
            Self::StencilSum(sum) => sum.bands(&mut text),
            _ => {}
        }
        if let Self::Reduce(_) | Self::Join(_) = self {
            text.add(combine::TEXT);
        }
        text.add(match self {
            Self::Map(_) => map::TEXT,
            Self::MapMany(_) => map_many::TEXT,
            Self::Transpose(_) => copy::TEXT,
            Self::Stencil(_) => stencil::TEXT,
            Self::StencilSum(_) => stencil_sum::TEXT,
            Self::Reduce(_) => reduce::TEXT,
            Self::Join(_) => combine::JOIN,
            Self::Gemm(_) => gemm::TEXT,
            Self::User(_) => "",
        });
        KernelSource::new(name, entry, text.finish())
    }
}
