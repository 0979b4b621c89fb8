"""What Fourier transforms have in common: parameters, dtypes and the inverse."""

import warnings
from enum import Enum

import numpy as np

from .. import _dtypes
from .._leaf import Leaf
from ..utils._internal import _raise_on_wrong_dtype, _value_or_sized_to_array, _value_or_sized_to_tuple
from ..utils.backend import get_complex_dtype, get_normalize_axis_index, get_real_dtype

# What SciPy, and FFTW, take beside the transform. There is one implementation here, which needs none of it.
_OPTIONS = {"workers", "overwrite_x", "plan", "flags", "threads", "planning_timelimit", "ortho", "normalise_idft"}


class _FFTNorms(Enum):
    """What a transform is divided by, under the names of the engine."""

    ORTHO = "ortho"
    NONE = "unscaled"
    ONE_OVER_N = "over_n"


def _norm(name):
    if name in ("ortho", "none"):
        return _FFTNorms[name.upper()]
    if name.lower() == "1/n":
        return _FFTNorms.ONE_OVER_N
    unlike = {
        "backward": 'To use no scaling on the forward transform, use "none". Note that in this case, the adjoint '
        "transform will *not* have a 1/n scaling.",
        "forward": 'To use 1/n scaling on the forward transform, use "1/n". Note that in this case, the adjoint '
        "transform will *also* have a 1/n scaling.",
    }
    raise ValueError(unlike.get(name, f"`norm`={name} is not one of 'ortho', 'none' or '1/n'"))


def _expect_engine(engine, known, options):
    """Refuses what PyLops does not know: the rest is accepted and changes nothing."""
    if engine not in known:
        raise ValueError(f"`engine` must be {', '.join(known[:-1])} or {known[-1]}")
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise TypeError(f"unexpected keyword arguments {', '.join(unknown)}")


def _shape(dims):
    dims = _value_or_sized_to_array(dims)
    _raise_on_wrong_dtype(dims, np.integer, "dims")
    return dims.tolist()


def _expect_points(nffts, name):
    if min(nffts) < 1:
        raise ValueError(f"{name}={nffts if len(nffts) > 1 else nffts[0]}: a transform has a point at least")


class _Spectral(Leaf):
    """Computed in the precision that it was made with, of real models unless it is complex-linear."""

    def _choose_dtype(self, given):
        own = _dtypes.promoted(self.rdtype)
        return _dtypes.complex_of(own) if self.clinear else _dtypes.real(own)

    def _space_dtype(self, dtype):
        """The dtype of models where the operators beside it compute in `dtype`."""
        return _dtypes.complex_of(dtype) if self.clinear else _dtypes.real(dtype)

    def _take_dtype(self, dtype, real):
        """`rdtype` and `cdtype`; whether it is complex-linear."""
        self.real = real
        self.rdtype = get_real_dtype(dtype) if real else np.dtype(dtype)
        self.cdtype = get_complex_dtype(dtype)
        return not real and not np.issubdtype(dtype, np.floating)


    def _take_axis(self, dims, axis, nfft):
        """One axis and its points; the shape of models."""
        dims = _shape(dims)
        self.ndim = len(dims)
        axes = _value_or_sized_to_array(axis)
        _raise_on_wrong_dtype(axes, np.integer, "axis")
        self.axis = int(get_normalize_axis_index()(axes[0], self.ndim))
        extent = dims[self.axis]
        nffts = _value_or_sized_to_array(extent if nfft is None else nfft)
        _raise_on_wrong_dtype(nffts, np.integer, "nfft")
        self.nfft = int(nffts[0])
        _expect_points((self.nfft,), "nfft")
        self._short(dims, (self.axis,), (self.nfft,))
        if self.doifftpad:
            warnings.warn(
                f"nfft={self.nfft} has been selected to be smaller than the size of the original signal "
                f"(dims[axis]={extent}).\nThis is rarely intended behavior as the original signal will be truncated "
                "prior to applying FFT. If this is the required behaviour ignore this message.",
                stacklevel=3,
            )
        return dims

    def _short(self, dims, axes, nffts):
        """Which axes are cut off, and what the adjoint fills up."""
        short = [nfft < dims[axis] for axis, nfft in zip(axes, nffts)]
        self.doifftpad = any(short)
        if self.doifftpad:
            self.ifftpad = [(0, 0)] * len(dims)
            for axis, nfft, cut in zip(axes, nffts, short):
                if cut:
                    self.ifftpad[axis] = (0, dims[axis] - nfft)
        return short


