"""Operators of signal processing."""

from .._missing import publish
from .bilinear import *
from .convolve1d import *
from .dct import *
from .dwt import *
from .dwt2d import *
from .dwtnd import *
from .fft import *
from .fft2d import *
from .fftnd import *
from .interp import *
from .interpspline import *
from .patch2d import *
from .patch3d import *
from .shift import *
from .sliding1d import *
from .sliding2d import *
from .sliding3d import *

__all__ = [
    "Bilinear",
    "Convolve1D",
    "DCT",
    "DWT",
    "DWT2D",
    "DWTND",
    "FFT",
    "FFT2D",
    "FFTND",
    "Interp",
    "InterpCubicSpline",
    "Patch2D",
    "Patch3D",
    "Shift",
    "Sliding1D",
    "Sliding2D",
    "Sliding3D",
    *publish("signalprocessing", globals()),
]
