"""A matrix."""

import logging
import warnings

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._made import in_place
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple

__all__ = ["MatrixMult"]

logger = logging.getLogger(__name__)


class MatrixMult(Leaf):
    """The product with a matrix, along the first axis.

    Parameters
    ----------
    A : ndarray or sparse matrix
        The matrix, of shape ``(rows, columns)``.
    otherdims : int or tuple, optional
        The extents of the axes that follow, for each index of which it is applied.
    forceflat : bool, optional
        Whether results are vectors; not with `otherdims`.
    dtype : str, optional
        The dtype that it says it has. A complex matrix makes it complex.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("A",)

    def __init__(self, A, otherdims=None, forceflat=None, dtype="float64", name="M"):
        self.A = A
        self.complex = np.dtype(A.dtype).kind == "c"
        self.otherdims = () if otherdims is None else _value_or_sized_to_tuple(otherdims)
        self.reshape = otherdims is not None
        if self.reshape and forceflat is not None:
            logger.warning("forceflat is not taken with otherdims: results have the shape that their argument has.")
            forceflat = None
        if self.complex and np.dtype(dtype).kind != "c":
            dtype = A.dtype
            warnings.warn(f"Matrix A is a complex object, dtype cast to {dtype}", stacklevel=2)
        rows, columns = A.shape
        super().__init__(
            dtype=np.dtype(dtype),
            dims=(columns, *self.otherdims),
            dimsd=(rows, *self.otherdims),
            explicit=not self.reshape,
            forceflat=forceflat,
            name=name,
        )

    def _build(self, dtype, like):
        others = list(self.otherdims)
        if hasattr(self.A, "tocsr"):
            return engine.MatrixMult(self.A.tocsr().astype(dtype), others)
        return engine.MatrixMult(in_place(placed(self.A, dtype, like), self.A), others)

    def inv(self):
        """The inverse of the matrix."""
        if hasattr(self.A, "tocsc"):
            from scipy.sparse.linalg import inv

            return inv(self.A.tocsc())
        from ..utils.backend import get_array_module

        return get_array_module(self.A).linalg.inv(self.A)
