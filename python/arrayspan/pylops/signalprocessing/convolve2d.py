"""Convolution along two axes."""

from .convolvend import ConvolveND

__all__ = ["Convolve2D"]


class Convolve2D(ConvolveND):
    """The convolution with a filter along two axes: see `ConvolveND`.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    h : ndarray
        The filter, of two axes.
    offset : tuple, optional
        The index of time zero in the filter.
    axes : tuple, optional
        The axes.
    method : str, optional
        ``"auto"``, ``"direct"`` or ``"fft"``, accepted: the filter decides.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, h, offset=(0, 0), axes=(-2, -1), method="fft", dtype="float64", name="C"):
        if h.ndim != 2:
            raise ValueError("`h` must be 2-dimensional")
        super().__init__(dims, h, offset, axes, method, dtype, name)
