//! The verbs on the host, in parallel over its cores.
//!
//! A verb arranges its arrays into as few axes as they allow, cuts its output into parts for the cores, and walks
//! each part lane by lane. Inner loops run over slices, in vector code chosen at run time.
#![allow(
    clippy::inline_always,
    reason = "a loop is vector code only where it is inlined into a function with vector instructions"
)]

mod across;
mod arranged;
mod banded;
mod blend;
mod combine;
pub(crate) mod constants;
mod convolve;
mod convolve_rows;
mod convolve_varying;
mod copy;
mod copy_mapped;
mod elementwise;
mod evaluate;
mod fft;
mod filter;
mod fold;
mod gather;
mod gather_half;
mod gather_rows;
mod gemm;
mod group;
mod halves;
mod keep;
mod kept_stencil;
mod line;
mod lines;
mod map;
mod map_many;
mod mapped_axes;
mod norms;
mod one_element;
mod operands;
mod packed;
mod parts;
mod pieces;
mod project;
mod project_rows;
mod reduce;
mod reduce_parts;
mod rows;
mod scalar;
mod scan;
mod scan_line;
mod scan_rows;
mod scan_sums;
mod side_by_side;
mod slide;
mod squares;
mod stencil;
mod stencil_half;
mod steps;
mod stored;
mod sum;
mod tile;
mod vectors;
mod walk;
mod window;

use arrayspan_bridge::devices::{Device, Stream};

use crate::verb::Call;
use crate::{Executor, Result};

/// Runs verbs on the host's cores. Its work is done when a call returns. Verbs are methods of `dyn Executor`: [`on`](crate::on) gives
/// such a one for a device.
#[derive(Debug)]
pub struct Host {
    stream: Stream,
}

impl Host {
    /// An executor for arrays on the CPU.
    ///
    /// # Errors
    /// Never in practice; the CPU's stream cannot fail.
    pub fn new() -> Result<Self> {
        Ok(Self::on(Device::cpu().stream()?))
    }

    /// An executor for one of the CPU's streams.
    pub(crate) fn on(stream: Stream) -> Self {
        Self { stream }
    }
}

impl Executor for Host {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn has_graphs(&self) -> bool {
        true
    }

    fn keeping(&self) -> Result<Option<Box<dyn Executor>>> {
        Ok(Some(Box::new(keep::Keeping::new(&self.stream))))
    }

    fn execute(&self, call: &mut Call<'_>) -> Result<()> {
        self.run(call)?;
        call.epilogue().map_or(Ok(()), map_many::epilogue)
    }
}

impl Host {
    /// Runs a call, without what is computed of its sums.
    fn run(&self, call: &mut Call<'_>) -> Result<()> {
        match call {
            Call::Map(call) => map::run(call),
            Call::MapMany(call) => map_many::run(call),
            Call::Copy(call) => copy::run(self, call),
            Call::CopyMapped(call) => copy_mapped::run(call),
            Call::Stencil(call) => stencil::run(self, call),
            Call::StencilSum(call) => stencil::run_sum(self, call),
            Call::StencilEach(call) => call.each(|call| stencil::run(self, call)),
            Call::Reduce(call) => reduce::run(call),
            Call::Gather(call) => gather::run(call),
            Call::Scan(call) => scan::run(call),
            Call::Project(call) => project::run(call),
            Call::Fft(call) => fft::run(call),
            Call::FftAxes(call) => call.each(fft::run),
            Call::Filter(call) => filter::run(call),
            Call::Convolve(call) => convolve::run(call),
            Call::ConvolveVarying(call) => convolve_varying::run(call),
            Call::Gemm(call) => gemm::run(call),
            Call::Transfer(call) => call.run(&self.stream),
            Call::Launch(call) => {
                Err(crate::user::no_compiler(self.stream.device(), &call.definition.name))
            }
        }
    }
}
