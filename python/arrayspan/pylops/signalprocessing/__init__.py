"""Operators of signal processing."""

from .._missing import publish
from .bilinear import *
from .convolve1d import *
from .fft import *
from .fft2d import *
from .fftnd import *
from .interp import *
from .interpspline import *
from .shift import *

__all__ = [
    "Bilinear",
    "Convolve1D",
    "FFT",
    "FFT2D",
    "FFTND",
    "Interp",
    "InterpCubicSpline",
    "Shift",
    *publish("signalprocessing", globals()),
]
