"""Radon transforms of two axes, by phases of spectra."""

import numpy as np

from ... import operators as engine_of
from .._leaf import Leaf
from ..utils.backend import get_complex_dtype, to_numpy
from ._places import expect_engine
from .chirpradon2d import _Real

__all__ = ["FourierRadon2D"]


class FourierRadon2D(_Real, Leaf):
    """Lines or parabolas of what a model has at slownesses and times, as data of offsets and times.

    Parameters
    ----------
    taxis, haxis, pxaxis : ndarray
        Times, evenly spaced, offsets, and slownesses.
    nfft : int
        The points of the transform along time.
    flims : tuple, optional
        The first bin that is used, and the one behind the last.
    kind : str, optional
        ``"linear"`` or ``"parabolic"``.
    engine : str, optional
        ``"numpy"``, ``"numba"`` or ``"cuda"``, accepted.
    num_threads_per_blocks : tuple, optional
        Accepted.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        taxis,
        haxis,
        pxaxis,
        nfft,
        flims=None,
        kind="linear",
        engine="numpy",
        num_threads_per_blocks=(32, 32),
        dtype="float64",
        name="R",
    ):
        expect_engine(engine)
        dims, dimsd = (len(pxaxis), len(taxis)), (len(haxis), len(taxis))
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)
        self.taxis, self.px, self.nfft = taxis, pxaxis, nfft
        self.haxis = haxis**2 if kind == "parabolic" else haxis
        self.nh, self.nt = self.dimsd
        self.npx = self.dims[0]
        self.dt, self.dh = float(taxis[1] - taxis[0]), float(haxis[1] - haxis[0])
        self.f = np.fft.rfftfreq(nfft, d=self.dt).astype(self.dtype)
        self.nfft2, self.cdtype = len(self.f), get_complex_dtype(dtype)
        self.flims = (0, self.nfft2) if flims is None else flims

    def _build(self, dtype, like):
        slownesses, offsets = (to_numpy(axis).tolist() for axis in (self.px, self.haxis))
        band = tuple(int(bin) for bin in self.flims)
        return engine_of.FourierRadon2D(
            self.dims, slownesses, offsets, int(self.nfft), self.dt, band, dtype=dtype
        )
