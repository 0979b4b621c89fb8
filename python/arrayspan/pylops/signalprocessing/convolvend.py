"""Convolution along several axes."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index

__all__ = ["ConvolveND"]


class ConvolveND(Leaf):
    """The convolution with a filter along several axes; beyond the ends are zeros.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    h : ndarray
        The filter: of as many axes as `axes` has, in their order, or as models have.
    offset : tuple, optional
        The index of time zero in the filter. Zeros, unless it is given.
    axes : tuple, optional
        The axes; all for `None`.
    method : str, optional
        ``"auto"``, ``"direct"`` or ``"fft"``, accepted: the filter decides.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("h",)

    def __init__(self, dims, h, offset=None, axes=(-2, -1), method="fft", dtype="float64", name="C"):
        dims = _value_or_sized_to_tuple(dims)
        if method not in (None, "auto", "direct", "fft"):
            raise ValueError("`method` must be auto, direct or fft")
        normalize = get_normalize_axis_index()
        axes = range(len(dims)) if axes is None or h.ndim == len(dims) > len(axes) else axes
        self.axes = np.array([normalize(axis, len(dims)) for axis in axes])
        if len(self.axes) != h.ndim:
            raise ValueError(f"a filter of {h.ndim} axes along {len(self.axes)} of {dims}")
        self.h, self.nh, self.method = h, h.shape, method
        self.offset = tuple(int(at) for at in offset) if offset is not None else (0,) * h.ndim
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        filter = placed(self.h, dtype, like)
        return engine.ConvolveND(self.dims, filter, self.offset, tuple(self.axes.tolist()), dtype)
