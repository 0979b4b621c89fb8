"""Fourier transforms along several axes."""

from ... import operators as engine_of
from ._baseffts import _BaseFFTND, _expect_engine

__all__ = ["FFTND"]


class FFTND(_BaseFFTND):
    """The discrete Fourier transform along several axes.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axes : int or tuple, optional
        The axes, each once.
    nffts : int or tuple, optional
        The points, of all or one number or `None` for each: see `FFT`.
    sampling : float or tuple, optional
        From one sample to the next, along all or each.
    norm : str, optional
        See `FFT`; the points of all axes count.
    real : bool, optional
        See `FFT`: the last one of `axes` is halved.
    ifftshift_before, fftshift_after : bool or tuple, optional
        See `FFT`; of all or each.
    engine : str, optional
        ``"numpy"``, ``"scipy"`` or ``"mkl_fft"``, accepted.
    dtype : str, optional
        See `FFT`.
    name : str, optional
        What `describe` calls it.

    Attributes
    ----------
    fs : tuple of ndarray
        The frequencies of the bins along each axis.
    """

    _engine = engine_of.FFTND

    def __init__(
        self,
        dims,
        axes=(-3, -2, -1),
        nffts=None,
        sampling=1.0,
        norm="ortho",
        real=False,
        ifftshift_before=False,
        fftshift_after=False,
        engine="scipy",
        dtype="complex128",
        name="F",
        **kwargs_fft,
    ):
        _expect_engine(engine, ("numpy", "scipy", "mkl_fft"), kwargs_fft)
        super().__init__(dims, axes, nffts, sampling, norm, real, ifftshift_before, fftshift_after, dtype, name)
