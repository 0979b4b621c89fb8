"""Operators of signal processing."""

from .bilinear import *
from .chirpradon2d import *
from .chirpradon3d import *
from .convolve1d import *
from .convolve2d import *
from .convolvend import *
from .dct import *
from .dtcwt import *
from .dwt import *
from .dwt2d import *
from .dwtnd import *
from .fft import *
from .fft2d import *
from .fftnd import *
from .fourierradon2d import *
from .fourierradon3d import *
from .fredholm1 import *
from .interp import *
from .interpspline import *
from .nonstatconvolve1d import *
from .nonstatconvolve2d import *
from .nonstatconvolve3d import *
from .patch2d import *
from .patch3d import *
from .pwd2d import *
from .seislet import *
from .radon2d import *
from .radon3d import *
from .shift import *
from .sliding1d import *
from .sliding2d import *
from .sliding3d import *
from .udct import *

__all__ = [
    "Bilinear",
    "ChirpRadon2D",
    "ChirpRadon3D",
    "Convolve1D",
    "Convolve2D",
    "ConvolveND",
    "DCT",
    "DTCWT",
    "DWT",
    "DWT2D",
    "DWTND",
    "FFT",
    "FFT2D",
    "FFTND",
    "FourierRadon2D",
    "FourierRadon3D",
    "Fredholm1",
    "Interp",
    "InterpCubicSpline",
    "NonStationaryConvolve1D",
    "NonStationaryConvolve2D",
    "NonStationaryConvolve3D",
    "NonStationaryFilters1D",
    "NonStationaryFilters2D",
    "Patch2D",
    "Patch3D",
    "PWSmoother2D",
    "PWSprayer2D",
    "Seislet",
    "Radon2D",
    "Radon3D",
    "Shift",
    "Sliding1D",
    "Sliding2D",
    "Sliding3D",
    "UDCT",
]
