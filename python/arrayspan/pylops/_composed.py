"""Operators made of operators: adjoints, sums, products.

Where all parts are made in the engine, so is the whole, which fuses what can be fused. Where one is not (a subclass of
one's own, an operator of SciPy), or where the engine's spaces do not agree, the parts are applied one after the other.
"""

from operator import index

import numpy as np

from . import _dtypes
from ._recipes import built, common, same
from .linearoperator import LinearOperator, _get_dtype


def _merged_forceflat(a, b):
    flats = {each.forceflat for each in (a, b)} - {None}
    if len(flats) > 1:
        raise ValueError(f"Operators have conflicting forceflat {a.forceflat} != {b.forceflat}")
    return flats.pop() if flats else None


def _alike(op, like):
    """Gives an operator the shapes and properties of one that it is a variant of."""
    op.dims, op.dimsd = like.dims, like.dimsd
    op.clinear, op.forceflat = like.clinear, like.forceflat
    return op


def turned(a, op):
    """Gives an operator the shapes of `a` the other way round."""
    op.dims, op.dimsd = a.dimsd, a.dims
    op.clinear, op.forceflat = a.clinear, a.forceflat
    return op


def scaled(a, factor):
    """``factor * a``."""
    return _alike(_ScaledLinearOperator(a, factor), a)


def power(a, p):
    """``a ** p``."""
    return _alike(_PowerLinearOperator(a, p), a)


def added(a, b):
    """``a + b``."""
    op = _SumLinearOperator(a, b)
    op.clinear = a.clinear and b.clinear
    op.forceflat = _merged_forceflat(a, b)
    op.dims = b.dims if len(a.dims) == 1 else a.dims
    op.dimsd = b.dimsd if len(a.dimsd) == 1 else a.dimsd
    return op


def product(a, b):
    """``a @ b``."""
    op = _ProductLinearOperator(a, b)
    op.clinear = a.clinear and b.clinear
    op.forceflat = _merged_forceflat(a, b)
    op.dims, op.dimsd = b.dims, a.dimsd
    return op


class _Composed(LinearOperator):
    """Applied by the engine where it can be, else part by part."""

    def _matvec(self, x):
        y = self._forward(x)
        return self._apply(x, "matvec") if y is None else y

    def _rmatvec(self, x):
        y = self._adjoint_of(x)
        return self._apply_adjoint(x, "vec") if y is None else y

    def _matmat(self, x):
        y = self._forward_columns(x)
        return self._apply(x, "matmat") if y is None else y

    def _rmatmat(self, x):
        y = self._adjoint_columns(x)
        return self._apply_adjoint(x, "mat") if y is None else y

    def _apply_adjoint(self, x, what):
        return self._apply(x, "rmat" + what)

    def _counted_parts(self):
        return tuple((part, False) for part in self.args if isinstance(part, LinearOperator))


class _ScaledLinearOperator(_Composed):
    """``factor * a``."""

    def __init__(self, A, alpha):
        if not isinstance(A, LinearOperator):
            raise ValueError("LinearOperator expected as A")
        if not np.isscalar(alpha):
            raise ValueError("Scalar expected as alpha")
        dtype = _dtypes.complex_of(A.dtype) if isinstance(alpha, (complex, np.complexfloating)) else A.dtype
        super().__init__(dtype=dtype, shape=A.shape)
        self.args = (A, alpha)

    def _dtype_for(self, given):
        A, alpha = self.args
        dtype = A._dtype_for(given)
        is_complex = dtype is not None and isinstance(alpha, (complex, np.complexfloating))
        return _dtypes.complex_of(dtype) if is_complex else dtype

    def _build(self, dtype, like):
        A, alpha = self.args
        is_complex = isinstance(alpha, (complex, np.complexfloating))
        native = A._native(dtype, like)
        if native is None or (is_complex and not np.dtype(native.range.dtype).kind == np.dtype(native.domain.dtype).kind == "c"):
            return None
        return (complex(alpha) if is_complex else float(alpha)) * native

    def _apply(self, x, method):
        A, alpha = self.args
        return (np.conj(alpha) if method[0] == "r" else alpha) * getattr(A, method)(x)

    def _adjoint(self):
        A, alpha = self.args
        return A.H * np.conj(alpha)


class _SumLinearOperator(_Composed):
    """``a + b``."""

    def __init__(self, A, B):
        if A.shape != B.shape:
            raise ValueError(f"Cannot add {A} to {B}: shape mismatch")
        super().__init__(dtype=_get_dtype([A, B]), shape=A.shape)
        self.args = (A, B)

    def _dtype_for(self, given):
        return common(self.args, given)

    def _build(self, dtype, like):
        natives = built(self.args, dtype, like)
        if natives is None:
            return None
        a, b = natives
        return a + b if same(a.domain, b.domain) and same(a.range, b.range) else None

    def _apply(self, x, method):
        A, B = self.args
        return getattr(A, method)(x) + getattr(B, method)(x)

    def _adjoint(self):
        A, B = self.args
        return A.H + B.H


