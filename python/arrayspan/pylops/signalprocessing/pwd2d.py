"""Spraying and smoothing along local slopes."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from ..utils.backend import to_numpy

__all__ = ["PWSprayer2D", "PWSmoother2D"]


class _PlaneWaves(Leaf):
    """An operator along slopes."""

    def __init__(self, dims, sigma, radius=8, alpha=0.9, dtype="float64", name="P"):
        if len(dims) != 2:
            raise ValueError(f"expected two dimensions, received {len(dims)}")
        self._radius, self._alpha = int(radius), float(alpha)
        self._sigma = np.ascontiguousarray(to_numpy(sigma))
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return self._engine(self.dims, self._sigma, self._radius, self._alpha, dtype)


class PWSprayer2D(_PlaneWaves):
    """Every value sprayed to both sides along local slopes.

    Parameters
    ----------
    dims : tuple
        The shape of models, ``(nz, nx)``.
    sigma : ndarray
        Slopes, in samples per column, of this shape.
    radius : int, optional
        The columns on each side.
    alpha : float, optional
        The factor from one column to the next.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _engine = staticmethod(engine.PWSprayer2D)


class PWSmoother2D(_PlaneWaves):
    """Every value sprayed along local slopes and collected there: ``P.H @ P`` with `P` the `PWSprayer2D`.

    Parameters
    ----------
    dims : tuple
        The shape of models, ``(nz, nx)``.
    sigma : ndarray
        Slopes, in samples per column, of this shape.
    radius : int, optional
        The columns on each side.
    alpha : float, optional
        The factor from one column to the next.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _engine = staticmethod(engine.PWSmoother2D)

    def __init__(self, dims, sigma, radius=8, alpha=0.9, dtype="float64", name="P"):
        super().__init__(dims, sigma, radius, alpha, dtype, name)
        self._sprayer = PWSprayer2D(dims, sigma, radius, alpha, dtype)
