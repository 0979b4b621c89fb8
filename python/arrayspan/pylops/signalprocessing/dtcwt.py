"""Dual-tree complex wavelet transforms."""

from math import prod

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..utils._internal import _value_or_sized_to_tuple

__all__ = ["DTCWT"]


def _sizes(extent, level):
    """The complex coefficients of each level, and the low ones of the last."""
    high, low = [extent // 2], extent
    for _ in range(1, level):
        low = (low + low % 4) // 2
        high.append(low // 2)
    return high, low


class DTCWT(Leaf):
    """The dual-tree complex wavelet transform along an axis. What stands for the adjoint is the inverse, as in PyLops.

    Parameters
    ----------
    dims : int or tuple
        The shape of models: an even number along the axis.
    biort : str, optional
        The filters of the first level: ``"antonini"``, ``"legall"``, ``"near_sym_a"`` or ``"near_sym_b"``.
    qshift : str, optional
        Those of all others: ``"qshift_06"``, ``"qshift_a"``, ``"qshift_b"``, ``"qshift_c"``, ``"qshift_d"`` or ``"qshift_32"``.
    level : int, optional
        The levels.
    include_scale : bool, optional
        Accepted: data are the same.
    axis : int, optional
        The axis.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        dims,
        biort="near_sym_a",
        qshift="qshift_a",
        level=3,
        include_scale=False,
        axis=-1,
        dtype="float64",
        name="C",
    ):
        dims = _value_or_sized_to_tuple(dims)
        if dims[axis] % 2:
            raise ValueError(f"expected an even number of samples along the axis, received {dims[axis]}")
        self.ndim, self.axis, self.level, self.include_scale = len(dims), axis, level, include_scale
        self._filters = biort, qshift
        self.otherdims = prod(dims) // dims[axis]
        self.highpass_sizes, self.lowpass_size = _sizes(dims[axis], level)
        self.coeff_array_size = sum(self.highpass_sizes) + self.lowpass_size
        dimsd = list(dims)
        dimsd[axis] = self.coeff_array_size
        self.dims_swapped, self.dimsd_swapped = self._swapped(dims), self._swapped(dimsd)
        super().__init__(dtype=np.dtype(dtype), clinear=False, dims=dims, dimsd=(2, *dimsd), name=name)
        self._made_now(np.dtype(np.float64), False)

    def _swapped(self, dims):
        dims = list(dims)
        dims[0], dims[self.axis] = dims[self.axis], dims[0]
        return tuple(dims)

    def get_pyramid(self, x):
        """The coefficients as a `Pyramid` of the package `dtcwt`."""
        from dtcwt import Pyramid

        x = (x[0] + 1j * x[1]).swapaxes(self.axis, 0).reshape(self.coeff_array_size, self.otherdims)
        *high, low = np.split(x, np.cumsum(self.highpass_sizes))
        return Pyramid(low.real, tuple(high))

    def _made_now(self, dtype, inverse):
        kept = self.__dict__.setdefault("_both", {})
        if (dtype, inverse) not in kept:
            kept[dtype, inverse] = engine.DTCWT(
                self.dims, self.level, self.axis, *self._filters, inverse=inverse, dtype=dtype
            )
        return kept[dtype, inverse]

    def _build(self, dtype, like):
        # An inverse for an adjoint is no operator of the engine.
        return None

    def _applied(self, x, shape, inverse):
        dtype = self._choose_dtype(x.dtype)
        return self._made_now(dtype, inverse).forward(_dtypes.cast(x, dtype).reshape(shape)).reshape(-1)

    def _matvec(self, x):
        return self._applied(x, self.dims, inverse=False)

    def _rmatvec(self, x):
        return self._applied(x, self.dimsd, inverse=True)
