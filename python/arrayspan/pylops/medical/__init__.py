"""Operators of medical imaging."""

from .._missing import publish
from .ct import *

__all__ = ["CT2D", *publish("medical", globals())]
