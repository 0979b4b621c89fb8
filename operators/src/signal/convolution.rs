//! How convolutions are computed.

/// How a convolution is computed: see [`ConvolveND`](crate::ConvolveND).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Convolution {
    /// By whichever takes fewer operations, of products of taps and of transforms.
    #[default]
    Auto,
    /// By products of taps and samples.
    Direct,
    /// By one discrete Fourier transform along each axis, and back.
    Fourier,
}
