//! How convolutions are computed.

/// How a convolution is computed: see [`ConvolveND`](crate::ConvolveND).
///
/// A sample that is not finite makes those results so that it is a part of; by transforms all results of a block that has it and of those
/// beside it, or of the whole line or array. Rounding errors are those of the largest sample there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Convolution {
    /// By whichever takes less time where the filter is, as measured on GPUs and processors for filters of many lengths: products of
    /// taps, or transforms. GPUs make about 2000 products in the time of transforms of large arrays, processors some hundreds.
    #[default]
    Auto,
    /// By products of taps and samples, in one pass.
    Direct,
    /// By discrete Fourier transforms and back: [`Blocks`](Self::Blocks) along one axis where there is room for a filter of that many taps
    /// near a processor, else [`Whole`](Self::Whole).
    Fourier,
    /// By transforms of blocks that overlap (overlap-save), in one pass over memory: of a filter along one axis, or of one that is a
    /// product of such, with up to [`Filter::most_taps`](arrayspan_kernels::Filter::most_taps) taps.
    Blocks,
    /// By one transform along each axis, a product of spectra, and back.
    Whole,
}

impl Convolution {
    /// Whether it is by transforms.
    pub(super) fn transforms(self) -> bool {
        matches!(self, Self::Fourier | Self::Blocks | Self::Whole)
    }
}
