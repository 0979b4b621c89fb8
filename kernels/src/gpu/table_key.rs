//! What tables in a device's memory are kept by.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Stream;

use super::fft::Table;
use super::tables::{Tables, Uploaded};
use super::{convolve, convolve_varying, filter, gather, project};
use crate::gather::{Marks, Tiling};
use crate::{Convolution, Filter, Gather, Projection, Result, Stencil, VaryingConvolution};

/// What tables are of, and how they are written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A stencil, for a dtype, with complex weights or not, with places of 64 bits or not.
    Stencil(Stencil, DType, bool, bool),
    /// A sparse matrix, for a dtype.
    Gather(Gather, DType),
    /// The same in tiles.
    Tiles(Gather, DType, Tiling),
    /// The marks of one of its sides.
    Marks(Gather, Marks),
    /// Sums along curves, with real numbers of a dtype.
    Projection(Projection, DType),
    /// Fourier transforms, for a complex dtype.
    Fourier(Table, DType),
    /// A long filter and the samples of its blocks, for a dtype.
    Filter(Filter, usize, DType),
    /// The same for threads that hold the samples.
    HeldFilter(Filter, usize, DType),
    /// A dense convolution and the order of its weights, for a dtype.
    Convolution(Convolution, convolve::Order, DType),
    /// A convolution whose filters change, and the order of its weights, for a dtype.
    VaryingConvolution(VaryingConvolution, convolve_varying::Order, DType),
}

impl Key {
    /// Copies the tables to `stream`'s device.
    pub(super) fn upload(&self, stream: &Stream) -> Result<Uploaded> {
        match self {
            &Self::Stencil(ref stencil, dtype, complex, wide) => {
                Tables::new(stencil).upload(dtype, complex, wide, stream)
            }
            Self::Gather(gather, dtype) => gather::upload(gather, *dtype, stream),
            Self::Tiles(gather, dtype, tiling) => {
                gather::upload_tiles(gather, *dtype, *tiling, stream)
            }
            Self::Marks(gather, marks) => gather::upload_marks(gather, *marks, stream),
            Self::Projection(projection, dtype) => project::upload(projection, *dtype, stream),
            Self::Fourier(table, dtype) => table.upload(*dtype, stream),
            Self::Filter(filter, samples, dtype) => {
                filter::upload(filter, *samples, *dtype, stream)
            }
            Self::HeldFilter(filter, points, dtype) => {
                filter::upload_held(filter, *points, *dtype, stream)
            }
            Self::Convolution(convolution, order, dtype) => {
                convolve::upload(convolution, order, *dtype, stream)
            }
            Self::VaryingConvolution(convolution, order, dtype) => {
                convolve_varying::upload(convolution, order, *dtype, stream)
            }
        }
    }

    /// Whether nobody but this key has what the tables are of, so that nobody asks for them again.
    pub(super) fn is_forgotten(&self) -> bool {
        match self {
            Self::Stencil(..) | Self::Fourier(..) => false,
            Self::Filter(filter, ..) | Self::HeldFilter(filter, ..) => filter.is_alone(),
            Self::Convolution(convolution, ..) => convolution.is_alone(),
            Self::VaryingConvolution(convolution, ..) => convolution.is_alone(),
            Self::Projection(projection, _) => projection.is_alone(),
            Self::Gather(gather, _) | Self::Tiles(gather, ..) | Self::Marks(gather, _) => {
                gather.is_alone()
            }
        }
    }
}