class _Transform(_Spectral):
    """A transform along axes."""

    def _finish(self, dims, dimsd, nffts, norm, real, dtype, name):
        self.norm = _norm(norm)
        points = int(np.prod(nffts))
        # Of the adjoint after the transform.
        self._scale = {_FFTNorms.ORTHO: 1, _FFTNorms.NONE: points, _FFTNorms.ONE_OVER_N: 1 / points}[self.norm]
        clinear = self._take_dtype(dtype, real)
        super().__init__(dtype=self.cdtype, dims=dims, dimsd=dimsd, clinear=clinear, name=name)

    def _parameters(self, dtype):
        """The last parameters of the engine's constructors."""
        return {
            "spectrum": "half" if self.real else "full",
            "norm": self.norm.value,
            "dtype": self._space_dtype(dtype),
        }

    def __truediv__(self, y, niter=100, densesolver="scipy"):
        """The inverse, by one application."""
        x = self._rmatvec(y.reshape(-1))
        return x if self.norm is _FFTNorms.ORTHO else x / self._scale


class _BaseFFTND(_Transform):
    """A transform along several axes."""

    def __init__(
        self, dims, axes, nffts, sampling, norm, real, ifftshift_before, fftshift_after, dtype, name
    ):
        dims = _shape(dims)
        self.ndim = len(dims)
        axes = _value_or_sized_to_array(axes)
        _raise_on_wrong_dtype(axes, np.integer, "axes")
        self.axes = np.array([get_normalize_axis_index()(axis, self.ndim) for axis in axes])
        self.naxes = len(self.axes)
        if self.naxes != len(np.unique(self.axes)):
            raise ValueError(f"an axis twice: axes={tuple(axes.tolist())} of {self.ndim} dimensions")
        given = {
            "nffts": _value_or_sized_to_array(nffts, repeat=self.naxes),
            "sampling": _value_or_sized_to_array(sampling, repeat=self.naxes),
            "ifftshift_before": _value_or_sized_to_array(ifftshift_before, repeat=self.naxes),
            "fftshift_after": _value_or_sized_to_array(fftshift_after, repeat=self.naxes),
        }
        lengths = [len(values) for values in given.values()]
        if any(length != self.naxes for length in lengths):
            raise ValueError(
                "`axes`, `nffts`, `sampling`, `ifftshift_before` and `fftshift_after` must the have same number of "
                f"elements. Received {self.naxes}, {lengths[0]}, {lengths[1]}, {lengths[2]} and {lengths[3]}, "
                "respectively."
            )
        nffts = np.array([dims[at] if n is None else n for at, n in zip(self.axes, given["nffts"])])
        _raise_on_wrong_dtype(nffts, np.integer, "nffts")
        self.nffts = _value_or_sized_to_tuple(nffts)
        _expect_points(self.nffts, "nffts")
        sampling = given["sampling"]
        self.sampling = sampling.astype(np.float64) if np.issubdtype(sampling.dtype, np.integer) else sampling
        _raise_on_wrong_dtype(self.sampling, np.floating, "sampling")
        self.ifftshift_before, self.fftshift_after = given["ifftshift_before"], given["fftshift_after"]
        _raise_on_wrong_dtype(self.ifftshift_before, bool, "ifftshift_before")
        _raise_on_wrong_dtype(self.fftshift_after, bool, "fftshift_after")
        short = self._short(dims, self.axes, self.nffts)
        if self.doifftpad:
            warnings.warn(
                f"nffts in directions {np.where(short)[0]} have been selected to be smaller than the size of the "
                "original signal. This is rarely intended behavior as the original signal will be truncated prior to "
                "applying fft, if this is the required behaviour ignore this message.",
                stacklevel=3,
            )
        self.fs = self._frequencies(real)
        if real and self.fftshift_after[-1]:
            warnings.warn(
                "Using real=True and fftshift_after on the last direction. fftshift should only be applied on "
                "directions with negative and positive frequencies. When using FFTND with real=True, are all "
                "directions except the last. If you wish to proceed applying fftshift on a frequency axis with only "
                "positive frequencies, ignore this message.",
                stacklevel=3,
            )
        dimsd = np.array(dims)
        dimsd[self.axes] = self.nffts
        if real:
            dimsd[self.axes[-1]] = self.nffts[-1] // 2 + 1
        self._finish(dims, dimsd.tolist(), self.nffts, norm, real, dtype, name)

    def _frequencies(self, real):
        fs = []
        for at, (nfft, step, shifted) in enumerate(zip(self.nffts, self.sampling, self.fftshift_after)):
            half = real and at == self.naxes - 1
            f = (np.fft.rfftfreq if half else np.fft.fftfreq)(nfft, d=step)
            fs.append(np.fft.fftshift(f) if shifted else f)
        return tuple(fs)

    # The engine's constructor.
    _engine = None

    def _build(self, dtype, like):
        return type(self)._engine(
            self.dims,
            self.axes.tolist(),
            self.nffts,
            ifftshift_before=self.ifftshift_before.tolist(),
            fftshift_after=self.fftshift_after.tolist(),
            **self._parameters(dtype),
        )
