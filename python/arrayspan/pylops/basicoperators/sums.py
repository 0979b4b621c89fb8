"""Sums along an axis, and up to each place of it."""

import logging

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple

__all__ = ["Sum", "CausalIntegration"]

logger = logging.getLogger(__name__)


class Sum(Leaf):
    """The sum along an axis. (Of one axis it is one number; PyLops takes that for a column, which it leaves as it is.)

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    forceflat : bool, optional
        Whether results are vectors; of models of at most two axes.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, axis=-1, forceflat=None, dtype="float64", name="S"):
        dims = _value_or_sized_to_tuple(dims)
        self.axis = axis
        if len(dims) > 2 and forceflat is not None:
            logger.warning("forceflat is not taken for more than two axes: results have the shape of their argument.")
            forceflat = None
        dimsd = list(dims)
        dimsd.pop(axis)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd or (1,), forceflat=forceflat, name=name)

    def _build(self, dtype, like):
        return engine.SumAlong(self.dims, self.axis, dtype=dtype)


class CausalIntegration(Leaf):
    """The integral up to each sample.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    sampling : float, optional
        The distance of samples.
    kind : str, optional
        ``"full"``: each sample counts up to itself; ``"half"``: the last one counts half; ``"trapezoidal"``: the first one,
        too. (The first value of the trapezoidal integral is half a sample, as in PyLops: where it would be zero, as that of
        the engine is, there would be no inverse.)
    removefirst : bool, optional
        Whether the first result is left out.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(
        self, dims, axis=-1, sampling=1.0, kind="full", removefirst=False, dtype="float64", name="C"
    ):
        dims = _value_or_sized_to_tuple(dims)
        self.axis, self.sampling, self.kind, self.removefirst = axis, sampling, kind, removefirst
        dimsd = list(dims)
        dimsd[axis] -= int(removefirst)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _build(self, dtype, like):
        integral = engine.CausalIntegration(
            self.dims,
            self.axis,
            float(self.sampling),
            self.kind,
            first=not self.removefirst,
            dtype=dtype,
        )
        if self.kind != "trapezoidal" or self.removefirst:
            return integral
        half = np.zeros(self.dims[self.axis], dtype=dtype)
        half[:1] = self.sampling / 2
        return integral + engine.Diagonal(placed(half, dtype, like), self.dims, self.axis)
