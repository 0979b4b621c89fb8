"""Matrices of convolutions, and slopes of pictures."""

import numpy as np

from ... import tools
from ._internal import _value_or_sized_to_tuple
from .backend import get_array_module, get_csr_matrix, get_gaussian_filter

__all__ = ["convmtx", "nonstationary_convmtx", "slope_estimate", "dip_estimate", "pwd_slope_estimate"]


def convmtx(h, n, offset=0, sparse=False):
    """The matrix ``C[i, j] = h[i - j + offset]`` of the convolution with a filter, of shape ``(len(h) + n - 1, n)``.

    Parameters
    ----------
    h : ndarray
        The filter.
    n : int
        Columns.
    offset : int, optional
        The index of time zero in the filter.
    sparse : bool, optional
        Whether the matrix is sparse.
    """
    if len(h) == 0 or n < 1:
        raise ValueError(f"convmtx: a filter of {len(h)} samples and {n} columns; both have to be at least 1")
    module = get_array_module(h)
    rows, columns = module.arange(len(h) + n - 1)[:, None], module.arange(n)[None, :]
    return _taken(h[None, :], rows - columns + offset, columns * 0, module, sparse)


def nonstationary_convmtx(H, n, hc=0, pad=(0, 0), sparse=False):
    """The matrix ``C[i, j] = H[j, i - j + hc]`` of the convolution with a filter for each sample.

    Parameters
    ----------
    H : ndarray
        The filters, one in each row.
    n : int
        Rows.
    hc : int, optional
        The index of time zero in the filters.
    pad : tuple, optional
        Accepted: beyond the filters are zeros.
    sparse : bool, optional
        Whether the matrix is sparse.
    """
    module = get_array_module(H)
    rows, columns = module.arange(n)[:, None], module.arange(H.shape[0])[None, :]
    return _taken(H, rows - columns + hc, columns, module, sparse)


def _taken(filters, taps, which, module, sparse):
    """The taps of filters, zero beyond them."""
    size = filters.shape[1]
    inside = (taps >= 0) & (taps < size)
    matrix = filters[which, module.clip(taps, 0, size - 1)] * inside.astype(filters.real.dtype)
    return get_csr_matrix(filters)(matrix) if sparse else matrix


def slope_estimate(d, dz=1.0, dx=1.0, smooth=5.0, eps=0.0, dips=False):
    """The slopes of what is seen in a picture, by its structure tensor.

    Parameters
    ----------
    d : ndarray
        The picture, of axes `z` and `x`.
    dz, dx : float, optional
        The distances of samples.
    smooth : float, optional
        The standard deviation, in samples, of the Gaussian that products of gradients are smoothed by.
    eps : float, optional
        Slopes and anisotropies of less than this share of the largest gradient are zero.
    dips : bool, optional
        Whether angles are given in place of slopes; these have no threshold.

    Returns
    -------
    slopes, anisos : ndarray
        Slopes, and how anisotropic each place is, from 0 to 1.
    """
    module, smoothed = get_array_module(d), get_gaussian_filter(d)
    slopes, anisos = module.zeros_like(d), module.zeros_like(d)
    gz, gx = module.gradient(d, dz, dx)
    gzz, gzx, gxx = (smoothed(product, sigma=smooth) for product in (gz * gz, gz * gx, gx * gx))
    most = max(gzz.max(), gxx.max(), module.abs(gzx).max())
    if most <= eps:
        return slopes, anisos
    gzz, gzx, gxx = gzz / most, gzx / most, gxx / most
    mean, radius = (gzz + gxx) / 2, module.hypot((gzz - gxx) / 2, gzx)
    large, small = mean + radius, mean - radius
    clear = large > eps
    anisos[clear] = 1 - small[clear] / large[clear]
    if dips:
        return module.arctan2(2 * gzx, gzz - gxx) / 2, anisos
    steep = module.abs(gzx) > eps
    slopes[steep] = (large - gzz)[steep] / gzx[steep]
    return slopes, anisos


def dip_estimate(d, dz=1.0, dx=1.0, smooth=5, eps=0.0):
    """`slope_estimate`, of angles."""
    return slope_estimate(d, dz=dz, dx=dx, smooth=smooth, eps=eps, dips=True)


def pwd_slope_estimate(
    d, niter=5, liter=20, order=2, smoothing="triangle", nsmooth=10, damp=0.0, axis=-1
):
    """The slopes of what is seen in a picture or a volume, by plane-wave destruction, in samples per trace.

    Parameters
    ----------
    d : ndarray
        The picture, of axes `z` and `x`, or the volume, of `z`, `x` and `y`.
    niter : int, optional
        How often slopes are changed.
    liter : int, optional
        Iterations of LSQR for each change.
    order : int, optional
        The filter: 1 has three taps, 2 has five.
    smoothing : str, optional
        What changes are smoothed by: ``"triangle"`` or ``"boxcar"``.
    nsmooth : int or tuple, optional
        Over how many samples, along all axes or each.
    damp : float, optional
        Damping.
    axis : int, optional
        The axis that slopes are along: the second or the third one.
    """
    if order not in (1, 2):
        raise ValueError(f"order must be 1 or 2, got {order}")
    if d.ndim not in (2, 3):
        raise ValueError(f"expected an array of two or three axes, got {d.ndim}")
    if smoothing not in ("triangle", "boxcar"):
        raise ValueError(f"smoothing must be either 'triangle' or 'boxcar', got {smoothing}")
    nsmooth = _value_or_sized_to_tuple(nsmooth, d.ndim)
    return tools.pwd_slope_estimate(d, niter, liter, 2 * order + 1, nsmooth, smoothing, damp, axis)
