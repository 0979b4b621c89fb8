"""Discrete cosine transforms."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..utils._internal import _value_or_sized_to_tuple

__all__ = ["DCT"]


class DCT(Leaf):
    """The orthonormal discrete cosine transform along some axes.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    type : int, optional
        1, 2, 3 or 4.
    axes : int or tuple, optional
        The axes, all by default.
    dtype : str, optional
        The dtype that it says it has.
    workers : int, optional
        Accepted.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, type=2, axes=None, dtype="float64", workers=None, name="C"):
        if type > 4 or type < 1:
            raise ValueError(f"Wrong `type`, it can only be 1, 2, 3 or 4, got {type}")
        self.type, self.axes, self.workers = type, axes, workers
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _choose_dtype(self, given):
        # What SciPy computes in.
        return _dtypes.promoted(given)

    def _build(self, dtype, like):
        axes = None if self.axes is None else np.atleast_1d(self.axes).tolist()
        return engine.DCT(self.dims, axes, self.type, dtype)
