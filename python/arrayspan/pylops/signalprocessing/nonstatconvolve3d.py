"""Convolution along three axes with filters that change from place to place."""

import numpy as np

from ... import operators as engine_of
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ._places import Allocated, expect_engine, expect_odd, expect_regular, expect_within, grid, integers

__all__ = ["NonStationaryConvolve3D"]


class NonStationaryConvolve3D(Allocated):
    """The convolution with filters on a grid of places, interpolated along all axes between these: each sample spreads its own.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    hs : ndarray
        The filters, of shape ``(nfilts_x, nfilts_y, nfilts_z, nx, ny, nz)`` with odd `nx`, `ny` and `nz`.
    ihx, ihy, ihz : tuple
        Their places along the axes, evenly spaced.
    engine : str, optional
        ``"numpy"``, ``"numba"`` or ``"cuda"``, accepted.
    num_threads_per_blocks : tuple, optional
        Accepted.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _holds = ("hs",)

    def __init__(
        self, dims, hs, ihx, ihy, ihz, engine="numpy", num_threads_per_blocks=(2, 16, 16), dtype="float64", name="C"
    ):
        expect_engine(engine)
        expect_odd(hs.shape[3:])
        expect_regular(ihx, ihy, ihz)
        expect_within(dims, ihx, ihy, ihz)
        self.hs, self.hshape, self.engine = hs, hs.shape[3:], engine
        self._places = [integers(ihx), integers(ihy), integers(ihz)]
        self.ohx, self.dhx, self.nhx, self.ehx = grid(ihx)
        self.ohy, self.dhy, self.nhy, self.ehy = grid(ihy)
        self.ohz, self.dhz, self.nhz, self.ehz = grid(ihz)
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return engine_of.NonStationaryConvolve3D(self.dims, placed(self.hs, dtype, like), self._places, dtype)
