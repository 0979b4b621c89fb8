//! What users of operators need: `use arrayspan_operators::prelude::*;`.

pub use arrayspan_kernels::{Factor, Update};

pub use crate::algebra::{Formula, Kronecker, Lift, Operator, adjoint};
pub use crate::avo::PoststackLinearModelling;
pub use crate::basic::{
    CausalIntegration, Conj, Diagonal, Flip, FunctionOperator, Identity, Imag, Integral,
    LinearRegression, MatrixMult, MemoizeOperator, Pad, Real, Regression, Restriction, Roll,
    Spread, SumAlong, Symmetrize, ToDevice, Transpose, Zero,
};
pub use crate::derivative::{
    Along, Direction, Edge, FirstDerivative, FirstDirectionalDerivative, Gradient, Laplacian,
    Scheme, SecondDerivative, SecondDirectionalDerivative,
};
pub use crate::form::Form;
pub use crate::medical::{BeamGeometry, CT2D, KSpace, MRI2D};
pub use crate::signal::{
    Bilinear, Biorthogonal, ChirpRadon2D, ChirpRadon3D, Convolution, Convolve1D, Convolve2D,
    ConvolveND, Cosines, CurveletBand, CurveletKind, Curvelets, DCT, DTCWT, DWT, DWT2D, DWTND, FFT,
    FFT2D, FFTND, FinestScale, FourierAxis, FourierNorm, FourierRadon2D, FourierRadon3D, Fredholm1,
    Interp, InterpCubicSpline, Interpolation, NonStationaryConvolve1D, NonStationaryConvolve2D,
    NonStationaryConvolve3D, NonStationaryFilters1D, NonStationaryFilters2D, PWSmoother2D,
    PWSprayer2D, Patch2D, Patch3D, QuarterShift, Radon2D, Radon3D, RadonKind, Seislet,
    SeisletBasis, Shift, Sliding1D, Sliding2D, Sliding3D, Smoothing, Spectrum, UDCT, Wavelet,
    Windows,
};
pub use crate::sparse::Sparse;
pub use crate::{Devices, LinearMap, LinearOperator, Space, Workspace};
pub use crate::{block_diagonal, hstack, stack, vstack};
