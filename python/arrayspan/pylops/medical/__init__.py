"""Operators of medical imaging."""

from .._missing import publish
from .ct import *
from .mri import *

__all__ = ["CT2D", "MRI2D", *publish("medical", globals())]
