"""Seismic wave fields: not yet part of arrayspan."""

from .._missing import publish

__all__ = publish("waveeqprocessing", globals())
