"""Values between samples."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..basicoperators import MatrixMult, Restriction, Transpose
from ..linearoperator import aslinearoperator
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index, to_cupy_conditional, to_numpy
from ._interp_utils import _ensure_iava_is_unique, _within_samples
from .interpspline import InterpCubicSpline

__all__ = ["Interp"]


class _Linear(Leaf):
    """The values of straight lines between samples."""

    def __init__(self, dims, iava, axis, dtype, name):
        self.axis, self.iava = axis, iava
        dimsd = list(dims)
        dimsd[axis] = len(iava)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _choose_dtype(self, given):
        # Weights have the dtype that it was made with.
        return _dtypes.promoted(self.dtype, given)

    def _build(self, dtype, like):
        return engine.Interp(self.dims, self.iava.tolist(), self.axis, "linear", dtype)


def _sinc(dims, iava, axis, tol, dtype):
    """A matrix along an axis: first brought to the front, and back afterwards."""
    table = np.sinc(iava[:, None] - np.arange(dims[axis])).astype(dtype)
    if tol is not None:
        from scipy.sparse import csr_matrix

        table[np.abs(table) < tol] = 0.0
        table = csr_matrix(table)
    order = [axis, *(other for other in range(len(dims)) if other != axis)]
    others = [dims[other] for other in order[1:]]
    op = MatrixMult(table, otherdims=others or None, dtype=dtype)
    if axis == 0:
        return op
    dimsd = list(dims)
    dimsd[axis] = len(iava)
    return Transpose(dimsd, order, dtype=dtype).H @ op @ Transpose(dims, order, dtype=dtype)


def Interp(dims, iava, axis=-1, kind="linear", tol=None, dtype="float64", name="I"):
    """An operator that gives values between samples.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    iava : ndarray
        Where values are taken along the axis, in samples. Each once.
    axis : int, optional
        The axis.
    kind : str, optional
        ``"linear"``, ``"nearest"``, ``"sinc"`` or ``"cubic_spline"``.
    tol : float, optional
        Of ``"sinc"``: smaller elements of the matrix are left out.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.

    Returns
    -------
    op : LinearOperator
        The operator.
    iava : ndarray
        The positions, as they were used.
    """
    kind = kind.lower()
    if kind not in ("nearest", "linear", "sinc", "cubic_spline"):
        raise NotImplementedError(f"{kind} interpolation could not be found.")
    dims = _value_or_sized_to_tuple(dims)
    axis = int(get_normalize_axis_index()(axis, len(dims)))
    given, iava = iava, np.asarray(to_numpy(iava))
    if kind == "nearest":
        iava = np.round(iava).astype(int)
        _ensure_iava_is_unique(iava)
        return Restriction(dims, iava, axis=axis, dtype=dtype), to_cupy_conditional(given, iava)
    if kind == "sinc":
        _ensure_iava_is_unique(iava)
        op = aslinearoperator(_sinc(dims, iava, axis, tol, np.dtype(dtype)))
        dimsd = list(dims)
        dimsd[axis] = len(iava)
        op.dims, op.dimsd, op.name = dims, dimsd, name
        return op, to_cupy_conditional(given, iava)
    if kind == "cubic_spline":
        op = InterpCubicSpline(dims, iava, axis=axis, dtype=dtype, name=name)
        return op, to_cupy_conditional(given, op.iava)
    iava = _within_samples(iava.astype(float), dims[axis])
    return _Linear(dims, iava, axis, dtype, name), to_cupy_conditional(given, iava)
