"""Radon transforms of two axes, along curves of time."""

import numpy as np

from ... import operators as engine_of
from .._leaf import Leaf
from ..utils.backend import to_numpy
from ._curves import expect_engine, expect_kind, from_middle, step_of

__all__ = ["Radon2D"]


class Radon2D(Leaf):
    """What a model has at slownesses and times, spread along curves of data of offsets and times; its adjoint stacks.

    Parameters
    ----------
    taxis, haxis : ndarray
        Times and offsets, evenly spaced.
    pxaxis : ndarray
        Slownesses; PyLops's units, in which both axes have steps of 1 but for that of `pxaxis`.
    kind : str or callable, optional
        ``"linear"``, ``"parabolic"``, ``"hyperbolic"``, or ``kind(x, t, px)``, the times at all offsets `x`, in samples, of the curve
        that begins at sample `t`.
    centeredh : bool, optional
        Whether offsets are counted from the middle of `haxis`, whatever they are.
    interp : bool, optional
        Whether to interpolate between samples, or to take the nearest one.
    onthefly : bool, optional
        Accepted: positions are computed on the way; those of a callable are in a table.
    engine : str, optional
        ``"numpy"`` or ``"numba"``, accepted.
    dtype : str, optional
        The dtype of results.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        taxis,
        haxis,
        pxaxis,
        kind="linear",
        centeredh=True,
        interp=True,
        onthefly=False,
        engine="numpy",
        dtype="float64",
        name="R",
    ):
        expect_engine(engine)
        if not callable(kind):
            expect_kind(kind)
        taxis, haxis, pxaxis = (to_numpy(axis) for axis in (taxis, haxis, pxaxis))
        dims, dimsd = (pxaxis.size, taxis.size), (haxis.size, taxis.size)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)
        self.engine, self.kind, self.interp, self.usetable = engine, kind, interp, not onthefly
        (self.nx0, self.nt0), (self.nx, self.nt) = self.dims, self.dimsd
        step = step_of(haxis)
        self._slownesses = pxaxis * (step / step_of(taxis))
        self._offsets = from_middle(haxis.size) if centeredh else haxis / step

    def _positions(self):
        """Where the curves of a callable are, which PyLops's range and the nearest sample decide about."""
        places = np.empty((self.nx0, self.nt0, self.nx))
        for row, slowness in enumerate(self._slownesses):
            for sample in range(self.nt0):
                places[row, sample] = self.kind(self._offsets, sample, slowness)
        return places if self.interp else np.floor(places + 0.5)

    def _build(self, dtype, like):
        interpolation = "linear" if self.interp else "nearest"
        if callable(self.kind):
            return engine_of.Spread(self.dims, self.dimsd, self._positions(), interpolation, dtype)
        slownesses, offsets = self._slownesses.tolist(), self._offsets.tolist()
        return engine_of.Radon2D(
            self.dims, slownesses, offsets, 1.0, self.kind, interpolation, dtype=dtype
        )
