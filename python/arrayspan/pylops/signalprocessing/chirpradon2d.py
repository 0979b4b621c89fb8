"""Linear Radon transforms of two axes, by chirps."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf

__all__ = ["ChirpRadon2D"]


class _Real:
    """A transform of real numbers: PyLops takes real parts of complex data."""

    def _choose_dtype(self, given):
        return _dtypes.real(_dtypes.promoted(given))


class _Chirped(_Real, Leaf):
    """A transform with an inverse."""

    def inverse(self, x):
        """From slopes to data, flat."""
        dtype = np.dtype(self._choose_dtype(x.dtype))
        native = self._inverse(dtype)
        return native.forward(_dtypes.cast(x, dtype).reshape(self.dimsd)).reshape(-1)


class ChirpRadon2D(_Chirped):
    """Sums along straight lines, from data to slopes.

    Parameters
    ----------
    taxis, haxis : ndarray
        Times and offsets, evenly spaced.
    pmax : float
        The largest slope, in samples of time per sample of offset.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, taxis, haxis, pmax, dtype="float64", name="C"):
        dims = len(haxis), len(taxis)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)
        self.nh, self.nt = self.dims
        self.dt, self.dh, self.pmax = taxis[1] - taxis[0], haxis[1] - haxis[0], pmax

    def _build(self, dtype, like):
        return engine.ChirpRadon2D(self.dims, float(self.pmax), dtype=dtype)

    def _inverse(self, dtype):
        return engine.ChirpRadon2D(self.dims, float(self.pmax), inverse=True, dtype=dtype)
