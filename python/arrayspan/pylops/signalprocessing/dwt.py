"""Discrete wavelet transforms along an axis."""

from ..utils._internal import _value_or_sized_to_tuple
from ._wavelets import _adjointwavelet, _checkwavelet, _Wavelets  # noqa: F401

__all__ = ["DWT"]


class DWT(_Wavelets):
    """The discrete wavelet transform along an axis, of signals with zeros behind them up to a power of two.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    wavelet : str, optional
        The name of the wavelet, as in PyWavelets.
    level : int, optional
        The levels.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, axis=-1, wavelet="haar", level=1, dtype="float64", name="D"):
        self.axis = axis
        self._finish(_value_or_sized_to_tuple(dims), (axis,), wavelet, level, dtype, name)
