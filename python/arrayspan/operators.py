"""Constructors of linear operators, in the terms of the Rust library.

Shapes are integers or tuples of them; axes below zero count from the last one. Steps, filters and factors are numbers,
rounded to the operator's ``dtype``; arrays of weights are copied when an operator is made, so that nobody changes it later.
"""

from arrayspan._native import operators as _native

Identity = _native.Identity
Zero = _native.Zero
Diagonal = _native.Diagonal
Conj = _native.Conj
Real = _native.Real
Imag = _native.Imag
MatrixMult = _native.MatrixMult
Transpose = _native.Transpose
Flip = _native.Flip
Roll = _native.Roll
Pad = _native.Pad
Symmetrize = _native.Symmetrize
Restriction = _native.Restriction
Spread = _native.Spread
SumAlong = _native.SumAlong
CausalIntegration = _native.CausalIntegration
Regression = _native.Regression
LinearRegression = _native.LinearRegression
MemoizeOperator = _native.MemoizeOperator
ToDevice = _native.ToDevice
FirstDerivative = _native.FirstDerivative
SecondDerivative = _native.SecondDerivative
Laplacian = _native.Laplacian
Gradient = _native.Gradient
FirstDirectionalDerivative = _native.FirstDirectionalDerivative
SecondDirectionalDerivative = _native.SecondDirectionalDerivative
Convolve1D = _native.Convolve1D
Convolve2D = _native.Convolve2D
ConvolveND = _native.ConvolveND
NonStationaryConvolve1D = _native.NonStationaryConvolve1D
NonStationaryConvolve2D = _native.NonStationaryConvolve2D
NonStationaryConvolve3D = _native.NonStationaryConvolve3D
NonStationaryFilters1D = _native.NonStationaryFilters1D
NonStationaryFilters2D = _native.NonStationaryFilters2D
Fredholm1 = _native.Fredholm1
ChirpRadon2D = _native.ChirpRadon2D
ChirpRadon3D = _native.ChirpRadon3D
FourierRadon2D = _native.FourierRadon2D
FourierRadon3D = _native.FourierRadon3D
Radon2D = _native.Radon2D
Radon3D = _native.Radon3D
CT2D = _native.CT2D
Smoothing = _native.Smoothing
Interp = _native.Interp
InterpCubicSpline = _native.InterpCubicSpline
Bilinear = _native.Bilinear
FFT = _native.FFT
FFT2D = _native.FFT2D
FFTND = _native.FFTND
Shift = _native.Shift
Sliding1D = _native.Sliding1D
Sliding2D = _native.Sliding2D
Sliding3D = _native.Sliding3D
Patch2D = _native.Patch2D
Patch3D = _native.Patch3D
DWT = _native.DWT
DWT2D = _native.DWT2D
DWTND = _native.DWTND
DCT = _native.DCT
DTCWT = _native.DTCWT
UDCT = _native.UDCT
Seislet = _native.Seislet
PWSprayer2D = _native.PWSprayer2D
PWSmoother2D = _native.PWSmoother2D
PoststackLinearModelling = _native.PoststackLinearModelling
MRI2D = _native.MRI2D
Kronecker = _native.Kronecker
from_functions = _native.from_functions
vstack = _native.vstack
hstack = _native.hstack
stack = _native.stack
block_diagonal = _native.block_diagonal
wavelets = _native.wavelets
curvelet_bands = _native.curvelet_bands

__all__ = [name for name in dir() if not name.startswith("_")]
