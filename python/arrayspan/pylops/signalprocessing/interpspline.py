"""Values of splines through samples."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index, to_numpy
from ._interp_utils import _within_samples

__all__ = ["InterpCubicSpline"]


class InterpCubicSpline(Leaf):
    """The values of natural cubic splines through the samples of an axis.

    Parameters
    ----------
    dims : int or tuple
        The shape of models, of two samples or more along the axis.
    iava : ndarray
        Where values are taken along the axis, in samples. Each once.
    bc_type : str, optional
        ``"natural"``: no second derivative at both ends.
    axis : int, optional
        The axis.
    dtype : str, optional
        ``"float64"`` or ``"complex128"``.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, iava, bc_type="natural", axis=-1, dtype="float64", name="S"):
        dims = _value_or_sized_to_tuple(dims)
        axis = int(get_normalize_axis_index()(axis, len(dims)))
        if dims[axis] < 2:
            raise ValueError(f"A cubic spline requires at least 2 data points to interpolate, but got {dims[axis]=}.")
        iava = _within_samples(np.asarray(to_numpy(iava), dtype=np.float64), dims[axis])
        if not isinstance(bc_type, str) or bc_type.lower() != "natural":
            raise NotImplementedError(
                f"Cubic spline interpolation currently only supports 'natural' boundaries, but got {bc_type=}."
            )
        dtype = np.dtype(dtype)
        if dtype not in (np.float64, np.complex128):
            raise TypeError(f"Expected a dtype of either float64 or complex128, but got {dtype}.")
        self.iava, self.axis, self.bc_type = iava, axis, bc_type.lower()
        dimsd = list(dims)
        dimsd[axis] = len(iava)
        super().__init__(dtype=dtype, dims=dims, dimsd=tuple(dimsd), name=name)

    def _choose_dtype(self, given):
        # Weights have the dtype that it was made with.
        return _dtypes.promoted(self.dtype, given)

    def _build(self, dtype, like):
        return engine.InterpCubicSpline(self.dims, self.iava.tolist(), self.axis, dtype)
