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
mod patch2d;
mod patch3d;
mod positions;
mod shift;
mod sliding1d;
mod sliding2d;
mod sliding3d;
mod smoothing;
mod windows;

pub use bilinear::Bilinear;
pub use convolve1d::Convolve1D;
pub use fft::FFT;
pub use fft2d::FFT2D;
pub use fftnd::FFTND;
pub use fourier_axis::{FourierAxis, FourierNorm, Spectrum};
pub use interp::Interp;
pub use interp_cubic_spline::InterpCubicSpline;
pub use interpolation::Interpolation;
pub use patch2d::Patch2D;
pub use patch3d::Patch3D;
pub use shift::Shift;
pub use sliding1d::Sliding1D;
pub use sliding2d::Sliding2D;
pub use sliding3d::Sliding3D;
pub use smoothing::Smoothing;
pub use windows::Windows;
