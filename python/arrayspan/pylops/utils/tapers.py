"""Windows that go to zero at the ends."""

from functools import reduce

import numpy as np

__all__ = ["hanningtaper", "cosinetaper", "taper", "taper2d", "taper3d", "tapernd"]


def _mirrored(ramp, nmask):
    return np.concatenate([ramp, np.ones(nmask - 2 * ramp.size), ramp[::-1]])


def hanningtaper(nmask, ntap):
    """A window of `nmask` samples, of which the first and last `ntap` are halves of a Hanning window."""
    if ntap > 0 and nmask // ntap < 2:
        raise ValueError(f"ntap={ntap} must be smaller or equal than {nmask // 2}")
    return _mirrored(np.hanning(max(2 * ntap - 1, 0))[:ntap], nmask)


def cosinetaper(nmask, ntap, square=False, exponent=None):
    """The same, of a raised cosine to a power: 1, 2 if `square` is true, or `exponent`."""
    ntap = 0 if ntap == 1 else ntap
    power = (2 if square else 1) if exponent is None else exponent
    ramp = (1 - np.cos(np.pi * np.arange(ntap) / max(ntap - 1, 1))) / 2
    return _mirrored(ramp**power, nmask)


def taper(nmask, ntap, tapertype):
    """The window of a name: ``"hanning"``, ``"cosine"``, ``"cosinesquare"``, ``"cosinesqrt"``; of any other one ones."""
    if tapertype == "hanning":
        return hanningtaper(nmask, ntap)
    powers = {"cosine": 1, "cosinesquare": 2, "cosinesqrt": 0.5}
    if tapertype not in powers:
        return np.ones(nmask)
    return cosinetaper(nmask, ntap, exponent=powers[tapertype])


def tapernd(nmask, ntap, tapertype="hanning"):
    """The product of windows along each axis."""
    windows = [taper(size, ends, tapertype) for size, ends in zip(nmask, ntap, strict=True)]
    return reduce(np.multiply.outer, windows)


def taper2d(nt, nmask, ntap, tapertype="hanning"):
    """A window along the first axis, of shape ``(nmask, nt)``; two numbers `ntap` make one along both."""
    if isinstance(ntap, (list, tuple)):
        return tapernd((nmask, nt), ntap, tapertype)
    return np.repeat(taper(nmask, ntap, tapertype)[:, None], nt, axis=1)


def taper3d(nt, nmask, ntap, tapertype="hanning"):
    """Windows along the first two axes, of shape ``(*nmask, nt)``."""
    return np.repeat(tapernd(nmask, ntap, tapertype)[..., None], nt, axis=2)
