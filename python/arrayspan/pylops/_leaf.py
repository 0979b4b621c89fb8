"""Operators that the engine has."""

from . import _dtypes
from .linearoperator import LinearOperator


class Leaf(LinearOperator):
    """An operator of the engine, under PyLops's name and with its parameters.

    A subclass has `_build`. `_rule` says in which dtype an array is computed, as in PyLops:

    * ``"own"``: the dtype that it was made with, complex where the array is.
    * ``"given"``: that of the array; `float64` for integers.
    * ``"held"``: what NumPy promotes the array and the parameters named by `_holds` to.
    """

    _rule = "own"
    _holds = ()

    def _dtype_for(self, given):
        known = self.__dict__.setdefault("_known_dtypes", {})
        dtype = known.get(given)
        if dtype is None:
            dtype = known[given] = self._choose_dtype(given)
        return dtype

    def _choose_dtype(self, given):
        if self._rule == "own":
            return _dtypes.within(_dtypes.promoted(self.dtype), given)
        if self._rule == "held":
            return _dtypes.promoted(given, *(getattr(self, name).dtype for name in self._holds))
        return _dtypes.promoted(given)

    def _matvec(self, x):
        return self._forward(x)

    def _rmatvec(self, x):
        return self._adjoint_of(x)
