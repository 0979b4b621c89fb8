"""Kronecker products."""

import numpy as np

from ... import operators as engine
from .._recipes import built, common
from ..linearoperator import LinearOperator

__all__ = ["Kronecker"]


class Kronecker(LinearOperator):
    """One operator along the first axis, another one along the second.

    Parameters
    ----------
    Op1, Op2 : LinearOperator
        The operators.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, Op1, Op2, dtype="float64", name="K"):
        self.Op1, self.Op2 = Op1, Op2
        (n1, m1), (n2, m2) = Op1.shape, Op2.shape
        clinear = Op1.clinear and Op2.clinear
        super().__init__(dtype=np.dtype(dtype), shape=(n1 * n2, m1 * m2), clinear=clinear, name=name)

    def _dtype_for(self, given):
        return common((self.Op1, self.Op2), given)

    def _build(self, dtype, like):
        natives = built((self.Op1, self.Op2), dtype, like)
        return None if natives is None else engine.Kronecker(*natives)

    def _both(self, x, method, side):
        x = x.reshape(self.Op1.shape[side], self.Op2.shape[side])
        y = getattr(self.Op2, method)(x.T).T
        return getattr(self.Op1, method)(y).reshape(-1)

    def _matvec(self, x):
        y = self._forward(x)
        return self._both(x, "matmat", 1) if y is None else y

    def _rmatvec(self, x):
        y = self._adjoint_of(x)
        return self._both(x, "rmatmat", 0) if y is None else y
