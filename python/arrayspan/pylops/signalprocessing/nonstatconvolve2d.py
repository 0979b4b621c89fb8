"""Convolution along two axes with filters that change from place to place."""

import numpy as np

from ... import operators as engine_of
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ._places import Allocated, expect_engine, expect_odd, expect_regular, expect_within, grid, integers

__all__ = ["NonStationaryConvolve2D", "NonStationaryFilters2D"]


class NonStationaryConvolve2D(Allocated):
    """The convolution with filters on a grid of places, interpolated along both axes between these: each sample spreads its own.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    hs : ndarray
        The filters, of shape ``(nfilts_x, nfilts_z, nx, nz)`` with odd `nx` and `nz`.
    ihx, ihz : tuple
        Their places along both axes, evenly spaced.
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
        self, dims, hs, ihx, ihz, engine="numpy", num_threads_per_blocks=(32, 32), dtype="float64", name="C"
    ):
        expect_engine(engine)
        expect_odd(hs.shape[2:])
        expect_regular(ihx, ihz)
        expect_within(dims, ihx, ihz)
        self.hs, self.hshape, self.engine = hs, hs.shape[2:], engine
        self._places = [integers(ihx), integers(ihz)]
        self.ohx, self.dhx, self.nhx, self.ehx = grid(ihx)
        self.ohz, self.dhz, self.nhz, self.ehz = grid(ihz)
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return engine_of.NonStationaryConvolve2D(self.dims, placed(self.hs, dtype, like), self._places, dtype)


class NonStationaryFilters2D(Allocated):
    """What filters on a grid of places, interpolated between these, give of an input: see `NonStationaryConvolve2D`.

    Parameters
    ----------
    inp : ndarray
        The input, of two axes.
    hshape : tuple
        The lengths of filters, odd numbers.
    ihx, ihz : tuple
        Their places along both axes, evenly spaced.
    engine : str, optional
        ``"numpy"``, ``"numba"`` or ``"cuda"``, accepted.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _holds = ("inp",)

    def __init__(self, inp, hshape, ihx, ihz, engine="numpy", dtype="float64", name="C"):
        expect_engine(engine)
        expect_odd(hshape)
        expect_regular(ihx, ihz)
        expect_within(inp.shape, ihx, ihz)
        self.inp, self.hshape, self.engine = inp, tuple(int(size) for size in hshape), engine
        self._places = [integers(ihx), integers(ihz)]
        self.ohx, self.dhx, self.nhx, self.ehx = grid(ihx)
        self.ohz, self.dhz, self.nhz, self.ehz = grid(ihz)
        dims = (self.nhx, self.nhz, *self.hshape)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=inp.shape, name=name)

    def _build(self, dtype, like):
        return engine_of.NonStationaryFilters2D(placed(self.inp, dtype, like), self.hshape, self._places)
