"""Convolution along an axis with filters that change from place to place."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_array_module, get_normalize_axis_index
from ._places import Allocated, expect_odd, expect_regular, expect_within, grid, integers

__all__ = ["NonStationaryConvolve1D", "NonStationaryFilters1D"]


class NonStationaryConvolve1D(Leaf):
    """The convolution with filters at places of an axis, and on straight lines between these: each sample spreads its own.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    hs : ndarray
        The filters, one in each row, of odd length.
    ih : tuple
        Their places, evenly spaced.
    axis : int, optional
        The axis.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("hs",)

    def __init__(self, dims, hs, ih, axis=-1, dtype="float64", name="C"):
        dims = _value_or_sized_to_tuple(dims)
        expect_odd(hs.shape[1:])
        expect_regular(ih)
        expect_within([dims[axis]], ih)
        self.hs, self.hsize, self.axis, self._places = hs, hs.shape[1], axis, integers(ih)
        self.oh, self.dh, self.nh, self.eh = grid(ih)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    @property
    def hsinterp(self):
        """The filters of all samples."""
        module = get_array_module(self.hs)
        samples = np.arange(self.dims[self.axis])
        hats = [np.interp(samples, self._places, hat) for hat in np.eye(self.nh)]
        return (module.asarray(np.stack(hats, 1)) @ self.hs).astype(self.dtype)

    def _build(self, dtype, like):
        filters = placed(self.hs, dtype, like)
        axis = int(get_normalize_axis_index()(self.axis, len(self.dims)))
        return engine.NonStationaryConvolve1D(self.dims, filters, self._places, axis, dtype)


class NonStationaryFilters1D(Allocated):
    """What filters at places of an axis, and on straight lines between these, give of an input: see `NonStationaryConvolve1D`.

    Parameters
    ----------
    inp : ndarray
        The input, of one axis.
    hsize : int
        The length of filters, an odd number.
    ih : tuple
        Their places, evenly spaced.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _holds = ("inp",)

    def __init__(self, inp, hsize, ih, dtype="float64", name="C"):
        expect_odd([hsize])
        expect_regular(ih)
        expect_within([inp.size], ih)
        self.inp, self.hsize, self._places = inp, hsize, integers(ih)
        self.oh, self.dh, self.nh, self.eh = grid(ih)
        super().__init__(dtype=np.dtype(dtype), dims=(len(ih), hsize), dimsd=inp.shape, name=name)

    def _build(self, dtype, like):
        return engine.NonStationaryFilters1D(placed(self.inp, dtype, like), self.hsize, self._places)
