"""Derivatives along axes."""

from math import prod

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index

__all__ = [
    "FirstDerivative",
    "SecondDerivative",
    "Laplacian",
    "Gradient",
    "FirstDirectionalDerivative",
    "SecondDirectionalDerivative",
]


def _scheme(kind, order=3):
    """The engine's name of a stencil."""
    if kind == "centered":
        if order not in (3, 5):
            raise NotImplementedError("order must be '3', or '5'")
        return f"centered{order}"
    if kind not in ("forward", "backward"):
        raise NotImplementedError("kind must be 'forward', 'centered', or 'backward'")
    return kind


def _edge(edge):
    return "reduced" if edge else "zero"


class FirstDerivative(Leaf):
    """The first derivative along an axis.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    sampling : float, optional
        The distance of samples.
    kind : str, optional
        ``"forward"``, ``"centered"`` or ``"backward"`` differences.
    edge : bool, optional
        Whether centered differences have shorter ones at the ends, in place of zeros.
    order : int, optional
        How many samples a centered difference spans: 3 or 5.
    dtype : str, optional
        The dtype of results.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        dims,
        axis=-1,
        sampling=1.0,
        kind="centered",
        edge=False,
        order=3,
        dtype="float64",
        name="F",
    ):
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)
        self.axis = get_normalize_axis_index()(axis, len(dims))
        self.sampling, self.kind, self.edge, self.order = sampling, kind, edge, order
        self._scheme = _scheme(kind, order)

    def _build(self, dtype, like):
        return engine.FirstDerivative(
            self.dims,
            self.axis,
            step=float(self.sampling),
            scheme=self._scheme,
            edge=_edge(self.edge and self.kind == "centered"),
            dtype=dtype,
        )


class SecondDerivative(Leaf):
    """The second derivative along an axis.

    The parameters are those of `FirstDerivative`, without `order`.
    """

    def __init__(
        self, dims, axis=-1, sampling=1.0, kind="centered", edge=False, dtype="float64", name="S"
    ):
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)
        self.axis = get_normalize_axis_index()(axis, len(dims))
        self.sampling, self.kind, self.edge = sampling, kind, edge
        self._scheme = _scheme(kind)

    def _build(self, dtype, like):
        return engine.SecondDerivative(
            self.dims,
            self.axis,
            step=float(self.sampling),
            scheme=self._scheme,
            edge=_edge(self.edge and self.kind == "centered"),
            dtype=dtype,
        )


class Laplacian(Leaf):
    """The sum of second derivatives along axes.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    axes : tuple, optional
        The axes.
    weights : tuple, optional
        What each counts.
    sampling : tuple, optional
        The distance of samples along each.
    edge, kind, dtype, name
        As those of `SecondDerivative`.
    """

    def __init__(
        self,
        dims,
        axes=(-2, -1),
        weights=(1.0, 1.0),
        sampling=(1.0, 1.0),
        edge=False,
        kind="centered",
        dtype="float64",
        name="L",
    ):
        dims = _value_or_sized_to_tuple(dims)
        normalize = get_normalize_axis_index()
        self.axes = tuple(int(normalize(axis, len(dims))) for axis in axes)
        if not len(self.axes) == len(weights) == len(sampling):
            raise ValueError("axes, weights, and sampling have different size")
        self.weights, self.sampling, self.edge, self.kind = weights, sampling, edge, kind
        self._scheme = _scheme(kind)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return engine.Laplacian(
            self.dims,
            list(self.axes),
            steps=[float(step) for step in self.sampling],
            weights=[float(weight) for weight in self.weights],
            scheme=self._scheme,
            edge=_edge(self.edge and self.kind == "centered"),
            dtype=dtype,
        )


class Gradient(Leaf):
    """The first derivative along each axis, which a new first axis counts.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    sampling : float or tuple, optional
        The distance of samples along each axis.
    edge, kind, dtype, name
        As those of `FirstDerivative`.
    """

    def __init__(self, dims, sampling=1.0, edge=False, kind="centered", dtype="float64", name="G"):
        dims = _value_or_sized_to_tuple(dims)
        self.sampling = _value_or_sized_to_tuple(sampling, repeat=len(dims))
        self.edge, self.kind = edge, kind
        self._scheme = _scheme(kind)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=(len(dims), *dims), name=name)

    def _build(self, dtype, like):
        return engine.Gradient(
            self.dims,
            steps=[float(step) for step in self.sampling],
            scheme=self._scheme,
            edge=_edge(self.edge and self.kind == "centered"),
            dtype=dtype,
        )


class FirstDirectionalDerivative(Leaf):
    """The derivative along a direction.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    v : ndarray
        The direction: one number for each axis, or an array of the shape ``(len(dims), *dims)`` of one at each place.
    sampling, edge, kind, dtype, name
        As those of `Gradient`.
    """

    def __init__(self, dims, v, sampling=1.0, edge=False, kind="centered", dtype="float64", name="F"):
        dims = _value_or_sized_to_tuple(dims)
        if v.size not in (len(dims), len(dims) * prod(dims)):
            raise ValueError(f"v must have {len(dims)} elements, or these at each place, got shape {v.shape}")
        self.v, self.sampling, self.edge, self.kind = v, sampling, edge, kind
        self._steps = _value_or_sized_to_tuple(sampling, repeat=len(dims))
        self._scheme = _scheme(kind)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _choose_dtype(self, given):
        # Components have a dtype of their own, which derivatives are promoted to.
        return _dtypes.promoted(super()._choose_dtype(given), self.v.dtype)

    def _build(self, dtype, like):
        v = placed(self.v, dtype, like)
        constant = v.size == len(self.dims) and dtype.kind != "c"
        if not constant and v.size == len(self.dims):
            v = v.reshape((-1,) + (1,) * len(self.dims)) * np.ones(self.dims, dtype=dtype)
        return getattr(engine, type(self).__name__)(
            self.dims,
            v.reshape(-1).tolist() if constant else v.reshape((len(self.dims), *self.dims)),
            steps=[float(step) for step in self._steps],
            scheme=self._scheme,
            edge=_edge(self.edge and self.kind == "centered"),
            dtype=dtype,
        )


class SecondDirectionalDerivative(FirstDirectionalDerivative):
    """The second derivative along a direction, ``-D.H D`` of the first one.

    The parameters are those of `FirstDirectionalDerivative`.
    """

    def __init__(self, dims, v, sampling=1.0, edge=False, kind="centered", dtype="float64", name="S"):
        super().__init__(dims, v, sampling, edge, kind, dtype, name)

    def _choose_dtype(self, given):
        # The last of its parts is a derivative.
        return _dtypes.within(_dtypes.promoted(self.dtype), np.promote_types(given, self.v.dtype))
