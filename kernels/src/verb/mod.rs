//! The verbs, as checked calls: an executor runs one without further checks.
//!
//! Output and inputs never share memory, because an output is borrowed exclusively. A call owns its layouts and its
//! expression, and ends with the borrows it was made of; [`held`](Call::held) by handles of its own on the memory, it
//! owns all it needs, so that a [`Plan`](crate::Plan) can keep it. It can be run any number of times.

pub(crate) mod axes;
pub(crate) mod check;
mod convolve;
mod convolve_varying;
mod copy;
mod copy_mapped;
mod describe;
mod dot;
mod epilogue;
mod fft;
mod fft_axes;
mod filter;
mod gather;
mod gemm;
mod launch;
mod map;
mod map_many;
mod project;
mod reduce;
mod scan;
mod stencil;
mod stencil_each;
mod stencil_sum;
mod terms;
mod transfer;

pub use convolve::ConvolveCall;
pub(crate) use convolve::lanes;
pub use convolve_varying::ConvolveVaryingCall;
pub use copy::CopyCall;
pub use copy_mapped::{
    CopyMappedCall, MOST_MAPPED, MOST_SPANS, Mapped, Span, Spans, read_of_mapped,
};
pub use describe::{OperandName, Verb};
pub(crate) use dot::DotCall;
pub use dot::{Dot, DotOf};
pub(crate) use epilogue::{Epilogue, Numbers};
pub use fft::FftCall;
pub use fft_axes::FftAxesCall;
pub use filter::FilterCall;
pub use gather::GatherCall;
pub(crate) use gather::Split;
pub use gemm::GemmCall;
pub use launch::LaunchCall;
pub(crate) use launch::{Slot, Work};
pub use map::MapCall;
pub(crate) use map::NAME as MAP;
pub(crate) use map::is_wider;
pub use map_many::MapManyCall;
pub(crate) use map_many::is_single;
pub use project::ProjectCall;
pub(crate) use project::{others, own};
pub use reduce::{ReduceCall, Reduction};
pub use scan::ScanCall;
pub(crate) use stencil::WeakStencil;
pub use stencil::{Stencil, StencilCall};
pub use stencil_each::StencilEachCall;
pub use stencil_sum::{Coefficients, StencilSumCall, StencilTerm};
pub(crate) use stencil_sum::{Factor, same};
pub(crate) use terms::Terms;
pub use transfer::TransferCall;

use arrayspan_bridge::devices::Device;

use crate::plan::Operands;
use crate::{Cost, Error, Result};

