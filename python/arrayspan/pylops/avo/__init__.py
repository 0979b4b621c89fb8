"""Seismic reservoir characterisation."""

from .._missing import publish
from .poststack import *

__all__ = ["PoststackLinearModelling", "PoststackInversion", *publish("avo", globals())]
