"""The identity, and nothing."""

import numpy as np

from ... import operators as engine
from .._leaf import Leaf

__all__ = ["Identity", "Zero"]


def _sides(N, M):
    """The shapes of data and models: both of integers, or both of tuples."""
    M = N if M is None else M
    if isinstance(N, (int, np.integer)) and isinstance(M, (int, np.integer)):
        return (int(N),), (int(M),)
    if isinstance(N, (tuple, list)) and isinstance(M, (tuple, list)):
        return tuple(N), tuple(M)
    raise NotImplementedError(
        "N and M must have same type and equal to int, tuple, or list, "
        f"instead their types are type(N)={type(N)} and type(M)={type(M)}"
    )


class Identity(Leaf):
    """The identity: data are cut off, or filled up with zeros, at the end of each axis.

    Parameters
    ----------
    N : int or tuple
        The shape of data.
    M : int or tuple, optional
        The shape of models, by default that of data.
    inplace : bool, optional
        Accepted: results never share memory with their argument.
    forceflat : bool, optional
        Whether results are vectors.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, N, M=None, inplace=True, forceflat=None, dtype="float64", name="I"):
        dimsd, dims = _sides(N, M)
        longer = [n > m for n, m in zip(dimsd, dims)]
        shorter = [n < m for n, m in zip(dimsd, dims)]
        if any(longer) and any(shorter):
            raise ValueError("N and M are not identical, and some values are larger in N and some in M")
        self.mode = "data" if any(longer) else "model" if any(shorter) else "same"
        self.inplace = inplace
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, forceflat=forceflat, name=name)

    def _build(self, dtype, like):
        # The sides of equal size may be given different shapes later.
        return engine.Identity(self.dims, None if self.mode == "same" else self.dimsd, dtype)


class Zero(Leaf):
    """Zeros, whatever it is given.

    Parameters
    ----------
    N : int or tuple
        The shape of data.
    M : int or tuple, optional
        The shape of models, by default that of data.
    forceflat : bool, optional
        Whether results are vectors.
    dtype : str, optional
        The dtype of results.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, N, M=None, forceflat=None, dtype="float64", name="Z"):
        dimsd, dims = _sides(N, M)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, forceflat=forceflat, name=name)

    def _build(self, dtype, like):
        return engine.Zero(self.dims, self.dimsd, dtype)
