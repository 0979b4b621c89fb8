"""Elementwise products."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._made import in_place
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_array_module

__all__ = ["Diagonal"]


class Diagonal(Leaf):
    """The product of each element with a weight.

    Parameters
    ----------
    diag : ndarray
        The weights: one for each element or, with `dims`, one for each index of `axis`.
    dims : int or tuple, optional
        The shape of models, by default that of `diag`.
    axis : int, optional
        The axis that the weights lie along.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("diag",)

    def __init__(self, diag, dims=None, axis=-1, dtype="float64", name="D"):
        self.axis = axis
        self.complex = np.dtype(diag.dtype).kind == "c"
        self.diag = diag
        if dims is None:
            dims = diag.shape
        else:
            dims = _value_or_sized_to_tuple(dims)
            extents = [1] * len(dims)
            extents[axis] = dims[axis]
            self.diag = diag.reshape(extents)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        weights = placed(self.diag, dtype, like)
        if weights.shape == self.dims:
            return engine.Diagonal(in_place(weights, self.diag))
        return engine.Diagonal(in_place(weights.reshape(-1), self.diag), self.dims, self.axis)

    def matrix(self):
        """The matrix of what it does along `axis`."""
        return get_array_module(self.diag).diag(self.diag.squeeze())

    def todense(self, backend="numpy"):
        """The matrix."""
        module = get_array_module(self.diag)
        return module.diag(module.broadcast_to(self.diag, self.dims).ravel())
