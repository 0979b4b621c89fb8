"""Delays by fractions of a sample."""

import numpy as np

from ... import operators as engine_of
from .._recipes import placed
from ..utils._internal import _value_or_sized_to_array
from ..utils.backend import to_numpy
from ._baseffts import _expect_engine, _Spectral
from .fft import _ENGINES

__all__ = ["Shift"]


class Shift(_Spectral):
    """The delay of signals along an axis, by phases of their spectra.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    shift : float or ndarray
        The delay, in units of `sampling`: one for all signals, or one for each, in the shape of models without the axis.
    axis : int, optional
        The axis.
    nfft : int, optional
        The points of the transform: see `FFT`.
    sampling : float, optional
        From one sample to the next.
    real : bool, optional
        Whether models are real.
    engine : str, optional
        ``"numpy"``, ``"scipy"``, ``"fftw"`` or ``"mkl_fft"``, accepted, as are their keyword arguments.
    dtype : str, optional
        The dtype that it says it has, in the precision of which it computes.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(
        self,
        dims,
        shift,
        axis=-1,
        nfft=None,
        sampling=1.0,
        real=False,
        engine="numpy",
        dtype="complex128",
        name="S",
        **kwargs_fft,
    ):
        _expect_engine(engine, _ENGINES, kwargs_fft)
        dims = tuple(self._take_axis(dims, axis, nfft))
        self._sampling = float(sampling)
        shift = _value_or_sized_to_array(to_numpy(shift))
        if shift.dtype.kind not in "biuf":
            raise TypeError(f"delays are real numbers, not {shift.dtype}")
        others = dims[: self.axis] + dims[self.axis + 1 :]
        if shift.size == 1:
            self._shift = float(shift.reshape(-1)[0])
        elif shift.shape == others:
            self._shift = shift.astype(np.float64)
        else:
            raise ValueError(f"delays of shape {shift.shape}, expected one, or one for each signal: {others}")
        clinear = self._take_dtype(dtype, real)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, clinear=clinear, name=name)

    def _build(self, dtype, like):
        one = isinstance(self._shift, float)
        delay = self._shift if one else placed(self._shift, np.dtype(np.float64), like)
        return engine_of.Shift(self.dims, delay, self.axis, self.nfft, self._sampling, self._space_dtype(dtype))
