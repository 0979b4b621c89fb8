//! How convolutions are computed.

/// How a convolution is computed: see [`ConvolveND`](crate::ConvolveND).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Convolution {
    /// By whichever takes less time where the filter is, by a model: products of taps, or transforms. GPUs make about 2000 products in the time of
    /// transforms of large arrays, processors some hundreds.
    #[default]
    Auto,
    /// By products of taps and samples, in one pass.
    Direct,
    /// By discrete Fourier transforms and back: along one axis of blocks that overlap (overlap-save), in one pass over memory, as long as
    /// there is room for a filter of that many taps near a processor; else one transform along each axis.
    Fourier,
}