/// One verb with its arguments, checked.
#[derive(Debug)]
#[non_exhaustive]
pub enum Call<'a> {
    /// A fused elementwise expression.
    Map(MapCall<'a>),
    /// Several fused elementwise expressions, over real and complex arrays.
    MapMany(MapManyCall<'a>),
    /// A strided copy.
    Copy(CopyCall<'a>),
    /// A copy along index maps.
    CopyMapped(CopyMappedCall<'a>),
    /// Bands along axes, fused into one pass.
    Stencil(StencilCall<'a>),
    /// A sum of stencils of several inputs, fused into one pass.
    StencilSum(StencilSumCall<'a>),
    /// Bands along axes, each by itself, in one pass.
    StencilEach(StencilEachCall<'a>),
    /// A reduction over axes.
    Reduce(ReduceCall<'a>),
    /// A sparse matrix along an axis.
    Gather(GatherCall<'a>),
    /// Sums along curves.
    Project(ProjectCall<'a>),
    /// Running sums along an axis.
    Scan(ScanCall<'a>),
    /// Discrete Fourier transforms along an axis.
    Fft(FftCall<'a>),
    /// Discrete Fourier transforms along several axes.
    FftAxes(FftAxesCall<'a>),
    /// A long filter along an axis.
    Filter(FilterCall<'a>),
    /// A dense convolution along several axes.
    Convolve(ConvolveCall<'a>),
    /// A convolution with filters that change from place to place.
    ConvolveVarying(ConvolveVaryingCall<'a>),
    /// A batch of matrix products.
    Gemm(GemmCall<'a>),
    /// A kernel of the user's own.
    Launch(LaunchCall<'a>),
    /// A copy between devices.
    Transfer(TransferCall<'a>),
}

impl<'a> Call<'a> {
    /// The same call again, for a shorter time, with handles of its own on all memory: nothing of it refers to what it was
    /// made of.
    #[must_use]
    pub fn held(&mut self) -> Call<'_> {
        match self {
            Self::Map(call) => Call::Map(call.held()),
            Self::MapMany(call) => Call::MapMany(call.held()),
            Self::Copy(call) => Call::Copy(call.held()),
            Self::CopyMapped(call) => Call::CopyMapped(call.held()),
            Self::Stencil(call) => Call::Stencil(call.held()),
            Self::StencilSum(call) => Call::StencilSum(call.held()),
            Self::StencilEach(call) => Call::StencilEach(call.held()),
            Self::Reduce(call) => Call::Reduce(call.held()),
            Self::Gather(call) => Call::Gather(call.held()),
            Self::Project(call) => Call::Project(call.held()),
            Self::Scan(call) => Call::Scan(call.held()),
            Self::Fft(call) => Call::Fft(call.held()),
            Self::FftAxes(call) => Call::FftAxes(call.held()),
            Self::Filter(call) => Call::Filter(call.held()),
            Self::Convolve(call) => Call::Convolve(call.held()),
            Self::ConvolveVarying(call) => Call::ConvolveVarying(call.held()),
            Self::Gemm(call) => Call::Gemm(call.held()),
            Self::Launch(call) => Call::Launch(call.held()),
            Self::Transfer(call) => Call::Transfer(call.held()),
        }
    }

    /// The same call [held](Self::held), for as long as one likes: for those that keep calls.
    ///
    /// # Safety
    /// The borrows that the arrays of this call were given for have ended by the time it is executed. Whoever executes it
    /// sees to it that all that it writes is exclusively borrowed again then, or held by kept calls alone, and that nobody
    /// writes what it reads.
    pub(crate) unsafe fn outliving(&mut self) -> Call<'static> {
        // SAFETY: only a lifetime changes, which stands for the borrow of the arrays, not for the life of anything: a held call
        // owns handles of all memory that its operands lie in, its layouts and its expression, and has no reference to
        // anything. That the arrays are accessed in order is the caller's.
        unsafe { std::mem::transmute::<Call<'_>, Call<'static>>(self.held()) }
    }

    /// What every call tells of itself.
    #[must_use]
    pub fn verb(&self) -> &dyn Verb {
        match self {
            Self::Map(call) => call,
            Self::MapMany(call) => call,
            Self::Copy(call) => call,
            Self::CopyMapped(call) => call,
            Self::Stencil(call) => call,
            Self::StencilSum(call) => call,
            Self::StencilEach(call) => call,
            Self::Reduce(call) => call,
            Self::Gather(call) => call,
            Self::Project(call) => call,
            Self::Scan(call) => call,
            Self::Fft(call) => call,
            Self::FftAxes(call) => call,
            Self::Filter(call) => call,
            Self::Convolve(call) => call,
            Self::ConvolveVarying(call) => call,
            Self::Gemm(call) => call,
            Self::Launch(call) => call,
            Self::Transfer(call) => call,
        }
    }

    /// What has its operands.
    pub(crate) fn operands(&mut self) -> &mut dyn Operands {
        match self {
            Self::Map(call) => call,
            Self::MapMany(call) => call,
            Self::Copy(call) => call,
            Self::CopyMapped(call) => call,
            Self::Stencil(call) => call,
            Self::StencilSum(call) => call,
            Self::StencilEach(call) => call,
            Self::Reduce(call) => call,
            Self::Gather(call) => call,
            Self::Project(call) => call,
            Self::Scan(call) => call,
            Self::Fft(call) => call,
            Self::FftAxes(call) => call,
            Self::Filter(call) => call,
            Self::Convolve(call) => call,
            Self::ConvolveVarying(call) => call,
            Self::Gemm(call) => call,
            Self::Launch(call) => call,
            Self::Transfer(call) => call,
        }
    }

    /// What is computed of its sums.
    pub(crate) fn epilogue(&mut self) -> Option<&mut Epilogue<'a>> {
        match self {
            Self::MapMany(call) => Some(&mut call.epilogue),
            Self::Stencil(call) => Some(&mut call.epilogue),
            Self::Reduce(call) => Some(&mut call.epilogue),
            _ => None,
        }
    }

    /// The verb's name in errors and traces.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.verb().name()
    }

    /// What it costs.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.verb().cost()
    }

    /// Fails unless all arguments live on `device`; of a transfer one does.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] naming the argument.
    pub fn expect_device(&self, device: Device) -> Result<()> {
        if let Self::Transfer(call) = self
            && call.touches(device)
        {
            return Ok(());
        }
        let verb = self.verb();
        let mut wrong = None;
        verb.for_each_operand(&mut |argument, _, operand| {
            if operand.device() != device {
                wrong.get_or_insert_with(|| (argument.to_string(), operand.device()));
            }
        });
        let Some((argument, found)) = wrong else { return Ok(()) };
        Err(Error::WrongDevice { verb: verb.name(), argument, expected: device, found })
    }
}
