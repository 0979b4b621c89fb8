"""Tapers, wavelets, slopes and metrics."""

import arrayspan
import numpy as np
import pytest
from arrayspan import tools


def test_tapers_rise_and_fall():
    weights = tools.taper((9, 4), (3, 0))
    assert weights.shape == (9, 4) and np.allclose(weights[:, 0], [0, 0.5, 1, 1, 1, 1, 1, 0.5, 0])
    assert np.allclose(tools.taper(9, 3, "cosine_squared"), tools.taper(9, 3) ** 2)
    with pytest.raises(arrayspan.ParameterError):
        tools.taper(4, 3)
    with pytest.raises(arrayspan.ParameterError):
        tools.taper((4, 4), 1)


def test_wavelets_are_one_at_time_zero():
    for wavelet in [
        tools.ricker(20, 0.004, 25.0),
        tools.gaussian(20, 3.0),
        tools.klauder(20, 0.004, [10, 30]),
        tools.ormsby(20, 0.004, (5, 10, 30, 40)),
    ]:
        assert wavelet.shape == (41,) and np.isclose(wavelet[20], 1)
    with pytest.raises(arrayspan.ParameterError):
        tools.ricker(20, 0.0, 25.0)


def test_metrics_are_those_of_numpy():
    a, b = np.arange(12.0).reshape(3, 4), np.ones((3, 4))
    noise = np.mean((a - b) ** 2)
    assert np.isclose(tools.mae(a, b), np.abs(a - b).mean()) and np.isclose(tools.mse(a, b), noise)
    assert np.isclose(tools.snr(a, b), 10 * np.log10(np.mean(a**2) / noise))
    assert np.isclose(tools.psnr(a, b), 10 * np.log10(11**2 / noise))
    assert np.isclose(tools.psnr(a, b, largest=20.0), 10 * np.log10(20**2 / noise))
    with pytest.raises(arrayspan.ShapeError):
        tools.mae(a, b.T)


def test_slopes_of_plane_waves_are_found():
    z, x = np.mgrid[:40, :20]
    section = np.sin(0.4 * (z - 0.5 * x))
    slopes, anisotropy = tools.slope_estimate(section)
    assert np.allclose(slopes, -0.5, atol=0.02) and np.allclose(anisotropy, 1, atol=0.02)
    dips, _ = tools.slope_estimate(section, dips=True)
    assert np.allclose(np.tan(dips), -0.5, atol=0.02)
    slopes = tools.pwd_slope_estimate(section.astype("float32"), smoothing=(5, 7))
    assert slopes.dtype == np.float32 and abs(slopes[20, 10] - 0.5) < 0.02
    with pytest.raises(arrayspan.ParameterError):
        tools.slope_estimate(section, (0.0, 1.0))
    with pytest.raises(arrayspan.ParameterError):
        tools.pwd_slope_estimate(section, taps=7)
