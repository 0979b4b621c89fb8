"""Medical imaging."""

from .._missing import publish
from .mri import *

__all__ = ["MRI2D", *publish("medical", globals())]
