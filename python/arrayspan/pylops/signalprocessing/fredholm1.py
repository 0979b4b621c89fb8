"""A matrix for each slice."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._made import in_place
from .._recipes import placed

__all__ = ["Fredholm1"]


class Fredholm1(Leaf):
    """The product with a matrix for each slice.

    Parameters
    ----------
    G : ndarray
        The matrices, of shape ``(slices, nx, ny)``.
    nz : int, optional
        How many columns models have in each slice, ``(slices, ny, nz)``.
    saveGt : bool, optional
        Accepted: nothing is kept beside `G`.
    usematmul : bool, optional
        Accepted: slices are one batch.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "held"
    _holds = ("G",)

    def __init__(self, G, nz=1, saveGt=True, usematmul=True, dtype="float64", name="F"):
        self.nz, self.usematmul, self.G = nz, usematmul, G
        self.nsl, self.nx, self.ny = G.shape
        dims, dimsd = (self.nsl, self.ny, nz), (self.nsl, self.nx, nz)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _build(self, dtype, like):
        return engine.Fredholm1(in_place(placed(self.G, dtype, like), self.G), self.nz)
