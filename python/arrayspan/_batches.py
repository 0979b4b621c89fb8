"""Operators for arrays with any axes in front of their own."""

import threading

import numpy

from arrayspan import _native
from arrayspan.errors import ShapeError

#: Operators for more sizes of batches than these are made anew: loops have two, a full batch and the last one.
_KEPT = 8


def _of_engine(operator):
    """The operator, which may be one of ``arrayspan.pylops``: these make the engine's for the dtype they have."""
    if isinstance(operator, _native.Operator):
        return operator
    make = getattr(operator, "_native", None)
    native = make(numpy.dtype(operator.dtype)) if callable(make) else None
    if not isinstance(native, _native.Operator):
        raise TypeError(
            f"expected an arrayspan.Operator, or one of arrayspan.pylops that the engine has, not {type(operator).__name__}: "
            "arrayspan.operators.from_functions makes one of functions; others under PyLops's names are taken by "
            "arrayspan.pylops.TorchOperator and arrayspan.pylops.JaxOperator"
        )
    return native


class Batches:
    """An operator, and those that do the same to batches of one size. ``adjoint`` is an index: ``False`` is forward."""

    def __init__(self, operator):
        self.operator = operator = _of_engine(operator)
        self.shapes = operator.domain.shape, operator.range.shape
        self.dtypes = operator.domain.dtype, operator.range.dtype
        self._lifted = {}
        self._lock = threading.Lock()

    def of(self, count):
        """The operator for a batch of ``count``."""
        lifted = self._lifted.get(count) or self.operator.lifted(leading=count)
        with self._lock:
            # The one used last is the last one.
            self._lifted.pop(count, None)
            self._lifted[count] = lifted
            if len(self._lifted) > _KEPT:
                del self._lifted[next(iter(self._lifted))]
        return lifted

    def batch(self, x, adjoint):
        """The extents of the axes in front, of an argument whose shape fits."""
        own = self.shapes[adjoint]
        first = x.ndim - len(own)
        if first < 0 or tuple(x.shape[first:]) != own:
            what, shape = "y" if adjoint else "x", ", ".join(["...", *map(str, own)])
            raise ShapeError(f"{self.operator.name}: {what} has shape {tuple(x.shape)}, expected ({shape})")
        return x.shape[:first]
