"""Every constructor makes the operator that NumPy says."""

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops
from scipy.fft import dctn
from scipy.interpolate import CubicSpline
from scipy.signal import convolve

rng = np.random.default_rng(2)
x = rng.normal(size=(5, 6))
c = x + 1j * rng.normal(size=(5, 6))


def moved(f, axis):
    """`f` along the first axis of what has `axis` there."""
    return lambda x: np.moveaxis(f(np.moveaxis(x, axis, 0)), 0, axis)


def forward(x):
    y = np.zeros_like(x)
    y[:-1] = x[1:] - x[:-1]
    return y


def centered(x):
    y = np.zeros_like(x)
    y[1:-1] = (x[2:] - x[:-2]) / 2
    return y


def second(x):
    y = np.zeros_like(x)
    y[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    return y


def haar(x):
    """A level along the first axis."""
    return np.concatenate([x[::2] + x[1::2], x[::2] - x[1::2]]) / 2**0.5


def overlapping(x):
    """Rows that share an element with the next one, added up."""
    y = np.zeros(26)
    for number, row in enumerate(x):
        y[5 * number : 5 * number + 6] += row
    return y


D = {"dtype": "float64"}
def convolved(x, h, offset):
    """The convolution of the first axes, of as many samples."""
    full = convolve(x, h)
    return full[tuple(slice(at, at + n) for at, n in zip(offset, x.shape))]


def spread_by(x, filters, places):
    """Each sample of the first axis spreads a filter, which lies on straight lines between those at places."""
    y, reach = np.zeros((len(x) + 2 * (filters.shape[1] // 2), *x.shape[1:])), filters.shape[1] // 2
    for at, row in enumerate(x):
        taps = [np.interp(at, places, column) for column in filters.T]
        y[at : at + len(taps)] += np.multiply.outer(taps, row)
    return y[reach : reach + len(x)]


weights, matrix = rng.normal(size=(5, 6)), rng.normal(size=(4, 5))
field = rng.normal(size=(2, 5, 6))
table = rng.uniform(0, 5, size=(5, 6, 3))
wavelet = np.array([0.25, 1.0, -0.5])

def dual_tree(x):
    """The first level with the filters of Le Gall and Tabatabai: even high frequencies, odd ones, all low ones."""
    wide = np.pad(x, [(0, 0), (2, 2)], "symmetric")
    low = sum(tap * wide[:, k : k + 6] for k, tap in enumerate([-0.125, 0.25, 0.75, 0.25, -0.125]))
    high = sum(tap * wide[:, k : k + 6] for k, tap in enumerate([0, -0.25, 0.5, -0.25, 0]))
    return np.stack([np.hstack([high[:, ::2], low]), np.hstack([high[:, 1::2], 0 * low])])


def predicted(x):
    """Residuals and coarse traces, of eight with zeros behind them, without slopes."""
    x = np.pad(x, [(0, 3), (0, 0)])
    return np.concatenate([x[1::2] - x[::2], (x[::2] + x[1::2]) / 2])


CASES = {
    "Identity": (ops.Identity((5, 6), **D), lambda x: x),
    "Identity rectangular": (ops.Identity((5, 6), (3, 8), **D), lambda x: np.pad(x[:3], [(0, 0), (0, 2)])),
    "Zero": (ops.Zero((5, 6), 3, **D), lambda x: np.zeros(3)),
    "Diagonal": (ops.Diagonal(weights), lambda x: weights * x),
    "Diagonal along": (ops.Diagonal(weights[:, 0], (5, 6), 0), lambda x: weights[:, :1] * x),
    "MatrixMult": (ops.MatrixMult(matrix, 6), lambda x: matrix @ x),
    "MatrixMult along": (ops.MatrixMult(matrix.T[:, :].T.repeat(1, 0), shape=(5, 6), axis=0), lambda x: matrix @ x),
    "Transpose": (ops.Transpose((5, 6), (1, 0), **D), lambda x: x.T),
    "Flip": (ops.Flip((5, 6), **D), lambda x: x[:, ::-1]),
    "Flip both": (ops.Flip((5, 6), (0, 1), **D), lambda x: x[::-1, ::-1]),
    "Roll": (ops.Roll((5, 6), 2, axis=0, **D), lambda x: np.roll(x, 2, 0)),
    "Pad": (ops.Pad((5, 6), [(1, 2), (0, 3)], **D), lambda x: np.pad(x, [(1, 2), (0, 3)])),
    "Symmetrize": (ops.Symmetrize((5, 6), 0, **D), lambda x: np.concatenate([x[:0:-1], x])),
    "Restriction": (ops.Restriction((5, 6), [4, 0, 4], 1, **D), lambda x: x[:, [4, 0, 4]]),
    "Restriction mask": (ops.Restriction((5, 6), [1], 0, mask=True, **D), lambda x: x * (np.arange(5) == 1)[:, None]),
    "SumAlong": (ops.SumAlong((5, 6), 0, **D), lambda x: x.sum(0)),
    "CausalIntegration": (ops.CausalIntegration((5, 6), 0, 0.5, **D), lambda x: 0.5 * x.cumsum(0)),
    "CausalIntegration half": (
        ops.CausalIntegration((5, 6), 0, integral="half", first=False, **D),
        lambda x: (x.cumsum(0) - x / 2)[1:],
    ),
    "FirstDerivative": (ops.FirstDerivative((5, 6), -1, 0.5, "forward", **D), lambda x: moved(forward, 1)(x) / 0.5),
    "FirstDerivative centered": (ops.FirstDerivative((5, 6), **D), centered),
    "SecondDerivative": (ops.SecondDerivative((5, 6), 1, **D), moved(second, 1)),
    "Laplacian": (
        ops.Laplacian((5, 6), (0, 1), [1, 2], [3, 4], **D),
        lambda x: 3 * second(x) + 4 * moved(second, 1)(x) / 4,
    ),
    "Gradient": (ops.Gradient((5, 6), [1, 0.5], **D), lambda x: np.stack([centered(x), moved(centered, 1)(x) * 2])),
    "FirstDirectionalDerivative": (
        ops.FirstDirectionalDerivative((5, 6), [0.6, 0.8], **D),
        lambda x: 0.6 * centered(x) + 0.8 * moved(centered, 1)(x),
    ),
    "FirstDirectionalDerivative field": (
        ops.FirstDirectionalDerivative((5, 6), field, **D),
        lambda x: field[0] * centered(x) + field[1] * moved(centered, 1)(x),
    ),
    "Convolve1D each": (
        ops.Convolve1D((5, 6), table[:, :3, 0], 1, **D),
        lambda x: np.stack([convolved(row, h, (1,)) for row, h in zip(x, table[:, :3, 0])]),
    ),
    "NonStationaryConvolve1D": (
        ops.NonStationaryConvolve1D((5, 6), table[:2, :3, 0], [1, 3], 0, **D),
        lambda x: spread_by(x, table[:2, :3, 0], [1, 3]),
    ),
    "NonStationaryConvolve2D": (
        ops.NonStationaryConvolve2D((5, 6), np.tile(table[:3, :3, 0], (2, 3, 1, 1)), [[0, 4], [1, 2, 5]], **D),
        lambda x: convolved(x, table[:3, :3, 0], (1, 1)),
    ),
    "NonStationaryConvolve2D by Fourier transforms": (
        ops.NonStationaryConvolve2D(
            (5, 6), np.tile(table[:3, :3, 0], (2, 3, 1, 1)), [[0, 4], [1, 2, 5]], method="fourier", **D
        ),
        lambda x: convolved(x, table[:3, :3, 0], (1, 1)),
    ),
    "ChirpRadon2D": (ops.ChirpRadon2D((5, 6), 0.0, **D), lambda x: np.tile(x.sum(0), (5, 1))),
    "Convolve2D": (
        ops.Convolve2D((5, 6), table[:2, :3, 0], (1, 2), method="direct", **D),
        lambda x: convolved(x, table[:2, :3, 0], (1, 2)),
    ),
    "ConvolveND": (
        ops.ConvolveND((5, 6), table[:3, :2, 0], axes=(1, 0), method="fourier", **D),
        lambda x: convolved(x, table[:3, :2, 0].T, (0, 0)),
    ),
    "Convolve1D": (
        ops.Convolve1D((5, 6), wavelet, 1, 0, **D),
        lambda x: np.stack([np.convolve(column, wavelet)[1:6] for column in x.T], 1),
    ),
    "Smoothing": (
        ops.Smoothing((5, 6), [(1, 3)], **D),
        lambda x: np.stack([np.convolve(row, np.ones(3) / 3, "same") for row in x]),
    ),
    "Interp": (ops.Interp((5, 6), [0.25, 5, 3], **D), lambda x: np.stack([0.75 * x[:, 0] + 0.25 * x[:, 1], x[:, 5], x[:, 3]], 1)),
    "Interp nearest": (ops.Interp((5, 6), np.array([3.6]), 0, "nearest", **D), lambda x: x[[4]]),
    "Interp sinc": (
        ops.Interp((5, 6), [0.25, 5, 3], interpolation="sinc", **D),
        lambda x: x @ np.sinc(np.subtract.outer(np.arange(6), [0.25, 5, 3])),
    ),
    "InterpCubicSpline": (
        ops.InterpCubicSpline((5, 6), [0.5, 2], 0, **D),
        lambda x: CubicSpline(np.arange(5), x, bc_type="natural")([0.5, 2]),
    ),
    "Bilinear": (
        ops.Bilinear((5, 6), [0.5, 4], np.array([1.0, 4.25]), **D),
        lambda x: np.stack([(x[0, 1] + x[1, 1]) / 2, 0.75 * x[4, 4] + 0.25 * x[4, 5]]),
    ),
    "PoststackLinearModelling": (
        ops.PoststackLinearModelling((5, 6), wavelet, **D),
        lambda x: np.stack([np.convolve(column, wavelet)[1:6] for column in centered(x).T], 1),
    ),
    "DTCWT": (ops.DTCWT((5, 6), 1, first="legall", **D), dual_tree),
    "Seislet": (ops.Seislet((5, 6), np.zeros((5, 6)), 1, **D), predicted),
    "PWSprayer2D": (
        ops.PWSprayer2D((5, 6), np.zeros((5, 6)), 1, 0.5, **D),
        lambda x: x + np.pad(x[:, 1:], [(0, 0), (0, 1)]) / 2 + np.pad(x[:, :-1], [(0, 0), (1, 0)]) / 2,
    ),
    "PWSmoother2D": (ops.PWSmoother2D((5, 6), np.zeros((5, 6)), 0, 0.5, **D), lambda x: x),
    "MRI2D": (
        ops.MRI2D((5, 6), lines=[1, 4], **D),
        lambda x: np.fft.fftshift(np.fft.fft2(x, norm="ortho"))[:, [1, 4]],
    ),
    "FFT": (ops.FFT((5, 6), 0, 8, **D), lambda x: np.fft.fft(x, 8, 0, "ortho")),
    "FFT shifted": (
        ops.FFT((5, 6), norm="over_n", ifftshift_before=True, fftshift_after=True, **D),
        lambda x: np.fft.fftshift(np.fft.fft(np.fft.ifftshift(x, 1)), 1) / 6,
    ),
    "FFT half": (
        ops.FFT((5, 6), 0, spectrum="half", norm="unscaled", **D),
        lambda x: np.fft.rfft(x, axis=0) * np.array([[1], [2**0.5], [2**0.5]]),
    ),
    "FFT2D": (ops.FFT2D((5, 6), points=(None, 4), **D), lambda x: np.fft.fft2(x, (5, 4), norm="ortho")),
    "FFTND": (
        ops.FFTND((5, 6), (1, 0), 8, norm="unscaled", fftshift_after=np.array([True, False]), **D),
        lambda x: np.fft.fftshift(np.fft.fftn(x, (8, 8), (0, 1)), 1),
    ),
    "Shift": (ops.Shift((5, 6), 0.5, 0, step=0.25, **D), lambda x: np.roll(x, 2, 0)),
    "Shift each": (
        ops.Shift((5, 6), np.array([1.0, 2, 3, -1, 0]), 1, **D),
        lambda x: np.stack([np.roll(row, by) for row, by in zip(x, [1, 2, 3, -1, 0])]),
    ),
    "Sliding1D": (ops.Sliding1D(ops.Identity(6, **D), 26, 6, 1, None), overlapping),
    "DWT": (ops.DWT((5, 6), "haar", axis=0, **D), lambda x: haar(np.pad(x, [(0, 3), (0, 0)]))),
    "DWT2D": (
        ops.DWT2D((5, 6), **D),
        lambda x: moved(haar, 1)(haar(np.pad(x, [(0, 3), (0, 2)]))),
    ),
    "DWTND": (ops.DWTND((5, 6), -1, "haar", **D), lambda x: moved(haar, 1)(np.pad(x, [(0, 0), (0, 2)]))),
    "DCT": (ops.DCT((5, 6), **D), lambda x: dctn(x, norm="ortho")),
    "DCT fourth": (ops.DCT((5, 6), 0, 4, **D), lambda x: dctn(x, 4, axes=(0,), norm="ortho")),
    "ToDevice": (ops.ToDevice((5, 6), "cpu", "cpu", **D), lambda x: x),
    "MemoizeOperator": (ops.MemoizeOperator(ops.Roll((5, 6), **D)), lambda x: np.roll(x, 1, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_operator_is_the_one_that_numpy_says(name):
    a, expected = CASES[name]
    np.testing.assert_allclose(a @ x, expected(x), atol=1e-13)
    holds, report = a.check_adjoint()
    assert holds, report


def test_wavelets_have_inverses():
    assert "bior2.2" in ops.wavelets()
    for name in ("haar", "rbio2.2"):
        a, b = (ops.DWT((5, 6), name, 2, inverse=inverse, **D) for inverse in (False, True))
        np.testing.assert_allclose(b @ (a @ x), x)


@pytest.mark.parametrize("make", [ops.PWSprayer2D, ops.PWSmoother2D, lambda *of: ops.Seislet(*of, 1)])
def test_slopes_have_the_shape_of_the_section(make):
    make((5, 6), [0.0] * 30)
    with pytest.raises(arrayspan.ShapeError, match=r"slopes: shape \[6, 5\], expected \[5, 6\]"):
        make((5, 6), np.zeros((6, 5)))


def test_curvelets_keep_lengths_and_have_inverses():
    x = rng.normal(size=(8, 20))
    a = ops.UDCT((8, 20), **D)
    assert np.isclose(np.linalg.norm(a @ x), np.linalg.norm(x)) and a.check_adjoint()[0]
    bands = ops.curvelet_bands((8, 20))
    assert bands[0] == (0, 0, 1, (4, 10)) and bands[-1] == (2, 1, 6, (2, 10))
    assert sum(wedges * np.prod(shape) for _, _, wedges, shape in bands) == a.range.shape[0]
    for more in ({"finest": "wavelets"}, {"kind": "complex", "overlap": 0.1}, {"radii": (1, 2, 2.25, 4), "scales": 2}):
        there, back = (ops.UDCT((8, 20), **more, inverse=inverse, **D) for inverse in (False, True))
        np.testing.assert_allclose(back @ (there @ x), x, atol=1e-12)
    for more in ({"kind": "both"}, {"scales": 1}, {"wedges": 4}, {"overlap": 1.0}, {"radii": (2, 1, 2, 4)}):
        with pytest.raises(arrayspan.ParameterError):
            ops.UDCT((8, 20), **more)
    with pytest.raises(arrayspan.ParameterError, match="UDCT: .*not real"):
        ops.UDCT((8, 20), dtype="complex64")


@pytest.mark.parametrize(
    "make, shape, window",
    [(ops.Sliding2D, (9, 6), (5, 6)), (ops.Patch2D, (9, 11), (5, 6)), (ops.Sliding3D, (9, 11, 2), (5, 6, 2))],
)
def test_windows_are_added_up(make, shape, window):
    one = make is ops.Sliding2D
    a = make(ops.Identity(window, **D), shape, window[0] if one else window[:2], 1)
    models = rng.normal(size=a.domain.shape)
    y = np.zeros(shape)
    for at in np.ndindex(models.shape[: len(models.shape) - len(window)]):
        start = [number * (length - 1) for number, length in zip(at, window)]
        y[tuple(slice(first, first + length) for first, length in zip(start, window))] += models[at]
    np.testing.assert_allclose(a @ models, y)
    assert a.check_adjoint()[0]


def test_patches_of_three_axes_are_added_up():
    a = ops.Patch3D(ops.Identity((2, 3, 2), **D), (4, 6, 5), (2, 3, 2), (0, 0, 1), taper=None)
    assert a.domain.shape == (2, 2, 4, 2, 3, 2)
    y = a @ np.ones(a.domain.shape)
    assert np.array_equal(y, np.broadcast_to([1, 2, 2, 2, 1], y.shape))


def test_polynomials_are_evaluated():
    t = np.array([0.0, 0.5, 2.0])
    assert np.allclose(ops.Regression(t, 2) @ np.array([1.0, 2.0, 3.0]), 1 + 2 * t + 3 * t**2)
    assert np.allclose(ops.LinearRegression(t) @ np.array([1.0, 2.0]), 1 + 2 * t)
    many = ops.Regression(t, 1, shape=(4, 3), axis=1)
    coefficients = rng.normal(size=(4, 2))
    assert np.allclose(many @ coefficients, coefficients[:, :1] + coefficients[:, 1:] * t)


def test_values_are_spread_along_curves():
    curves = np.floor(table)
    curves[0, 0, 0] = np.nan
    a = ops.Spread((5, 6), (3, 6), curves, "nearest", **D)
    y = np.zeros((3, 6))
    for i in range(5):
        for k in range(6):
            for j in range(3):
                if not np.isnan(curves[i, k, j]):
                    y[j, int(curves[i, k, j])] += x[i, k]
    np.testing.assert_allclose(a @ x, y)
    assert a.check_adjoint()[0]


def test_complex_numbers_have_parts():
    assert np.array_equal(ops.Conj((5, 6), "complex128") @ c, c.conj())
    assert np.array_equal(ops.Real((5, 6), "complex128") @ c, c.real)
    assert np.array_equal(ops.Imag((5, 6), "complex128") @ c, c.imag)
    taps = np.array([1, 2j, 3])
    a = ops.Convolve1D(6, taps, dtype="complex128")
    assert np.allclose(a @ c[0], np.convolve(c[0], taps)[:6])


def test_sparse_matrices_are_those_of_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    dense = matrix * (np.abs(matrix) > 0.7)
    for kind in [sparse.csr_array, sparse.csc_matrix, sparse.coo_array]:
        a = ops.MatrixMult(kind(dense), 6)
        assert np.allclose(a @ x, dense @ x)
    a = ops.MatrixMult(sparse.csr_array(dense), shape=(6, 5), axis=1, dtype="float32")
    assert a.range.dtype == "float32" and a.range.shape == (6, 4)


def test_operators_keep_their_own_numbers():
    w = np.ones(3)
    a = ops.Diagonal(w)
    w[:] = 7
    assert (a @ np.ones(3)).tolist() == [1, 1, 1]


def test_matrices_come_out():
    a = ops.FirstDerivative(4, scheme="forward", **D)
    dense = a.to_dense()
    assert np.array_equal(dense, np.stack([a @ e for e in np.eye(4)], 1))
    (values, indices, indptr), shape = a.to_sparse()
    assert shape == (4, 4) and indptr.tolist() == [0, 2, 4, 6, 6] and values.dtype == np.float64
    sparse = pytest.importorskip("scipy.sparse")
    assert np.array_equal(sparse.csr_array(*a.to_sparse()).toarray(), dense)
    assert (a.H @ a).trace() == np.trace(dense.T @ dense)
    assert isinstance((1j * ops.Identity(3, dtype="complex128")).trace(), complex)
    exact = ops.Diagonal(np.arange(100.0))
    assert abs(exact.trace("hutchinson", evaluations=50) - 4950) < 1e-8 * 4950
    with pytest.raises(arrayspan.ParameterError, match="method 'exact'"):
        exact.trace("exact")


def test_parameters_that_make_no_sense_are_refused():
    with pytest.raises(arrayspan.ParameterError, match="2 steps and 1 weights for 2 axes"):
        ops.Laplacian((5, 6), (0, 1), [1, 2], [3])
    with pytest.raises(arrayspan.ParameterError, match="either others or shape"):
        ops.MatrixMult(matrix, 6, shape=(5, 6))
    with pytest.raises(arrayspan.ParameterError, match="without operators|no operators|none"):
        ops.vstack([])
    with pytest.raises(TypeError):
        ops.vstack([1, 2])
    with pytest.raises(arrayspan.DTypeError):
        ops.Diagonal([1, 2, 3])
    with pytest.raises(arrayspan.ParameterError):
        ops.FirstDerivative(5, step=0.0)
    with pytest.raises(TypeError):
        ops.FirstDerivative(5, stepp=1.0)
    with pytest.raises(arrayspan.ParameterError, match="indices: -1"):
        ops.Restriction(5, [-1])


def test_transforms_that_make_no_sense_are_refused():
    with pytest.raises(arrayspan.ParameterError, match="half the spectrum"):
        ops.FFT(8, spectrum="half", dtype="complex64")
    with pytest.raises(arrayspan.ParameterError, match="norm 'none': expected one of ortho, unscaled, over_n"):
        ops.FFT(8, norm="none")
    with pytest.raises(arrayspan.ParameterError, match="0 points"):
        ops.FFT(8, points=0)
    with pytest.raises(arrayspan.ParameterError, match="-1 is below zero"):
        ops.FFT(8, points=-1)
    with pytest.raises(arrayspan.ParameterError, match="FFT2D: expected two axes"):
        ops.FFT2D((5, 6), 0)
    with pytest.raises(arrayspan.ParameterError, match="FFTND: 3 points for 2 axes"):
        ops.FFTND((5, 6), (0, 1), (8, None, 8))
    with pytest.raises(arrayspan.ParameterError, match="twice"):
        ops.FFTND((5, 6), (0, -2))
    for wrong in ["8", 8.5, {}]:
        with pytest.raises(TypeError):
            ops.FFTND((5, 6), (0, 1), wrong)
    with pytest.raises(arrayspan.ParameterError, match="delays of"):
        ops.Shift((5, 6), np.ones(6))
    with pytest.raises(arrayspan.ParameterError, match="delay"):
        ops.Shift(8, float("nan"))
    for wrong in [[1.0], "1", None, 1j]:
        with pytest.raises((TypeError, arrayspan.Error)):
            ops.Shift(8, wrong)


def test_operators_between_other_shapes():
    filters = np.tile(table[:3, :3, 0], (1, 2, 3, 1, 1, 1))
    blur = ops.NonStationaryConvolve3D((1, 5, 6), filters, [[0], [0, 4], [1, 2, 5]], **D)
    assert np.allclose((blur @ x[None])[0], convolved(x, table[:3, :3, 0], (1, 1)))
    estimate = ops.NonStationaryFilters1D(x[0], 3, [1, 4])
    taps = table[:2, :3, 0]
    assert np.allclose(estimate @ taps, spread_by(x[0], taps, [1, 4]))
    estimate = ops.NonStationaryFilters2D(x, (3, 3), [[0, 4], [1, 2, 5]])
    assert np.allclose(estimate @ filters[0, :, :, 0], convolved(x, table[:3, :3, 0], (1, 1)))
    kernel = rng.normal(size=(5, 4, 6))
    assert np.allclose(ops.Fredholm1(kernel) @ x[:, :, None], np.einsum("kij,kj->ki", kernel, x)[:, :, None])
    stacked = ops.ChirpRadon3D((5, 6, 3), (0.0, 0.0), **D) @ np.repeat(x[:, :, None], 3, 2)
    assert np.allclose(stacked, x.sum())
    radon = [ops.ChirpRadon2D((5, 6), 1.0, inverse=inverse, **D) for inverse in (False, True)]
    assert radon[0].domain == radon[1].range and not np.allclose(radon[1] @ x, radon[0].adjoint(x))
    late = ops.FourierRadon2D((5, 6), [0, 0, 0, 0, 1.0], [0.0, 2.0], **D)
    assert np.allclose(late @ x, [x.sum(0), x[:4].sum(0) + np.roll(x[4], 2)])
    late = ops.FourierRadon3D((1, 5, 6), [[0.5], [0, 0, 0, 0, 1.0]], [[2.0], [0.0, 2.0]], kinds=["linear", "parabolic"], **D)
    assert np.allclose(late @ x[None], [[np.roll(x.sum(0), 1), np.roll(x[:4].sum(0), 1) + np.roll(x[4], 5)]])
    late = ops.Radon2D((5, 6), [0, 0, 0, 0, 0.5], [0.0, 2.0], step=0.5, **D)
    assert np.allclose(late @ x, [x.sum(0), x[:4].sum(0) + np.r_[0, 0, x[4, :4]]])
    curved = ops.Radon2D((5, 6), [1, 1, 1, 1, 2.0], [3.0], kind="hyperbolic", interpolation="nearest", **D)
    assert np.allclose((curved @ x)[0, 5], x[:4, 4].sum() + x[4, 5])
    late = ops.Radon3D((1, 5, 6), [[0.5], [0, 0, 0, 0, 1.0]], [[2.0], [0.0, 2.0]], kinds=["linear", "parabolic"], **D)
    assert np.allclose((late @ x[None])[0, 1], np.r_[0, x[:4].sum(0)[:5]] + np.r_[0, 0, 0, 0, 0, x[4, 0]])
    rays = ops.CT2D((5, 6), 6, [0.0, np.pi / 2], **D)
    rows = x[::-1].sum(1)
    assert np.allclose(rays @ x, [x.sum(0), (np.r_[0, rows] + np.r_[rows, 0]) / 2])
    fan = ops.CT2D((5, 6), 6, [0.3], width=2.0, fan=(20.0, 10.0), **D)
    assert np.allclose(np.vdot(fan @ x, x[:1]), np.vdot(fan.adjoint(x[:1]), x))
    with pytest.raises(arrayspan.ParameterError, match="a source 2 pixels"):
        ops.CT2D((5, 6), 6, [0.3], fan=(2.0, 10.0))
    with pytest.raises(arrayspan.ParameterError, match="bins 3..9"):
        ops.FourierRadon2D((5, 6), x[0, :5], x[1], band=(3, 9))
    with pytest.raises(arrayspan.ParameterError, match="odd"):
        ops.NonStationaryConvolve1D(8, np.ones((2, 4)), [0, 4])
    with pytest.raises(arrayspan.ParameterError, match="place 8"):
        ops.NonStationaryConvolve1D(8, np.ones((2, 3)), [0, 8])
    with pytest.raises(arrayspan.ParameterError, match="slices, rows, columns"):
        ops.Fredholm1(x)


@pytest.mark.parametrize("indices", [[True, False], [0, True], [np.True_], [-1], [0, 2**70], [0.5], "ab", None])
def test_what_is_no_index_is_refused(indices):
    with pytest.raises((TypeError, ValueError), match="indices"):
        ops.Restriction((5,), indices)


@pytest.mark.parametrize("shape", [True, (3, False), -3, (4, -1), 2**80, "3", 2.0])
def test_what_is_no_shape_is_refused(shape):
    with pytest.raises((TypeError, ValueError), match="shape"):
        ops.Identity(shape)


def test_a_matrix_of_another_dtype_is_converted():
    matrix = np.arange(6.0).reshape(2, 3)
    a = ops.MatrixMult(matrix, dtype="float32")
    assert a.domain.dtype == "float32" and (a @ np.ones(3, np.float32)).dtype == np.float32
    assert ops.MatrixMult(matrix, dtype="complex128").domain.dtype == "complex128"
    with pytest.raises((TypeError, ValueError), match="Complex128"):
        ops.MatrixMult(matrix + 1j, dtype="float32")
