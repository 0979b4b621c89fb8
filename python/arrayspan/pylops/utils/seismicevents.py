"""Synthetic seismic events: ``(d, dwav)``, spikes and the same convolved with a wavelet."""

import numpy as np

from .backend import to_numpy

__all__ = [
    "makeaxis",
    "linear2d",
    "parabolic2d",
    "hyperbolic2d",
    "linear3d",
    "parabolic3d",
    "hyperbolic3d",
]


def makeaxis(par):
    """Axes ``(t, t2, x, y)`` of origins, steps and sizes: `t2` of both signs, `y` `None` if there is none.

    Parameters
    ----------
    par : dict
        ``ot``, ``dt``, ``nt``, ``ox``, ``dx``, ``nx`` and, for `y`, ``oy``, ``dy``, ``ny``.
    """

    def axis(name):
        return par["o" + name] + np.arange(par["n" + name]) * par["d" + name]

    both = np.arange(1 - par["nt"], par["nt"]) * par["dt"]
    return axis("t"), both, axis("x"), axis("y") if "oy" in par else None


def _gather(t, wav, amplitudes, times):
    """The events that arrive at these times, one array for each, between the samples of `t`."""
    wav = np.asarray(to_numpy(wav))
    center = len(wav) // 2
    samples = len(t) + center
    shape = np.shape(times[0])
    d = np.zeros((*shape, samples))
    places = np.indices(shape) if shape else ()
    for amplitude, arrival in zip(amplitudes, times):
        at = (arrival - t[0]) / (t[1] - t[0])
        first = np.floor(at).astype(int)
        share = at - first
        for sample, weight in ((first, 1 - share), (first + 1, share)):
            inside = (sample >= 0) & (sample < samples)
            index = tuple(place[inside] for place in places)
            np.add.at(d, (*index, sample[inside]), amplitude * weight[inside])
    return d[..., : len(t)], _convolved(d, wav)[..., center:]


def _convolved(d, wav):
    """Each trace convolved with the wavelet, as long as it is."""
    return np.apply_along_axis(lambda trace: np.convolve(trace, wav)[: trace.size], -1, d)


def _each(*values):
    """What is given of each event: as arrays, of which single numbers are of one event."""
    lists = [np.atleast_1d(value) for value in values]
    counts = [len(numbers) for numbers in lists]
    if len(set(counts)) > 1:
        raise IndexError(f"as many numbers of each kind as there are events, not {counts}")
    return lists


def linear2d(x, t, v, t0, theta, amp, wav):
    """Events ``t0 + x sin(theta) / v``; angles are in degrees. Of shape ``(nx, nt)``.

    Parameters
    ----------
    x, t : ndarray
        The axes.
    v : float
        The velocity.
    t0, theta, amp : float or tuple
        Time, angle and amplitude of each event.
    wav : ndarray
        The wavelet.
    """
    t0, theta, amp = _each(t0, theta, amp)
    slopes = np.sin(np.deg2rad(theta)) / v
    return _gather(t, wav, amp, [at + slope * x for at, slope in zip(t0, slopes)])


def parabolic2d(x, t, t0, px, pxx, amp, wav):
    """Events ``t0 + px x + pxx x**2``: see `linear2d`."""
    t0, px, pxx, amp = _each(t0, px, pxx, amp)
    return _gather(t, wav, amp, [at + p * x + q * x**2 for at, p, q in zip(t0, px, pxx)])


def hyperbolic2d(x, t, t0, vrms, amp, wav):
    """Events ``sqrt(t0**2 + (x / vrms)**2)``: see `linear2d`."""
    t0, vrms, amp = _each(t0, vrms, amp)
    return _gather(t, wav, amp, [np.hypot(at, x / v) for at, v in zip(t0, vrms)])


def linear3d(x, y, t, v, t0, theta, phi, amp, wav):
    """Events ``t0 + (x cos(phi) + y sin(phi)) sin(theta) / v``, of shape ``(ny, nx, nt)``: see `linear2d`."""
    t0, theta, phi, amp = _each(t0, theta, phi, amp)
    slopes = np.sin(np.deg2rad(theta)) / v
    px, py = slopes * np.cos(np.deg2rad(phi)), slopes * np.sin(np.deg2rad(phi))
    y = y[:, None]
    return _gather(t, wav, amp, [at + p * x + q * y for at, p, q in zip(t0, px, py)])


def parabolic3d(x, y, t, t0, px, py, pxx, pyy, amp, wav):
    """Events ``t0 + px x + py y + pxx x**2 + pyy y**2``: see `linear3d`."""
    t0, px, py, pxx, pyy, amp = _each(t0, px, py, pxx, pyy, amp)
    y = y[:, None]
    events = zip(t0, px, py, pxx, pyy)
    return _gather(t, wav, amp, [at + a * x + b * y + aa * x**2 + bb * y**2 for at, a, b, aa, bb in events])


def hyperbolic3d(x, y, t, t0, vrms_x, vrms_y, amp, wav):
    """Events ``sqrt(t0**2 + (x / vrms_x)**2 + (y / vrms_y)**2)``: see `linear3d`."""
    t0, vrms_x, vrms_y, amp = _each(t0, vrms_x, vrms_y, amp)
    y = y[:, None]
    events = zip(t0, vrms_x, vrms_y)
    return _gather(t, wav, amp, [np.sqrt(at**2 + (x / a) ** 2 + (y / b) ** 2) for at, a, b in events])
