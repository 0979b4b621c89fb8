"""Operators of medical imaging."""

from .ct import *
from .mri import *

__all__ = ["CT2D", "MRI2D"]
