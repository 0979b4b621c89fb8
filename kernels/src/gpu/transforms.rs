//! By what Fourier transforms are done.

/// By what an executor of a device does Fourier transforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transforms {
    /// By the vendor's library (cuFFT) where it takes less time and is installed, else by kernels of our own.
    #[default]
    Either,
    /// By kernels of our own.
    Own,
    /// By the vendor's library, wherever it takes the call; for small ones that is slower. Where there is none: by kernels of
    /// our own.
    Library,
    /// As with a library, in whose place our own kernels stand: for tests of what is around it.
    #[doc(hidden)]
    StandIn,
}
