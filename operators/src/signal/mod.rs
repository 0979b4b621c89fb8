//! Filters, what is between samples, and spectra.

mod bilinear;
pub(crate) mod convolve1d;
mod fft;
mod fft2d;
mod fftnd;
mod fourier_axis;
mod interp;
mod interp_cubic_spline;
mod interpolation;
mod positions;
mod shift;
mod smoothing;

pub use bilinear::Bilinear;
pub use convolve1d::Convolve1D;
pub use fft::FFT;
pub use fft2d::FFT2D;
pub use fftnd::FFTND;
pub use fourier_axis::{FourierAxis, FourierNorm, Spectrum};
pub use interp::Interp;
pub use interp_cubic_spline::InterpCubicSpline;
pub use interpolation::Interpolation;
pub use shift::Shift;
pub use smoothing::Smoothing;
