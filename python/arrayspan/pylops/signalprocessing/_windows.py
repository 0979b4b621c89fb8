"""What operators on sliding windows and on patches have in common."""

from math import prod

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from .._recipes import same
from ..linearoperator import LinearOperator
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.tapers import taper

_TAPERS = {
    "hanning": "cosine",
    "cosine": "cosine",
    "cosinesquare": "cosine_squared",
    "cosinesqrt": "square_root_cosine",
}


def _slidingsteps(ntr, nwin, nover):
    """Where windows begin and end."""
    if nwin > ntr:
        raise ValueError(f"nwin={nwin} is bigger than ntr={ntr}...")
    if not 0 <= nover < nwin:
        raise ValueError(f"nover={nover} must be less than nwin={nwin} and not below 0")
    starts = np.arange(0, ntr - nwin + 1, nwin - nover, dtype=int)
    return starts, starts + nwin


def _design(shape, nwin, nover, nop):
    """The windows of each axis that is cut, the shape of all models, and where models and data of windows begin and end."""
    data = tuple(_slidingsteps(*axis) for axis in zip(shape, nwin, nover))
    nwins = tuple(len(starts) for starts, _ in data)
    dims = tuple(count * extent for count, extent in zip(nwins, nop))
    models = tuple(_slidingsteps(extent, own, 0) for extent, own in zip(dims, nop))
    return nwins, dims, models, data


class _Overlap(Leaf):
    """Windows, added up."""

    _rule = "given"

    def __init__(self, cut, window, shape, nwin, nover, tapertype, counts, dtype):
        self._cut, self._window, self._data = cut, window, shape
        self._nwin, self._nover, self._tapertype = nwin, nover, tapertype
        super().__init__(dtype=dtype, dims=(*counts, *window), dimsd=shape)

    def around(self, inner):
        """The engine's operator with `inner` for each window."""
        kind = _TAPERS.get(self._tapertype)
        if self._cut == "Sliding1D":
            return engine.Sliding1D(inner, self._data[0], self._nwin[0], self._nover[0], kind)
        if self._cut == "Sliding2D":
            return engine.Sliding2D(inner, self._data, self._nwin[0], self._nover[0], kind)
        return getattr(engine, self._cut)(inner, self._data, self._nwin, self._nover, kind)

    def _build(self, dtype, like):
        return self.around(engine.Identity(self._window, dtype=dtype))


class _Windowed(LinearOperator):
    """An operator on each window, or on all at once, and the sum of what it gives where windows are."""

    def _finish(self, Op, counts, dims, shape, nwin, nover, tapertype, savetaper, name):
        self.Op, self.nwin, self.nover = Op, nwin, nover
        self.tapertype, self.savetaper = tapertype, savetaper
        # A single window is each and all.
        self.simOp = Op.shape[1] == prod(dims) and prod(counts) > 1
        lengths, overlaps = np.atleast_1d(nwin).tolist(), np.atleast_1d(nover).tolist()
        window = (*lengths, *shape[len(lengths) :])
        self._counts = counts
        self._overlap = _Overlap(
            type(self)._cut, window, shape, lengths, overlaps, tapertype, counts, np.dtype(Op.dtype)
        )
        super().__init__(dtype=np.dtype(Op.dtype), dims=dims, dimsd=shape, clinear=False, name=name)

    # The engine's constructor.
    _cut = None

    @property
    def taps(self):
        """The tapers of all windows, or with ``savetaper=False`` of the first, an inner and the last one along each axis."""
        if self.tapertype is None:
            raise AttributeError("taps: there is no tapertype")
        overlap = self._overlap
        tapers = np.ones(())
        for count, length, over in zip(self._counts, overlap._nwin, overlap._nover):
            rows = count if self.savetaper else 3
            along = np.tile(taper(length, over, self.tapertype), (rows, 1))
            along[0, :over] = 1
            along[-1, length - over :] = 1
            tapers = np.multiply.outer(tapers, along)
        axes = len(self._counts)
        tapers = tapers.transpose([*range(0, 2 * axes, 2), *range(1, 2 * axes, 2)])
        others = overlap._data[axes:]
        tapers = np.broadcast_to(tapers.reshape(*tapers.shape, *(1 for _ in others)), (*tapers.shape, *others))
        return tapers.astype(self.Op.dtype)

    def _tick_parts(self, adjoint, many=False, times=1):
        for part, turned in self._counted_parts():
            part._tick(adjoint != turned, many, times if self.simOp else times * prod(self._counts))

    def _build(self, dtype, like):
        native = self.Op._native(dtype, like) if isinstance(self.Op, LinearOperator) else None
        if native is None:
            return None
        if self.simOp:
            adding = self._overlap._native(np.dtype(native.range.dtype), like)
            return adding @ native if adding is not None and same(adding.domain, native.range) else None
        window = self._overlap._window
        return self._overlap.around(native) if native.range.shape in (window, (prod(window),)) else None

    def _matvec(self, x):
        y = self._forward(x)
        if y is not None:
            return self._given(y)
        x = x.reshape(-1)
        if self.simOp:
            return self._given(self._overlap.matvec(self.Op.matvec(x)))
        return self._given(self._overlap.matvec(self._each(x, self.Op.shape[1], self.Op.matvec)))

    def _rmatvec(self, y):
        x = self._adjoint_of(y)
        if x is not None:
            return self._given(x)
        windows = self._overlap.rmatvec(y.reshape(-1))
        if self.simOp:
            return self._given(self.Op.rmatvec(windows))
        return self._given(self._each(windows, self.Op.shape[0], self.Op.rmatvec))

    def _given(self, result):
        """The result in the operator's dtype, unless that would take imaginary parts away: windows are added up in it."""
        dtype = np.dtype(self.dtype)
        return result.astype(dtype, copy=False) if result.dtype.kind == dtype.kind else result

    def _each(self, x, size, apply):
        from ..utils.backend import get_array_module

        return get_array_module(x).concatenate([apply(part).reshape(-1) for part in x.reshape(-1, size)])


def _expect_model(fits, dims, design):
    if not fits:
        raise ValueError(
            f"Model shape (dims={dims}) is not consistent with chosen number of windows. "
            f"Run {design} to identify the correct number of windows for the current model size..."
        )


def _shape(dims):
    return tuple(int(extent) for extent in _value_or_sized_to_tuple(dims))
