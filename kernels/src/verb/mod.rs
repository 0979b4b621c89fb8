//! The verbs, as checked calls: an executor runs one without further checks.
//!
//! Output and inputs never share memory, because an output is borrowed exclusively.

mod check;
mod copy;
mod gemm;
mod map;
mod reduce;
mod stencil;

pub use copy::CopyCall;
pub use gemm::GemmCall;
pub use map::MapCall;
pub use reduce::{ReduceCall, Reduction};
pub use stencil::{Stencil, StencilCall};

use arrayspan_bridge::devices::Device;

use crate::{Cost, Result};

/// One verb with its arguments, checked.
#[derive(Debug)]
#[non_exhaustive]
pub enum Call<'a> {
    /// A fused elementwise expression.
    Map(MapCall<'a>),
    /// A strided copy.
    Copy(CopyCall<'a>),
    /// Bands along axes, fused into one pass.
    Stencil(StencilCall<'a>),
    /// A reduction over axes.
    Reduce(ReduceCall<'a>),
    /// A batch of matrix products.
    Gemm(GemmCall<'a>),
}

impl Call<'_> {
    /// The verb's name in errors and traces.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Map(_) => map::NAME,
            Self::Copy(_) => copy::NAME,
            Self::Stencil(_) => stencil::NAME,
            Self::Reduce(_) => reduce::NAME,
            Self::Gemm(_) => gemm::NAME,
        }
    }

    /// What it costs.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match self {
            Self::Map(call) => call.cost(),
            Self::Copy(call) => call.cost(),
            Self::Stencil(call) => call.cost(),
            Self::Reduce(call) => call.cost(),
            Self::Gemm(call) => call.cost(),
        }
    }

    /// Fails unless all arguments live on `device`.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice) naming the argument.
    pub fn expect_device(&self, device: Device) -> Result<()> {
        let on = |argument, found| check::device(self.name(), argument, device, found);
        let inputs = match self {
            Self::Map(call) => &call.inputs,
            Self::Reduce(call) => &call.inputs,
            Self::Copy(call) => std::slice::from_ref(&call.x),
            Self::Stencil(call) => std::slice::from_ref(&call.x),
            Self::Gemm(call) => {
                on("a", call.a.device())?;
                std::slice::from_ref(&call.b)
            }
        };
        for view in inputs {
            on("an input", view.device())?;
        }
        on(
            "the output",
            match self {
                Self::Map(call) => call.out.device(),
                Self::Reduce(call) => call.out.device(),
                Self::Copy(call) => call.y.device(),
                Self::Stencil(call) => call.y.device(),
                Self::Gemm(call) => call.c.device(),
            },
        )
    }
}
