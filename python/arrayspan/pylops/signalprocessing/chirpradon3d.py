"""Linear Radon transforms of three axes, by chirps."""

import numpy as np

from ... import operators as engine_of
from .chirpradon2d import _Chirped

__all__ = ["ChirpRadon3D"]


class ChirpRadon3D(_Chirped):
    """Sums over planes, from data to slopes.

    Parameters
    ----------
    taxis, hyaxis, hxaxis : ndarray
        Times and offsets, evenly spaced.
    pmax : ndarray
        The largest slopes along y and x, in samples of time per sample of offset. (PyLops takes the first one for x.)
    engine : str, optional
        ``"numpy"`` or ``"fftw"``, accepted, as are its keyword arguments.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, taxis, hyaxis, hxaxis, pmax, engine="numpy", dtype="float64", name="C", **kwargs_fftw):
        if engine not in ("fftw", "numpy"):
            raise ValueError("`engine` must be numpy or fftw")
        dims = len(hyaxis), len(hxaxis), len(taxis)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)
        self.ny, self.nx, self.nt = self.dims
        self.dt, self.dy, self.dx = taxis[1] - taxis[0], hyaxis[1] - hyaxis[0], hxaxis[1] - hxaxis[0]
        self.pmax, self.engine, self.kwargs_fftw = pmax, engine, kwargs_fftw

    def _slopes(self):
        return [float(slope) for slope in self.pmax]

    def _build(self, dtype, like):
        return engine_of.ChirpRadon3D(self.dims, self._slopes(), dtype=dtype)

    def _inverse(self, dtype):
        return engine_of.ChirpRadon3D(self.dims, self._slopes(), inverse=True, dtype=dtype)
