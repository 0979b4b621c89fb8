"""Fourier transforms along an axis."""

import warnings

import numpy as np

from ... import operators as engine_of
from ._baseffts import _expect_engine, _Transform

__all__ = ["FFT"]

_ENGINES = ("numpy", "scipy", "fftw", "mkl_fft")


class FFT(_Transform):
    """The discrete Fourier transform along an axis.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    nfft : int, optional
        The points: zeros follow the samples up to there, or samples behind there are cut off.
    sampling : float, optional
        From one sample to the next: what `f` is counted by.
    norm : str, optional
        Forward and adjoint are divided by ``sqrt(nfft)`` (``"ortho"``), by nothing (``"none"``) or by ``nfft`` (``"1/n"``).
    real : bool, optional
        Of real models, the bins up to half the points, those that stand for two times ``sqrt(2)``.
    ifftshift_before : bool, optional
        Whether the sample in the middle is time zero.
    fftshift_after : bool, optional
        Whether the negative frequencies come first.
    engine : str, optional
        ``"numpy"``, ``"scipy"``, ``"fftw"`` or ``"mkl_fft"``, accepted, as are their keyword arguments: there is one implementation.
    dtype : str, optional
        The dtype of models, and the precision that it computes in. Of a real one it takes, and its adjoint gives, real numbers.
    name : str, optional
        What `describe` calls it.

    Attributes
    ----------
    f : ndarray
        The frequencies of the bins.
    rdtype, cdtype : dtype
        The dtypes of models and of data.

    ``Op / y`` is one application of the adjoint, and a factor.
    """

    def __init__(
        self,
        dims,
        axis=-1,
        nfft=None,
        sampling=1.0,
        norm="ortho",
        real=False,
        ifftshift_before=False,
        fftshift_after=False,
        engine="numpy",
        dtype="complex128",
        name="F",
        **kwargs_fft,
    ):
        _expect_engine(engine, _ENGINES, kwargs_fft)
        dims = self._take_axis(dims, axis, nfft)
        self.ifftshift_before, self.fftshift_after = ifftshift_before, fftshift_after
        self.f = (np.fft.rfftfreq if real else np.fft.fftfreq)(self.nfft, d=sampling)
        if fftshift_after:
            if real:
                warnings.warn(
                    "Using fftshift_after with real=True. fftshift should only be applied after a complex FFT. This "
                    "is rarely intended behavior but if it is, ignore this message.",
                    stacklevel=2,
                )
            self.f = np.fft.fftshift(self.f)
        dimsd = list(dims)
        dimsd[self.axis] = self.nfft // 2 + 1 if real else self.nfft
        self._finish(dims, dimsd, (self.nfft,), norm, real, dtype, name)

    def _build(self, dtype, like):
        return engine_of.FFT(
            self.dims,
            self.axis,
            self.nfft,
            ifftshift_before=bool(self.ifftshift_before),
            fftshift_after=bool(self.fftshift_after),
            **self._parameters(dtype),
        )
