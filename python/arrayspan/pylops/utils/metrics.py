"""How far one array is from another."""

import numpy as np

__all__ = ["mae", "mse", "snr", "psnr"]


def mae(xref, xcmp):
    """The mean of ``|xref - xcmp|``."""
    return np.mean(np.abs(xref - xcmp))


def mse(xref, xcmp):
    """The mean of ``|xref - xcmp|**2``."""
    return np.mean(np.abs(xref - xcmp) ** 2)


def _decibel(signal, noise):
    with np.errstate(divide="ignore"):
        return 10.0 * np.log10(signal / noise)


def snr(xref, xcmp):
    """The mean of ``|xref|**2`` over `mse`, in decibel; infinite for equal arrays."""
    return _decibel(np.mean(np.abs(xref) ** 2), mse(xref, xcmp))


def psnr(xref, xcmp, xmax=None, xmin=0.0):
    """The square of ``xmax - xmin`` over `mse`, in decibel; by default ``xmax`` is the largest element of `xref`, and
    its least one stands for an ``xmin`` of `None`."""
    top = xref.max() if xmax is None else xmax
    bottom = xref.min() if xmin is None else xmin
    return _decibel((top - bottom) ** 2, mse(xref, xcmp))
