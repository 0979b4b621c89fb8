"""Polynomials."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._recipes import placed
from ..utils.backend import get_array_module

__all__ = ["Regression", "LinearRegression"]


class Regression(Leaf):
    """The values of a polynomial, of its coefficients from that of degree 0 on.

    Parameters
    ----------
    taxis : ndarray
        Where it is evaluated.
    order : int
        Its degree.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("taxis",)

    def __init__(self, taxis, order, dtype="float64", name="R"):
        if not isinstance(taxis, get_array_module(taxis).ndarray):
            raise TypeError("t must be ndarray...")
        self.taxis, self.order = taxis, order
        super().__init__(dtype=np.dtype(dtype), shape=(len(taxis), order + 1), name=name)

    def _build(self, dtype, like):
        return None if dtype.kind == "c" else engine.Regression(placed(self.taxis, dtype, like), self.order)

    def _matvec(self, x):
        y = self._forward(x)
        return self._forward(x.real) + 1j * self._forward(x.imag) if y is None else y

    def _rmatvec(self, x):
        y = self._adjoint_of(x)
        return self._adjoint_of(x.real) + 1j * self._adjoint_of(x.imag) if y is None else y

    def apply(self, t, x):
        """The values at other places."""
        return Regression(t, self.order, dtype=self.dtype).matvec(x)


class LinearRegression(Regression):
    """The values of a line, of its value at 0 and its slope.

    Parameters
    ----------
    taxis : ndarray
        Where it is evaluated.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, taxis, dtype="float64", name="L"):
        super().__init__(taxis, order=1, dtype=dtype, name=name)
