"""Seislet transforms."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..basicoperators import Pad
from ..utils.backend import to_numpy

__all__ = ["Seislet"]


def _predict_trace(trace, t, dt, dx, slope, adj=False):
    """A trace at the times ``t - dx slope``, between samples by `sinc`, or the adjoint."""
    weights = np.sinc((t - dx * slope - t[:, None]) / dt)
    return trace @ (weights.T if adj else weights)


def _walk(trace, dt, dx, slopes, rows, adj):
    """A trace predicted step by step, with the slopes of some rows."""
    t = np.arange(len(trace)) * dt
    for row in reversed(rows) if adj else rows:
        trace = _predict_trace(trace, t, dt, dx, slopes[row], adj)
    return trace


def _predict(traces, dt, dx, slopes, repeat, backward, adj, linear):
    """Each trace from that on one side of it, or on both."""
    steps, side, count = 2**repeat, -1 if backward else 1, len(traces)
    predicted = np.zeros_like(traces)
    for number in range(count):
        # Ways from a trace and from that on the other side to what is between them.
        way = [2 * steps * number + backward * steps + side * step for step in range(steps)]
        beside = number + side
        both = linear and 0 <= beside < count
        parts = [(number, side, way, 0.5 if both else 1.0)]
        if both:
            other = [2 * steps * beside + backward * steps - side * step for step in range(steps)]
            parts.append((beside, -side, other, 0.5))
        for source, direction, rows, weight in parts:
            given, to = (number, source) if adj else (source, number)
            predicted[to] += weight * _walk(traces[given], dt, direction * dx, slopes, rows, adj)
    return predicted


def _predict_haar(traces, dt, dx, slopes, repeat=0, backward=False, adj=False):
    """Each trace predicted from that on one side of it."""
    return _predict(traces, dt, dx, slopes, repeat, backward, adj, False)


def _predict_lin(traces, dt, dx, slopes, repeat=0, backward=False, adj=False):
    """Each trace predicted from those on both sides of it."""
    return _predict(traces, dt, dx, slopes, repeat, backward, adj, True)


class Seislet(Leaf):
    """Wavelets across traces that follow local slopes.

    Parameters
    ----------
    slopes : ndarray
        Slopes, of the shape of models, ``(nx, nt)``.
    sampling : tuple, optional
        From trace to trace, and from sample to sample.
    level : int, optional
        The levels; one less than there can be, unless they are given.
    kind : str, optional
        ``"haar"`` or ``"linear"``.
    inv : bool, optional
        Whether the inverse takes the place of the adjoint.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, slopes, sampling=(1.0, 1.0), level=None, kind="haar", inv=False, dtype="float64", name="S"):
        if len(sampling) != 2:
            raise ValueError(f"expected two sampling steps, received {len(sampling)}")
        if kind not in ("haar", "linear"):
            raise NotImplementedError(f"`kind` must be 'haar' or 'linear', received {kind!r}")
        self.predict = _predict_haar if kind == "haar" else _predict_lin
        slopes, self._kind = np.asarray(to_numpy(slopes)), kind
        dims = slopes.shape
        most = max(dims[0] - 1, 0).bit_length()
        dimsd = (2**most, *dims[1:])
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)
        self.pad = Pad(dims, [(0, dimsd[0] - dims[0])] + [(0, 0)] * (len(dims) - 1), dtype=self.dtype)
        self.nx, self.nt = self.dimsd
        self.level = max(most - 1, 0) if level is None else level
        self.levels_size = 2 ** np.arange(most - 1, most - 1 - self.level, -1)
        self.levels_cum = np.insert(np.cumsum(self.levels_size), 0, 0)
        self.dx, self.dt = sampling
        self.slopes = np.pad(slopes, [(0, dimsd[0] - dims[0])] + [(0, 0)] * (len(dims) - 1))
        self.inv = inv

    def _engine(self, dtype, inverse=False):
        slopes = np.ascontiguousarray(self.slopes[: self.dims[0]], dtype=np.float64)
        steps = (float(self.dx), float(self.dt))
        return engine.Seislet(self.dims, slopes, self.level, steps, self._kind, inverse=inverse, dtype=dtype)

    def _build(self, dtype, like):
        # An inverse for an adjoint is no operator of the engine, and neither is what goes by another prediction.
        return None if self.inv else self._engine(dtype)

    def _matvec(self, x):
        if not self.inv:
            return super()._matvec(x)
        return self._applied(x, self.dims, inverse=False)

    def _rmatvec(self, x):
        return self.inverse(x) if self.inv else super()._rmatvec(x)

    def inverse(self, x):
        """From residuals and coarse traces back to traces, flat."""
        return self._applied(x.reshape(-1), self.dimsd, inverse=True)

    def _applied(self, x, shape, inverse):
        dtype = self._choose_dtype(x.dtype)
        kept = self.__dict__.setdefault("_both", {})
        key = (dtype, inverse)
        if key not in kept:
            kept[key] = self._engine(dtype, inverse)
        return kept[key].forward(_dtypes.cast(x, dtype).reshape(shape)).reshape(-1)
