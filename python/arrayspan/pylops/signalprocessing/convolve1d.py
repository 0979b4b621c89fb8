"""Convolution with a filter along an axis."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index

__all__ = ["Convolve1D"]


class Convolve1D(Leaf):
    """The convolution with a filter along an axis; beyond the ends are zeros.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    h : ndarray
        The filter: of one axis, or one for each trace, in the shape of models but for its own extent along the axis.
    offset : int, optional
        The index of time zero in the filter.
    axis : int, optional
        The axis.
    method : str, optional
        ``"direct"``, ``"fft"`` or ``"overlapadd"``, accepted.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.

    A filter longer than the axis makes data of its own length: of one axis alone.
    """

    _rule = "held"
    _holds = ("h",)

    def __init__(self, dims, h, offset=0, axis=-1, method=None, dtype="float64", name="C"):
        dims = _value_or_sized_to_tuple(dims)
        methods = ("direct", "fft") if len(dims) == 1 else ("fft", "overlapadd")
        if method not in (None, *methods):
            raise ValueError(f"`method` must be {methods[0]} or {methods[1]}")
        at = get_normalize_axis_index()(axis, len(dims))
        extent = dims[at]
        if h.ndim != 1 and (h.ndim != len(dims) or h.shape[:at] + h.shape[at + 1 :] != dims[:at] + dims[at + 1 :]):
            raise ValueError(f"filters of shape {h.shape} along axis {axis} of {dims}")
        size = h.size if h.ndim == 1 else h.shape[at]
        self.axis, self.h, self.nh, self.offset, self.method = axis, h, size, int(offset), method
        self._long = size > extent
        if self._long and len(dims) > 1:
            raise ValueError(f"a filter of {size} samples is longer than axis {axis} of {dims}")
        if self.offset > (extent if self._long else self.nh) - 1:
            raise ValueError(f"`offset` must be smaller than {'dims' if self._long else 'h.shape'}[axis] - 1")
        dimsd = h.shape if self._long else dims
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _build(self, dtype, like):
        if self.h.ndim > 1:
            return engine.Convolve1D(self.dims, placed(self.h, dtype, like), self.offset, self.axis, dtype)
        taps = placed(self.h, dtype, None).tolist()
        if not self._long:
            return engine.Convolve1D(self.dims, taps, self.offset, self.axis, dtype)
        # ``y[i] = sum_j h[i - j + offset] x[j]``: cut out of the convolution of the model between zeros.
        extent, size = self.dims[0], self.dimsd[0]
        wide = engine.Pad(self.dims, [(0, size - extent)], dtype)
        return engine.Convolve1D(self.dimsd, taps, self.offset, 0, dtype) @ wide
