"""Means of neighbours."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index

__all__ = ["Smoothing1D", "Smoothing2D", "SmoothingND"]


class SmoothingND(Leaf):
    """The mean of neighbours along axes; beyond the ends are zeros.

    Parameters
    ----------
    nsmooth : tuple of int
        How many of each axis; even numbers are one more.
    dims : int or tuple
        The shape of models.
    axes : tuple, optional
        The axes.
    dtype : str, optional
        The dtype of the means.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("h",)

    def __init__(self, nsmooth, dims, axes=(-2, -1), dtype="float64", name="S"):
        dims = _value_or_sized_to_tuple(dims)
        normalize = get_normalize_axis_index()
        self.axes = tuple(int(normalize(axis, len(dims))) for axis in axes)
        self.nsmooth = [int(n) + (int(n) + 1) % 2 for n in nsmooth]
        if len(self.nsmooth) != len(self.axes):
            raise ValueError(f"nsmooth has {len(self.nsmooth)} numbers for {len(self.axes)} axes")
        self.h = np.full(self.nsmooth, 1.0 / np.prod(self.nsmooth), dtype=dtype)
        self.offset = [n // 2 for n in self.nsmooth]
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return engine.Smoothing(self.dims, list(zip(self.axes, self.nsmooth)), dtype=dtype)


class Smoothing2D(SmoothingND):
    """The mean of neighbours along two axes: see `SmoothingND`."""


class Smoothing1D(SmoothingND):
    """The mean of neighbours along an axis: see `SmoothingND`."""

    def __init__(self, nsmooth, dims, axis=-1, dtype="float64", name="S"):
        super().__init__((nsmooth,), dims, (axis,), dtype, name)
        self.axis, self.offset = axis, self.offset[0]
