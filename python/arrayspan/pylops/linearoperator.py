"""Operators: matrices that are known by what they do."""

import numpy as np

from ._recipes import Recipe, ready_key
from ._shapes import Shaped
from .config import get_ndarray_multiplication

__all__ = ["LinearOperator", "aslinearoperator"]


_ndarray = np.ndarray


def _is_operator(x):
    """Whether `x` is an operator, of ours, of SciPy or of PyLops."""
    return isinstance(x, LinearOperator) or (hasattr(x, "matvec") and hasattr(x, "shape"))


def _is_sparse(x):
    return not isinstance(x, np.ndarray) and hasattr(x, "toarray")


def _each_column(apply, x):
    from .utils.backend import get_array_module

    return get_array_module(x).stack([apply(column).reshape(-1) for column in x.T], axis=1)


class LinearOperator(Shaped, Recipe):
    """A matrix that is known by its products with vectors.

    A subclass has ``_matvec(x)`` and ``_rmatvec(y)``, of vectors, and passes its dtype and either ``shape`` or ``dims`` and
    ``dimsd`` on. Without a subclass it takes over another operator, with other attributes.

    Parameters
    ----------
    Op : LinearOperator, optional
        An operator that has ``shape``, ``dtype``, ``matvec`` and ``rmatvec``, of SciPy too, whose attributes are taken where
        no others are given.
    dtype : str or dtype, optional
        The dtype of its elements.
    shape : tuple, optional
        Rows and columns.
    dims, dimsd : tuple, optional
        The shapes of models and data.
    clinear : bool, optional
        Whether it is complex-linear.
    explicit : bool, optional
        Whether it holds its matrix, in ``A``.
    forceflat : bool, optional
        Whether results are vectors (`True`), of shape ``dimsd`` (`False`), or as their argument is (`None`).
    name : str, optional
        What `describe` calls it.
    """

    # NumPy leaves products with its scalars to us.
    __array_ufunc__ = None

    def __init__(
        self,
        Op=None,
        dtype=None,
        shape=None,
        dims=None,
        dimsd=None,
        clinear=None,
        explicit=None,
        forceflat=None,
        name=None,
    ):
        given = dict(
            dtype=dtype, shape=shape, dims=dims, dimsd=dimsd, clinear=clinear, explicit=explicit, forceflat=forceflat
        )
        if Op is not None:
            self.Op = Op
            rows, columns = Op.shape
            defaults = dict(dims=(columns,), dimsd=(rows,), clinear=True, explicit=False, forceflat=None)
            for key, value in given.items():
                if value is None:
                    given[key] = getattr(Op, key, defaults.get(key))
            if given["explicit"] and hasattr(Op, "A"):
                self.A = Op.A
            name = getattr(Op, "name", None) if name is None else name
        for key, value in given.items():
            if value is not None:
                setattr(self, key, value)
        self.name = name
        self.reset_count()

    def reset_count(self):
        """Sets its counters to zero."""
        self.matvec_count = self.rmatvec_count = 0
        self.matmat_count = self.rmatmat_count = 0

    def _counted_parts(self):
        """The operators that an application applies, with whether each goes the other way."""
        Op = getattr(self, "Op", None)
        return ((Op, False),) if isinstance(Op, LinearOperator) else ()

    def _tick(self, adjoint, many=False, times=1):
        """Counts applications that the engine has done without passing through `matvec`."""
        counter = ("r" if adjoint else "") + ("matmat_count" if many else "matvec_count")
        setattr(self, counter, getattr(self, counter, 0) + times)
        self._tick_parts(adjoint, many, times)

    def _tick_parts(self, adjoint, many=False, times=1):
        for part, turned in self._counted_parts():
            part._tick(adjoint != turned, many, times)

    # What it does to vectors and matrices.

    def _matvec(self, x):
        return self.Op.matvec(x)

    def _rmatvec(self, x):
        return self.Op.rmatvec(x)

    def _matmat(self, x):
        y = self._forward_columns(x)
        return _each_column(self._matvec, x) if y is None else y

    def _rmatmat(self, x):
        y = self._adjoint_columns(x)
        return _each_column(self._rmatvec, x) if y is None else y

    def _build(self, dtype, like):
        Op = getattr(self, "Op", None)
        return Op._native(dtype, like) if isinstance(Op, LinearOperator) else None

    def _dtype_for(self, given):
        Op = getattr(self, "Op", None)
        return Op._dtype_for(given) if isinstance(Op, LinearOperator) else None

    def matvec(self, x):
        """``A x`` of a vector of shape ``(N,)`` or ``(N, 1)``."""
        rows, columns = self.shape
        if x.shape != (columns,) and x.shape != (columns, 1):
            raise ValueError(f"Dimension mismatch. Got {x.shape}, but expected ({columns},) or ({columns}, 1).")
        y = self._matvec(x)
        self.matvec_count += 1
        return y.reshape(rows) if x.ndim == 1 else y.reshape(rows, 1)

    def rmatvec(self, x):
        """``A.H x`` of a vector of shape ``(M,)`` or ``(M, 1)``."""
        rows, columns = self.shape
        if x.shape != (rows,) and x.shape != (rows, 1):
            raise ValueError(f"Dimension mismatch. Got {x.shape}, but expected ({rows},) or ({rows}, 1).")
        y = self._rmatvec(x)
        self.rmatvec_count += 1
        return y.reshape(columns) if x.ndim == 1 else y.reshape(columns, 1)

    def _expect_columns(self, x, size):
        if x.ndim != 2:
            raise ValueError(f"Expected 2-d ndarray or matrix, not {x.ndim}-d ndarray")
        if x.shape[0] != size:
            raise ValueError(f"Dimension mismatch: {self.shape}, {x.shape}")

    def matmat(self, X):
        """``A X`` of a matrix, dense or sparse, of shape ``(N, K)``."""
        self._expect_columns(X, self.shape[1])
        y = self._matmat(X.toarray() if _is_sparse(X) else X)
        self.matmat_count += 1
        return y

    def rmatmat(self, X):
        """``A.H X`` of a matrix, dense or sparse, of shape ``(M, K)``."""
        self._expect_columns(X, self.shape[0])
        y = self._rmatmat(X.toarray() if _is_sparse(X) else X)
        self.rmatmat_count += 1
        return y

    def dot(self, x):
        """The product with an operator, a number, a vector, a matrix, an array of shape ``dims`` or ``(*dims, K)``."""
        if type(x) is np.ndarray:
            return self @ x
        if _is_operator(x):
            return _composed.product(self, aslinearoperator(x))
        if np.isscalar(x):
            return _composed.scaled(self, x)
        return self._times(x)

    def _times(self, x):
        """The product with an array."""
        shaped = get_ndarray_multiplication()
        if not shaped and (x.ndim > 2 or (x.ndim == 2 and x.shape[0] != self.shape[1])):
            raise ValueError(
                "Operator can only be applied to 1D vectors or 2D matrices. Enable ndarray multiplication with "
                "pylops.set_ndarray_multiplication(True)."
            )
        flat = self.forceflat or not shaped
        dims = self.dims
        if x.shape == dims:
            y = self.matvec(x.reshape(-1))
            if flat:
                return y
            self._keep_ready(x)
            return y.reshape(self.dimsd)
        if x.ndim > 1 and x.shape[:-1] == dims and not self.forceflat:
            y = self.matmat(x.reshape((-1, x.shape[-1])))
            return y if flat else y.reshape((*self.dimsd, x.shape[-1]))
        if x.ndim == 1:
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(
            f"Wrong shape.\nFor vector multiplication, expects either a 1d array or, an ndarray of size `dims` when "
            f"`dims` and `dimsd` both are available.\nFor matrix multiplication, expects a 2d array with its first "
            f"dimension is equal to {self.shape[1]}.\nInstead, received an array of shape {x.shape}."
        )

    # Operators made of it.

    def __mul__(self, x):
        return self.dot(x)

    def __matmul__(self, other):
        ready = self._ready
        of_numpy = type(other) is _ndarray
        if ready:
            ready = ready.get(other.dtype if of_numpy else ready_key(other))
            if ready is not None and other.shape == ready[1] and get_ndarray_multiplication():
                if ready[3] is None or ready[3].holds():
                    y = ready[0](other)
                    # Not by assignment, which looks whether the operator has changed.
                    self.__dict__["matvec_count"] += 1
                    if ready[2]:
                        self._tick_parts(False)
                    return y
        if of_numpy:
            return self._times(other)
        if np.isscalar(other):
            raise ValueError("Scalar not allowed, use * instead")
        return self.dot(other)

    def __rmul__(self, x):
        if np.isscalar(x):
            return _composed.scaled(self, x)
        if type(x) is np.ndarray and x.ndim == 0:
            return _composed.scaled(self, x[()])
        return _composed.product(aslinearoperator(x), self) if _is_operator(x) else NotImplemented

    def __rmatmul__(self, other):
        if np.isscalar(other):
            raise ValueError("Scalar not allowed, use * instead")
        return self.__rmul__(other)

    def __pow__(self, p):
        return _composed.power(self, p) if np.isscalar(p) else NotImplemented

    def __add__(self, x):
        return _composed.added(self, aslinearoperator(x)) if _is_operator(x) else NotImplemented

    __radd__ = __add__

    def __neg__(self):
        return _composed.scaled(self, -1)

    def __sub__(self, x):
        return self + aslinearoperator(x) * -1 if _is_operator(x) else NotImplemented

    def __repr__(self):
        rows, columns = self.shape
        dtype = getattr(self, "dtype", None)
        dtype = "unspecified dtype" if dtype is None else f"dtype={dtype}"
        return f"<{rows}x{columns} {type(self).__name__} with {dtype}>"

    def _adjoint(self):
        return _composed.turned(self, _composed._AdjointLinearOperator(self))

    def _transpose(self):
        return _composed.turned(self, _composed._TransposedLinearOperator(self))

    def adjoint(self):
        """The adjoint, of the conjugate transpose of the matrix."""
        return self._adjoint()

    H = property(adjoint)

    def transpose(self):
        """The operator of the transpose of the matrix."""
        return self._transpose()

    T = property(transpose)

    def conj(self):
        """The operator of the conjugate of the matrix."""
        return _composed._ConjLinearOperator(self)

    def apply_columns(self, cols):
        """The operator of some columns of the matrix, by their indices."""
        return _composed._ColumnLinearOperator(self, cols)

    def toreal(self, forw=True, adj=True):
        """The real part of what it gives, forward and adjoint or one of them."""
        return _composed._RealImagLinearOperator(self, forw, adj, True)

    def toimag(self, forw=True, adj=True):
        """The imaginary part of what it gives, forward and, with the opposite sign, adjoint, or one of them."""
        return _composed._RealImagLinearOperator(self, forw, adj, False)

    # What is asked of the matrix.

    def div(self, y, niter=100, densesolver="scipy"):
        """The `x` with ``A x = y``, in the sense of least squares: see `__truediv__`."""
        return self.__truediv__(y, niter=niter, densesolver=densesolver)

    def __truediv__(self, y, niter=100, densesolver="scipy"):
        """Directly where the matrix is there, else by at most `niter` iterations of LSQR."""
        return _matrices.divide(self, y, niter)

    def todense(self, backend="numpy"):
        """The matrix, of the library `backend`."""
        return _matrices.dense(self, backend)

    def tosparse(self):
        """The matrix, in SciPy's ``csr_matrix``."""
        return _matrices.sparse(self)

    def eigs(self, neigs=None, symmetric=False, niter=None, uselobpcg=False, **kwargs_eig):
        """The largest eigenvalues, or singular values where it is not square, in descending order."""
        return _matrices.eigenvalues(self, neigs, symmetric, niter, uselobpcg, kwargs_eig)

    def cond(self, uselobpcg=False, **kwargs_eig):
        """The largest eigenvalue over the least one, or singular value where it is not square."""
        return _matrices.condition(self, uselobpcg, kwargs_eig)

    def trace(self, neval=None, method=None, backend="numpy", **kwargs_trace):
        """The trace, summed up (``"explicit"``) or estimated: ``"hutchinson"``, ``"hutch++"``, ``"na-hutch++"``."""
        return _matrices.trace(self, neval, method, backend, kwargs_trace)


def aslinearoperator(Op):
    """An operator of ours of any that has ``shape``, ``dtype``, ``matvec`` and ``rmatvec``."""
    return Op if isinstance(Op, LinearOperator) else LinearOperator(Op)


def _get_dtype(operators, dtypes=None):
    """The dtype that holds those of all operators."""
    dtypes = list(dtypes or ())
    dtypes += [each.dtype for each in operators if getattr(each, "dtype", None) is not None]
    return np.result_type(*dtypes)


from . import _composed, _matrices  # noqa: E402  (they name the class above)
from ._composed import (  # noqa: E402,F401
    _AdjointLinearOperator,
    _ColumnLinearOperator,
    _ConjLinearOperator,
    _PowerLinearOperator,
    _ProductLinearOperator,
    _RealImagLinearOperator,
    _ScaledLinearOperator,
    _SumLinearOperator,
    _TransposedLinearOperator,
)
