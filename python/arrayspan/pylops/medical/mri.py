"""Magnetic resonance imaging."""

import warnings

import numpy as np

from ... import operators as engine_of
from .. import _dtypes
from .._leaf import Leaf
from .._recipes import placed
from ..basicoperators import Diagonal, Restriction
from ..signalprocessing.bilinear import Bilinear
from ..utils.backend import get_array_module, get_complex_dtype

__all__ = ["MRI2D"]

_MASKS = ("vertical-reg", "vertical-uni", "radial-reg", "radial-uni")


class MRI2D(Leaf):
    """What is measured of the spectra of images.

    Parameters
    ----------
    dims : tuple
        The shape of images, ``(ny, nx)``.
    mask : str or ndarray
        Weights for all frequencies, zero frequency in the middle, or ``"vertical-reg"`` and ``"vertical-uni"``, lines of the first axis
        evenly or by lot, or ``"radial-reg"`` and ``"radial-uni"``, lines through the middle, likewise.
    nlines : int, optional
        How many lines.
    perc_center : float, optional
        Which part of all lines, those in the middle, is measured beside them (of ``"vertical-uni"``).
    engine : str, optional
        Accepted.
    fft_engine : str, optional
        ``"numpy"``, ``"scipy"`` or ``"mkl_fft"``, accepted.
    dtype : str, optional
        The dtype that it was made for.
    name : str, optional
        What `describe` calls it.

    Attributes
    ----------
    mask : ndarray
        The weights, the lines, or the points: rows and columns.
    ROp : LinearOperator
        What takes the measurements of spectra.
    """

    def __init__(
        self,
        dims,
        mask,
        nlines=None,
        perc_center=0.1,
        engine="numpy",
        fft_engine="numpy",
        dtype="complex128",
        name="M",
        **kwargs_fft,
    ):
        self.engine, self.fft_engine = engine, fft_engine
        if engine == "jax" and fft_engine != "numpy":
            warnings.warn("engine='jax' transforms by 'numpy'", stacklevel=2)
            self.fft_engine = "numpy"
        named = isinstance(mask, str)
        self._mask_type = mask if named else "mask"
        if named and mask not in _MASKS:
            raise ValueError(f"`mask` must be an array or one of {', '.join(_MASKS)}, got {mask}")
        if self.fft_engine not in ("numpy", "scipy", "mkl_fft"):
            raise ValueError("`fft_engine` must be 'numpy', 'scipy' or 'mkl_fft'")
        if named and (nlines is None or perc_center is None):
            raise ValueError("`nlines` and `perc_center` must be given with a mask by name")
        if mask_is(mask, "vertical-reg") and perc_center > 0:
            raise ValueError("`perc_center` must be 0.0 with `mask='vertical-reg'`")
        dims = tuple(int(extent) for extent in dims)
        cdtype = get_complex_dtype(dtype)
        if not named:
            self.mask = mask
            self.ROp = Diagonal(mask, dtype=cdtype)
            dimsd = dims
        elif mask.startswith("vertical"):
            self.mask = _lines(dims[1], nlines, perc_center, mask == "vertical-reg")
            self.ROp = Restriction(dims, self.mask, axis=-1, forceflat=True, dtype=cdtype)
            dimsd = (dims[0], len(self.mask))
        else:
            self.mask = _spokes(dims, nlines, mask == "radial-reg")
            self.ROp = Bilinear(self.mask, dims, dtype=cdtype)
            dimsd = (self.mask.shape[1],)
        clinear = not np.issubdtype(np.dtype(dtype), np.floating)
        forceflat = True if named and mask.startswith("vertical") else None
        super().__init__(dtype=cdtype, dims=dims, dimsd=dimsd, clinear=clinear, forceflat=forceflat, name=name)

    def _choose_dtype(self, given):
        own = _dtypes.promoted(self.dtype)
        return own if self.clinear else _dtypes.real(own)

    def _build(self, dtype, like):
        dtype = _dtypes.complex_of(dtype) if self.clinear else _dtypes.real(dtype)
        if self._mask_type == "mask":
            weights = get_array_module(self.mask).asarray(self.mask).reshape(self.dims)
            return engine_of.MRI2D(self.dims, placed(weights, _dtypes.complex_of(dtype), like), dtype=dtype)
        if self._mask_type.startswith("vertical"):
            return engine_of.MRI2D(self.dims, lines=self.mask.tolist(), dtype=dtype)
        return engine_of.MRI2D(self.dims, points=self.mask.tolist(), dtype=dtype)


def mask_is(mask, name):
    return isinstance(mask, str) and mask == name


def _lines(extent, nlines, perc_center, even):
    """Lines of an axis: those in the middle and as many others."""
    center = int(perc_center * extent)
    if nlines + center > extent:
        raise ValueError(
            f"`nlines` and `perc_center` give more lines than there are in k-space ({nlines + center}>{extent})"
        )
    if even:
        return np.arange(nlines) * (extent // nlines)
    first = extent // 2 - center // 2
    middle = np.arange(first, first + center)
    drawn = np.random.default_rng().choice(np.setdiff1d(np.arange(extent), middle), nlines, replace=False)
    return np.sort(np.concatenate((middle, drawn)))


def _spokes(dims, nlines, even):
    """Points of lines through the middle, ``nx - 1`` each, within the spectrum and once: rows and columns."""
    ny, nx = dims
    middle = np.array([[ny // 2], [nx // 2]])
    if even:
        angles = np.linspace(0, np.pi, nlines, endpoint=False)
    else:
        angles = np.random.default_rng().uniform(-np.pi, np.pi, nlines)
    half = (nx // 2, ny // 2)
    spokes = []
    for angle in angles:
        slope = np.tan(angle)
        if angle == np.pi / 2:
            rows = np.zeros(nx - 1)
            columns = np.linspace(-nx // 2 + 1, nx // 2 - 1, nx - 1)
        else:
            reach = min(half[1], half[0] / abs(slope)) if slope else half[1]
            if slope >= 0:
                rows = np.linspace(-reach, min(reach, ny // 2 - 1 - (ny + 1) % 2), nx - 1)
            else:
                first = max(-ny // 2 + 1, -half[0] / abs(slope))
                rows = np.linspace(first, min(-first, ny // 2 - 1), nx - 1)
            columns = slope * rows
        spokes.append(np.stack((rows, columns)) + middle)
    points = np.concatenate(spokes, axis=1)
    inside = (points >= 0).all(axis=0) & (points[0] < ny - 1) & (points[1] < nx - 1)
    return np.unique(points[:, inside], axis=1)
