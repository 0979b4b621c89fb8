"""Fourier transforms along two axes."""

from ... import operators as engine_of
from ._baseffts import _BaseFFTND, _expect_engine

__all__ = ["FFT2D"]


class FFT2D(_BaseFFTND):
    """The discrete Fourier transform along two axes.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    axes : tuple, optional
        The axes.
    nffts : int or tuple, optional
        The points, of both or one number or `None` for each: see `FFT`.
    sampling : float or tuple, optional
        From one sample to the next, along both or each.
    norm : str, optional
        See `FFT`; the points of both axes count.
    real : bool, optional
        See `FFT`: the second axis is halved.
    ifftshift_before, fftshift_after : bool or tuple, optional
        See `FFT`; of both or each.
    engine : str, optional
        ``"numpy"``, ``"scipy"`` or ``"mkl_fft"``, accepted.
    dtype : str, optional
        See `FFT`.
    name : str, optional
        What `describe` calls it.

    Attributes
    ----------
    f1, f2 : ndarray
        The frequencies of the bins along the axes.
    """

    _engine = engine_of.FFT2D

    def __init__(
        self,
        dims,
        axes=(-2, -1),
        nffts=None,
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
        _expect_engine(engine, ("numpy", "scipy", "mkl_fft"), kwargs_fft)
        super().__init__(dims, axes, nffts, sampling, norm, real, ifftshift_before, fftshift_after, dtype, name)
        if self.ndim < 2:
            raise ValueError("FFT2D requires at least two input dimensions")
        if self.naxes != 2:
            raise ValueError("FFT2D must be applied along exactly two dimensions")
        self.f1, self.f2 = self.fs
        del self.fs
