"""Radon transforms of three axes, along curved surfaces of time."""

import numpy as np

from ... import operators as engine_of
from .._leaf import Leaf
from ..utils.backend import to_numpy
from ._curves import expect_engine, expect_kind, from_middle, step_of

__all__ = ["Radon3D"]


class Radon3D(Leaf):
    """What a model has at pairs of slownesses and times, spread over surfaces of data of pairs of offsets and times; its adjoint
    stacks. Models and data are ``(npy * npx, nt)`` and ``(nhy * nhx, nt)``.

    Parameters
    ----------
    taxis, hyaxis, hxaxis : ndarray
        Times and offsets, evenly spaced.
    pyaxis, pxaxis : ndarray
        Slownesses; PyLops's units, as those of `Radon2D`.
    kind : str, optional
        ``"linear"``, ``"parabolic"`` or ``"hyperbolic"``, along both axes.
    centeredh : bool, optional
        Whether offsets are counted from the middles of their axes, whatever they are.
    interp : bool, optional
        Whether to interpolate between samples, or to take the nearest one.
    onthefly : bool, optional
        Accepted: positions are computed on the way.
    engine : str, optional
        ``"numpy"`` or ``"numba"``, accepted.
    dtype : str, optional
        The dtype of results.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        taxis,
        hyaxis,
        hxaxis,
        pyaxis,
        pxaxis,
        kind="linear",
        centeredh=True,
        interp=True,
        onthefly=False,
        engine="numpy",
        dtype="float64",
        name="R",
    ):
        expect_engine(engine)
        expect_kind(kind)
        taxis, offsets = to_numpy(taxis), [to_numpy(axis) for axis in (hyaxis, hxaxis)]
        slownesses = [to_numpy(axis) for axis in (pyaxis, pxaxis)]
        rows, lines = [[axis.size for axis in axes] for axes in (slownesses, offsets)]
        dims, dimsd = (rows[0] * rows[1], taxis.size), (lines[0] * lines[1], taxis.size)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)
        self.engine, self.kind, self.interp, self.usetable = engine, kind, interp, not onthefly
        (self.nx0, self.nt0), (self.nx, self.nt) = self.dims, self.dimsd
        self._rows = tuple(rows)
        steps = [step_of(axis) for axis in offsets]
        self._slownesses = [p * (step / step_of(taxis)) for p, step in zip(slownesses, steps)]
        self._offsets = [
            from_middle(axis.size) if centeredh else axis / step for axis, step in zip(offsets, steps)
        ]

    def _build(self, dtype, like):
        slownesses, offsets = (
            [axis.tolist() for axis in axes] for axes in (self._slownesses, self._offsets)
        )
        interpolation = "linear" if self.interp else "nearest"
        shape, kinds = (*self._rows, self.nt), [self.kind] * 2
        return engine_of.Radon3D(shape, slownesses, offsets, 1.0, kinds, interpolation, dtype=dtype)
