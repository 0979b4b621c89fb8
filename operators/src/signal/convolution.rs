//! How convolutions are computed.

/// How a convolution is computed: see [`ConvolveND`](crate::ConvolveND).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Convolution {
    /// By whichever takes fewer operations, of products of taps and of transforms.
    #[default]
    Auto,
    /// By products of taps and samples.
    Direct,
    /// By discrete Fourier transforms and back: along one axis of blocks that overlap (overlap-save), in one pass over memory, as long as
    /// there is room for a filter of that many taps near a processor; else one transform along each axis.
    Fourier,
}
