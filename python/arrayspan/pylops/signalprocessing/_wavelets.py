"""What discrete wavelet transforms have in common."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..basicoperators import Pad


def _checkwavelet(wavelet):
    """Raises `ValueError` if no wavelet has that name."""
    known = engine.wavelets()
    if wavelet not in known:
        raise ValueError(f"'{wavelet}' not in family set = {known}")


def _adjointwavelet(wavelet):
    """The name of the wavelet whose inverse transform is the adjoint."""
    for family, other in (("rbio", "bior"), ("bior", "rbio")):
        if wavelet.startswith(family):
            return other + wavelet[len(family) :]
    return wavelet


class _Wavelets(Leaf):
    """A discrete wavelet transform along some axes."""

    def _finish(self, dims, axes, wavelet, level, dtype, name):
        _checkwavelet(wavelet)
        pad, dimsd = [(0, 0)] * len(dims), list(dims)
        for axis in axes:
            # Not by logarithms, which are not exact.
            points = max(1 << max(dims[axis] - 1, 0).bit_length(), 2**level)
            pad[axis], dimsd[axis] = (0, points - dims[axis]), points
        self.pad = Pad(dims, pad, dtype=dtype)
        self.wavelet, self.waveletadj, self.level = wavelet, _adjointwavelet(wavelet), level
        self._along = [int(axis) for axis in axes]
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _choose_dtype(self, given):
        # What PyWavelets computes in.
        return _dtypes.promoted(given)

    @property
    def sl(self):
        """Where the coefficients are: of the approximation, and of the details of each level from the coarsest on, by name."""
        extents = [self.dimsd[axis] for axis in self._along]
        extent = [points >> self.level for points in extents]
        axes = [axis % len(self.dims) for axis in self._along]

        def at(halves, sizes):
            place = [slice(None)] * len(self.dims)
            for axis, half, size in zip(axes, halves, sizes):
                place[axis] = slice(size, 2 * size) if half == "d" else slice(None, size)
            return tuple(place)

        slices = [at("a" * len(axes), extent)]
        for level in range(self.level, 0, -1):
            sizes = [points >> level for points in extents]
            names = ["".join("ad"[number >> bit & 1] for bit in reversed(range(len(axes)))) for number in range(2 ** len(axes))]
            slices.append({halves: at(halves, sizes) for halves in names[1:]})
        return slices

    def _build(self, dtype, like):
        return engine.DWTND(self.dims, self._along, self.wavelet, self.level, dtype=dtype)
