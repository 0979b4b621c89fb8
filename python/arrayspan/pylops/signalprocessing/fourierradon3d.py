"""Radon transforms of three axes, by phases of spectra."""

import numpy as np

from ... import operators as engine_of
from .._leaf import Leaf
from ..utils.backend import get_complex_dtype, to_numpy
from ._places import expect_engine
from .chirpradon2d import _Real

__all__ = ["FourierRadon3D"]


class FourierRadon3D(_Real, Leaf):
    """Planes or paraboloids of what a model has at slownesses and times, as data of offsets and times: see `FourierRadon2D`.

    Parameters
    ----------
    taxis, hyaxis, hxaxis, pyaxis, pxaxis : ndarray
        Times, evenly spaced, offsets, and slownesses.
    nfft : int
        The points of the transform along time.
    flims : tuple, optional
        The first bin that is used, and the one behind the last.
    kind : tuple of str, optional
        ``"linear"`` or ``"parabolic"``, along y and x.
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
        hyaxis,
        hxaxis,
        pyaxis,
        pxaxis,
        nfft,
        flims=None,
        kind=("linear", "linear"),
        engine="numpy",
        num_threads_per_blocks=(2, 16, 16),
        dtype="float64",
        name="R",
    ):
        expect_engine(engine)
        if len(kind) != 2:
            raise ValueError("kind must be a tuple of two elements")
        dims, dimsd = (len(pyaxis), len(pxaxis), len(taxis)), (len(hyaxis), len(hxaxis), len(taxis))
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)
        self.taxis, self.py, self.px, self.nfft = taxis, pyaxis, pxaxis, nfft
        self.hyaxis = hyaxis**2 if kind[0] == "parabolic" else hyaxis
        self.hxaxis = hxaxis**2 if kind[1] == "parabolic" else hxaxis
        self.nhy, self.nhx, self.nt = self.dimsd
        self.npy, self.npx = self.dims[:2]
        self.dt = float(taxis[1] - taxis[0])
        self.dhy, self.dhx = float(hyaxis[1] - hyaxis[0]), float(hxaxis[1] - hxaxis[0])
        self.f = np.fft.rfftfreq(nfft, d=self.dt).astype(self.dtype)
        self.nfft2, self.cdtype = len(self.f), get_complex_dtype(dtype)
        self.flims = (0, self.nfft2) if flims is None else flims

    def _build(self, dtype, like):
        slownesses = [to_numpy(axis).tolist() for axis in (self.py, self.px)]
        offsets = [to_numpy(axis).tolist() for axis in (self.hyaxis, self.hxaxis)]
        band = tuple(int(bin) for bin in self.flims)
        return engine_of.FourierRadon3D(
            self.dims, slownesses, offsets, int(self.nfft), self.dt, band, dtype=dtype
        )