class _ProductLinearOperator(_Composed):
    """``a @ b``."""

    def __init__(self, A, B):
        if A.shape[1] != B.shape[0]:
            raise ValueError(f"Cannot multiply {A} and {B}: shape mismatch")
        super().__init__(dtype=_get_dtype([A, B]), shape=(A.shape[0], B.shape[1]))
        self.args = (A, B)

    def _dtype_for(self, given):
        return common(self.args, given)

    def _build(self, dtype, like):
        natives = built(self.args, dtype, like)
        if natives is None:
            return None
        a, b = natives
        return a @ b if same(a.domain, b.range) else None

    def _apply(self, x, method):
        A, B = self.args
        first, second = (A, B) if method[0] == "r" else (B, A)
        return getattr(second, method)(getattr(first, method)(x))

    def _adjoint(self):
        A, B = self.args
        return B.H * A.H


class _PowerLinearOperator(_Composed):
    """``a ** p``."""

    def __init__(self, A, p):
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"Square LinearOperator expected, got {A}")
        try:
            p = index(p)
        except TypeError:
            p = -1
        if p < 0:
            raise ValueError("Non-negative integer expected as p")
        super().__init__(dtype=A.dtype, shape=A.shape)
        self.args = (A, p)

    def _dtype_for(self, given):
        return self.args[0]._dtype_for(given)

    def _build(self, dtype, like):
        A, p = self.args
        native = A._native(dtype, like)
        return None if native is None or not same(native.domain, native.range) else native**p

    def _tick_parts(self, adjoint, many=False, times=1):
        A, p = self.args
        A._tick(adjoint, many, times * p)

    def _apply(self, x, method):
        A, p = self.args
        x = x.copy()
        for _ in range(p):
            x = getattr(A, method)(x)
        return x

    def _adjoint(self):
        A, p = self.args
        return A.H**p


class _AdjointLinearOperator(_Composed):
    """``a.H``."""

    def __init__(self, A):
        super().__init__(dtype=A.dtype, shape=A.shape[::-1])
        self.A = A
        self.args = (A,)

    def _adjoint(self):
        return self.A

    def _dtype_for(self, given):
        return self.A._dtype_for(given)

    def _build(self, dtype, like):
        native = self.A._native(dtype, like)
        return None if native is None else native.H

    def _counted_parts(self):
        return ((self.A, True),)

    def _apply(self, x, method):
        return getattr(self.A, method[1:] if method[0] == "r" else "r" + method)(x)


class _TransposedLinearOperator(_AdjointLinearOperator):
    """``a.T``."""

    def _adjoint(self):
        return self.A.conj()

    def _build(self, dtype, like):
        native = self.A._native(dtype, like)
        return None if native is None else native.T

    def _apply(self, x, method):
        return np.conj(super()._apply(np.conj(x), method))


class _ConjLinearOperator(_Composed):
    """``a.conj()``."""

    def __init__(self, Op):
        super().__init__(Op, explicit=False)
        self.args = (Op,)

    def _adjoint(self):
        return _ConjLinearOperator(self.Op.H)

    def _build(self, dtype, like):
        native = self.Op._native(dtype, like)
        return None if native is None else native.conj()

    def _apply(self, x, method):
        return np.conj(getattr(self.Op, method)(np.conj(x)))


class _ColumnLinearOperator(LinearOperator):
    """Some columns of a matrix."""

    def __init__(self, Op, cols):
        from .utils._internal import _expect_indices
        from .utils.backend import to_cupy_conditional, to_numpy

        cols = np.atleast_1d(np.asarray(to_numpy(cols)))
        _expect_indices(cols)
        cols = cols.astype(int)
        explicit = Op.explicit and hasattr(Op, "A")
        super().__init__(dtype=Op.dtype, shape=(Op.shape[0], cols.size), dimsd=Op.dimsd, clinear=Op.clinear)
        self.Op = Op
        self.cols = cols
        # Columns have no shape: neither have the data that they are taken of.
        self.forceflat, self.name, self.explicit = True, Op.name, explicit
        if explicit:
            from .basicoperators import MatrixMult

            self.A = Op.A[:, to_cupy_conditional(Op.A, cols)]
            self.Opcol = MatrixMult(self.A, dtype=Op.dtype)

    def _matvec(self, x):
        if self.explicit:
            return self.Opcol.matvec(x.reshape(-1))
        from .utils.backend import get_array_module, inplace_set

        whole = get_array_module(x).zeros(self.Op.shape[1], dtype=np.promote_types(self.dtype, x.dtype))
        return self.Op.matvec(inplace_set(x.reshape(-1), whole, self.cols))

    def _rmatvec(self, x):
        if self.explicit:
            return self.Opcol.rmatvec(x.reshape(-1))
        return self.Op.rmatvec(x.reshape(-1))[self.cols]

    def _dtype_for(self, given):
        return (self.Opcol if self.explicit else self.Op)._dtype_for(given)

    def _build(self, dtype, like):
        if self.explicit:
            return self.Opcol._native(dtype, like)
        native = self.Op._native(dtype, like)
        return None if native is None else native.columns(self.cols.tolist())


class _RealImagLinearOperator(LinearOperator):
    """The real or imaginary part of what an operator gives."""

    def __init__(self, Op, forw=True, adj=True, real=True):
        super().__init__(Op, dtype=_dtypes.real(Op.dtype), clinear=False, explicit=False)
        self.real, self.forw, self.adj = real, forw, adj

    def _build(self, dtype, like):
        return None

    def _matvec(self, x):
        y = self.Op.matvec(x)
        if not self.forw:
            return y
        return y.real if self.real else y.imag

    def _rmatvec(self, x):
        y = self.Op.rmatvec(x)
        if not self.adj:
            return y
        return y.real if self.real else -y.imag
