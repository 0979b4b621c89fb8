"""Uniform discrete curvelet transforms."""

from math import prod

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..utils._internal import _value_or_sized_to_tuple

__all__ = ["UDCT"]


class UDCT(Leaf):
    """The uniform discrete curvelet transform along all axes. What stands for the adjoint is the inverse, as in PyLops: both are
    the same unless the finest scale has wavelets.

    Parameters
    ----------
    dims : tuple
        The shape of models: multiples of ``wedges_per_direction / 3 * 2 ** (num_scales - 1)``.
    num_scales : int, optional
        The scales, that of low frequencies included: 3.
    wedges_per_direction : int, optional
        The wedges along each other axis that the frequencies around one are divided into at the coarsest scale, a multiple of 3.
        Each finer scale has twice as many.
    window_overlap : float, optional
        How far a wedge reaches into the next one, up to 0.5: a tenth of the most that the condition of Nguyen and Chauris allows.
    radial_frequency_params : tuple, optional
        Between the first two angular frequencies the finest scale rises, between the last two it falls: π/3, 2π/3, 2π/3 and 4π/3.
    window_threshold : float, optional
        Windows are zero where they would not exceed this.
    high_frequency_mode : str, optional
        What the finest scale is made of: ``"curvelet"``, or ``"wavelet"`` without directions.
    transform_kind : str, optional
        ``"real"`` of real models, ``"complex"`` of any. (``"monogenic"`` is not there: PyLops cannot apply its adjoint.)
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.

    Attributes
    ----------
    transform : curvelets.numpy.UDCT
        The transform of the package `curvelets`, which is made, with windows of its own, when it is asked for.
    """

    def __init__(
        self,
        dims,
        num_scales=None,
        wedges_per_direction=None,
        window_overlap=None,
        radial_frequency_params=None,
        window_threshold=1e-5,
        high_frequency_mode="curvelet",
        transform_kind="real",
        dtype="complex128",
        name="C",
    ):
        dims = _value_or_sized_to_tuple(dims)
        if transform_kind == "monogenic":
            raise NotImplementedError("transform_kind='monogenic' has no adjoint in PyLops, and is not part of arrayspan")
        if transform_kind not in ("real", "complex"):
            raise ValueError(f"transform_kind must be 'real' or 'complex', got {transform_kind!r}")
        wavelets = high_frequency_mode == "wavelet"
        self._kinds = {
            "scales": 3 if num_scales is None else int(num_scales),
            "wedges": 3 if wedges_per_direction is None else int(wedges_per_direction),
            "finest": "wavelets" if wavelets else "curvelets",
            "kind": transform_kind,
        }
        self._windows = {
            "overlap": window_overlap,
            "radii": None if radial_frequency_params is None else tuple(map(float, radial_frequency_params)),
            "threshold": float(window_threshold),
        }
        self._given = dict(
            num_scales=num_scales,
            wedges_per_direction=wedges_per_direction,
            window_overlap=window_overlap,
            radial_frequency_params=radial_frequency_params,
            window_threshold=window_threshold,
            high_frequency_mode=high_frequency_mode,
            transform_kind=transform_kind,
        )
        bands = engine.curvelet_bands(dims, **self._kinds)
        count = sum(wedges * prod(shape) for _, _, wedges, shape in bands)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=(count,), clinear=False, name=name)

    @property
    def transform(self):
        if "_transform" not in self.__dict__:
            from curvelets.numpy import UDCT as transform

            self.__dict__["_transform"] = transform(self.dims, **self._given)
        return self.__dict__["_transform"]

    @property
    def _is_real(self):
        return self._kinds["kind"] == "real"

    def _choose_dtype(self, given):
        return self._space_dtype(_dtypes.promoted(given))

    def _space_dtype(self, dtype):
        """The dtype of models where the operators beside it compute in `dtype`."""
        return _dtypes.real(dtype) if self._is_real else _dtypes.complex_of(dtype)

    def _engine(self, dtype, inverse=False):
        return engine.UDCT(
            self.dims, **self._kinds, **self._windows, inverse=inverse, dtype=self._space_dtype(dtype)
        )

    def _build(self, dtype, like):
        # An inverse for an adjoint is no operator of the engine.
        return self._engine(dtype) if self._kinds["finest"] == "curvelets" else None

    def _applied(self, x, inverse):
        dtype = self._choose_dtype(x.dtype)
        kept = self.__dict__.setdefault("_both", {})
        if (dtype, inverse) not in kept:
            kept[dtype, inverse] = self._engine(dtype, inverse)
        space = kept[dtype, inverse].domain
        x = _dtypes.cast(x, np.dtype(space.dtype)).reshape(space.shape)
        return kept[dtype, inverse].forward(x).reshape(-1)

    def _matvec(self, x):
        if self._is_real and x.dtype.kind == "c":
            raise ValueError("a transform of real models: transform_kind='complex' is that of complex ones")
        y = super()._matvec(x)
        return self._applied(x, inverse=False) if y is None else y

    def _rmatvec(self, x):
        y = super()._rmatvec(x)
        return self._applied(x, inverse=True) if y is None else y

    def inverse(self, x):
        """From coefficients back to models, flat."""
        return self._rmatvec(x.reshape(-1))
