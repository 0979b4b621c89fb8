"""Values between the samples of two axes."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..utils.backend import to_numpy
from ._interp_utils import _ensure_iava_is_unique

__all__ = ["Bilinear"]


class Bilinear(Leaf):
    """The values of a bilinear function between the samples of the first two axes.

    Parameters
    ----------
    iava : ndarray
        Where values are taken, in samples: along the first axis, and along the second one. Each pair once.
    dims : tuple
        The shape of models.
    forceflat : bool, optional
        Whether models of two axes are flat after the adjoint.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, iava, dims, forceflat=None, dtype="float64", name="B"):
        iava = np.asarray(to_numpy(iava), dtype=np.float64)
        _ensure_iava_is_unique(iava, axis=1)
        self.iava = iava
        super().__init__(
            dtype=np.dtype(dtype),
            dims=dims,
            dimsd=[iava.shape[1], *dims[2:]],
            forceflat=forceflat if len(dims) == 2 else None,
            name=name,
        )

    def _choose_dtype(self, given):
        # Weights have the dtype that it was made with.
        return _dtypes.promoted(self.dtype, given)

    def _build(self, dtype, like):
        rows, columns = self.iava.tolist()
        return engine.Bilinear(self.dims, rows, columns, dtype)
