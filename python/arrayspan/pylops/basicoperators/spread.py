"""Elements spread along curves."""

import logging

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from ..utils.backend import to_numpy

__all__ = ["Spread"]

logger = logging.getLogger(__name__)


class Spread(Leaf):
    """Each element of a model added to data along a curve of its own: its adjoint sums along curves.

    Parameters
    ----------
    dims, dimsd : tuple
        The shapes of models ``(nx0, nt0)`` and data ``(nx, nt)``.
    table : ndarray, optional
        Of shape ``(nx0, nt0, nx)``: where each curve meets each row of data; NaN where it does not.
    dtable : ndarray, optional
        Of the same shape: the share of the element that goes to the next place.
    fh : callable, optional
        In place of tables: ``fh(ix0, it)`` gives a row of `table`, or rows of both.
    interp : bool, optional
        Whether there are shares, as far as that is not seen from the tables.
    engine : str, optional
        ``"numpy"`` or ``"numba"``, accepted.
    dtype : str, optional
        The dtype of results.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        dims,
        dimsd,
        table=None,
        dtable=None,
        fh=None,
        interp=None,
        engine="numpy",
        dtype="float64",
        name="S",
    ):
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)
        if engine not in ("numpy", "numba"):
            raise ValueError(f"engine must be 'numpy' or 'numba', got {engine}")
        self.engine = engine
        (self.nx0, self.nt0), (self.nx, self.nt) = self.dims, self.dimsd
        if table is None and fh is None:
            raise NotImplementedError("Provide either table or fh.")
        if table is not None and fh is not None:
            raise ValueError("Provide only one of table or fh.")
        shape = (self.nx0, self.nt0, self.nx)
        for given, what in ((table, "table"), (dtable, "dtable")):
            if given is not None and given.shape != shape:
                raise ValueError(f"{what} must have shape [nx0 x nt0 x nx]")
        if table is not None and np.any(table > self.nt):
            raise ValueError("Values in table must be smaller than nt")
        self.table, self.dtable, self.fh = table, dtable, fh
        self.usetable = table is not None
        self.interp = dtable is not None if self.usetable else isinstance(fh(0, 0), tuple)
        if interp is not None and self.interp != interp:
            logger.warning("interp has been overridden to %r.", self.interp)

    def _positions(self):
        """The table of places, with their shares added."""
        if self.usetable:
            places = np.asarray(to_numpy(self.table), dtype=float)
            return places + to_numpy(self.dtable) if self.interp else np.trunc(places)
        places = np.empty((self.nx0, self.nt0, self.nx))
        for ix0 in range(self.nx0):
            for it in range(self.nt0):
                curve = self.fh(ix0, it)
                places[ix0, it] = np.trunc(curve[0]) + curve[1] if self.interp else np.trunc(curve)
        return places

    def _build(self, dtype, like):
        interpolation = "linear" if self.interp else "nearest"
        return engine.Spread(self.dims, self.dimsd, self._positions(), interpolation, dtype)
