"""Operators that are functions, or that remember what others have done."""

from numbers import Integral

import numpy as np

from ..linearoperator import LinearOperator

__all__ = ["FunctionOperator", "MemoizeOperator", "ToCupy"]


class FunctionOperator(LinearOperator):
    """An operator that is a function or two.

    ``FunctionOperator(f, n)``, ``FunctionOperator(f, rows, columns)``, ``FunctionOperator(f, adjoint, n)`` or
    ``FunctionOperator(f, adjoint, rows, columns)``.

    Parameters
    ----------
    f : callable
        What it does to a vector.
    adjoint : callable, optional
        What its adjoint does to one.
    n, rows, columns : int
        Its shape.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, f, *args, dtype="float64", name="F"):
        sizes = list(args)
        adjoint = None if isinstance(sizes[0], Integral) else sizes.pop(0)
        super().__init__(dtype=np.dtype(dtype), shape=(sizes[0], sizes[-1]), name=name)
        self.f, self.fc = f, adjoint

    def _matvec(self, x):
        return self.f(x)

    def _rmatvec(self, x):
        if self.fc is None:
            raise NotImplementedError("Adjoint not implemented")
        return self.fc(x)


class MemoizeOperator(LinearOperator):
    """An operator that remembers its last results, forward and adjoint, of vectors that are equal.

    (That of PyLops keeps both in one store, and takes what is close to each other for the same.)

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    max_neval : int, optional
        How many results it remembers: all if it is ``np.inf`` or None.
    """

    def __init__(self, Op, max_neval=10):
        super().__init__(Op=Op, explicit=False)
        self.max_neval = max_neval
        self.store = []
        self.neval = 0

    def _build(self, dtype, like):
        return None

    def _remembered(self, x, adjoint):
        for direction, given, result in self.store:
            if direction == adjoint and given.dtype == x.dtype and given.shape == x.shape and (given == x).all():
                return result.copy()
        result = self.Op.rmatvec(x) if adjoint else self.Op.matvec(x)
        self.neval += 1
        self.store.append((adjoint, x.copy(), result.copy()))
        if self.max_neval is not None and len(self.store) > self.max_neval:
            del self.store[: len(self.store) - int(self.max_neval)]
        return result

    def _matvec(self, x):
        return self._remembered(x, False)

    def _rmatvec(self, x):
        return self._remembered(x, True)


class ToCupy(LinearOperator):
    """Models on the host, data on a GPU, where there is CuPy; else the identity.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, dtype="float64", name="C"):
        from ..utils._internal import _value_or_sized_to_tuple

        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _matvec(self, x):
        from ..utils.backend import to_cupy

        return to_cupy(x)

    def _rmatvec(self, x):
        from ..utils.backend import to_numpy

        return to_numpy(x)
