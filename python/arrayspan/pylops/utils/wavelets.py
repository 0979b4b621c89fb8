"""Wavelets: of times from 0 on, those of both signs, ``(wavelet, times, index of time 0)``."""

import warnings

import numpy as np

__all__ = ["gaussian", "klauder", "ormsby", "ricker"]


def _both_signs(t):
    if len(t) % 2 == 0:
        t = t[:-1]
        warnings.warn("One sample removed from time axis...", stacklevel=3)
    return np.concatenate((-t[:0:-1], t))


def _wavelet(w, t, taper=None):
    center = int(np.argmax(np.abs(w)))
    return (w if taper is None else w * taper(len(t))), t, center


def gaussian(t, std=1.0):
    """``exp(-(i / std)**2 / 2)`` of the sample `i` from the centre."""
    t = _both_signs(t)
    i = np.arange(len(t)) - len(t) // 2
    return _wavelet(np.exp(-((i / std) ** 2) / 2), t)


def klauder(t, f=(5.0, 20.0), taper=None):
    """The autocorrelation of a sweep that reaches ``f[1]`` at the last time, by ``(f[1] - f[0]) / 2`` faster than at 0."""
    t = _both_signs(t)
    low, high = f
    start = low + (high - low) / 2.0
    sweep = np.cos(2 * np.pi * (start * t + (high - start) / (2 * t[-1]) * t**2))
    w = np.correlate(sweep, sweep, mode="same")
    return _wavelet(w / np.amax(w), t, taper)


def ormsby(t, f=(5.0, 10.0, 45.0, 50.0), taper=None):
    """The wavelet whose spectrum rises from ``f[0]`` to ``f[1]`` and falls from ``f[2]`` to ``f[3]``."""
    t = _both_signs(t)

    def ramp(low, high):
        return np.pi * ((np.sinc(high * t) * high) ** 2 - (np.sinc(low * t) * low) ** 2) / (high - low)

    w = ramp(*f[2:]) - ramp(*f[:2])
    return _wavelet(w / np.amax(w), t, taper)


def ricker(t, f0=10, taper=None):
    """``(1 - 2 a) exp(-a)`` with ``a = (pi f0 t)**2``."""
    t = _both_signs(t)
    a = (np.pi * f0 * t) ** 2
    return _wavelet((1 - 2 * a) * np.exp(-a), t, taper)
