"""Discrete wavelet transforms along several axes."""

from ..utils._internal import _value_or_sized_to_tuple
from ._wavelets import _adjointwavelet, _checkwavelet, _Wavelets  # noqa: F401

__all__ = ["DWTND"]


class DWTND(_Wavelets):
    """The discrete wavelet transform along several axes, of signals with zeros behind them up to a power of two.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axes : tuple, optional
        The axes.
    wavelet : str, optional
        The name of the wavelet, as in PyWavelets.
    level : int, optional
        The levels.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, axes=(-3, -2, -1), wavelet="haar", level=1, dtype="float64", name="D"):
        self.axes = axes
        self._finish(_value_or_sized_to_tuple(dims), axes, wavelet, level, dtype, name)
