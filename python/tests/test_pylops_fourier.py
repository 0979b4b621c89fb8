"""`arrayspan.pylops`: Fourier transforms, beside NumPy's, and what PyLops's own tests do not ask."""

import itertools
import pickle
import warnings

import numpy as np
import pytest

import arrayspan.pylops as pylops
from arrayspan.pylops.signalprocessing import FFT, FFT2D, FFTND, Shift
from arrayspan.pylops.utils import dottest

rng = np.random.default_rng(3)
SCALES = {"ortho": lambda n: n**-0.5, "none": lambda n: 1.0, "1/n": lambda n: 1 / n}


def samples(shape, dtype):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def spectrum(x, axis, points, norm, real, before, after):
    """NumPy's transform, with the weights that make half a spectrum as long as a full one."""
    x = np.fft.ifftshift(x, axes=axis) if before else x
    y = (np.fft.rfft if real else np.fft.fft)(x, n=points, axis=axis) * SCALES[norm](points)
    if real:
        weights = np.full(points // 2 + 1, 2**0.5)
        weights[0] = 1
        weights[-1] = 1 if points % 2 == 0 or points == 1 else weights[-1]
        y = np.moveaxis(np.moveaxis(y, axis, -1) * weights, -1, axis)
    return np.fft.fftshift(y, axes=axis) if after else y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape, axis", [((1,), 0), ((2,), 0), ((7,), -1), ((8, 3), 0), ((3, 1, 11), 1), ((2, 13, 4), 1)])
@pytest.mark.parametrize("norm", SCALES)
@pytest.mark.parametrize("before, after", list(itertools.product([False, True], repeat=2)))
def test_the_transform_is_that_of_numpy_for_all_points(shape, axis, norm, before, after):
    extent = shape[axis]
    for dtype, points in itertools.product(["float64", "complex128"], {extent, extent + 3, 2 * extent, max(extent - 1, 1)}):
        for real in {False, dtype == "float64"}:
            op = FFT(shape, axis, points, 0.5, norm, real, before, after, dtype=dtype)
            x = samples(shape, dtype)
            np.testing.assert_allclose(op @ x, spectrum(x, axis, points, norm, real, before, after), atol=1e-12)
            f = np.fft.rfftfreq(points, 0.5) if real else np.fft.fftfreq(points, 0.5)
            assert np.array_equal(op.f, np.fft.fftshift(f) if after else f)
            assert dottest(op, complexflag=2 if dtype == "float64" else 3)
            if points >= extent:
                np.testing.assert_allclose((op / (op @ x)).reshape(shape), x, atol=1e-12)


@pytest.mark.parametrize("engine", ["numpy", "scipy", "mkl_fft"])
@pytest.mark.parametrize("norm", SCALES)
def test_transforms_of_several_axes_have_their_adjoint_for_every_norm_and_engine(norm, engine):
    # The engine "scipy" of PyLops's `FFT2D` has none for two of the norms.
    x = samples((5, 4, 6), "complex128")
    two = FFT2D(x.shape, (2, 0), (8, None), norm=norm, engine=engine, fftshift_after=(True, False))
    y = np.fft.fftshift(np.fft.fft2(x, (8, 5), (2, 0)), axes=2) * SCALES[norm](40)
    np.testing.assert_allclose(two @ x, y, atol=1e-12)
    assert dottest(two, complexflag=3)
    np.testing.assert_allclose((two / y).reshape(x.shape), x, atol=1e-12)
    all_axes = FFTND(x.shape, norm=norm, engine=engine, nffts=7, ifftshift_before=True)
    y = np.fft.fftn(np.fft.ifftshift(x), (7, 7, 7), (0, 1, 2)) * SCALES[norm](343)
    np.testing.assert_allclose(all_axes @ x, y, atol=1e-12)
    assert dottest(all_axes, complexflag=3) and all_axes.nffts == (7, 7, 7)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64", "complex128"])
@pytest.mark.parametrize("real", [False, True])
def test_dtypes_are_those_that_it_was_made_with(dtype, real):
    op = FFT(6, real=real, dtype=dtype)
    assert op.cdtype == (np.ones(1, dtype) * 1j).dtype == op.dtype
    assert op.clinear == (not real and np.dtype(dtype).kind not in "f")
    for given in ["float32", "float64", "complex128", "int64"]:
        x = np.arange(6).astype(given)
        y = op @ x
        assert y.dtype == op.cdtype
        model = (op.H @ y).dtype
        assert model == (op.cdtype if op.clinear else np.zeros(1, op.cdtype).real.dtype)


def test_real_transforms_take_the_real_part():
    x = samples(8, "complex128")
    op = FFT(8, real=True, dtype="float64")
    np.testing.assert_allclose(op @ x, op @ x.real, atol=1e-14)
    assert (op.H @ (op @ x)).dtype == np.float64
    matrix = np.stack([x, 2 * x], axis=1)
    np.testing.assert_allclose(op @ matrix, np.stack([op @ x, 2 * (op @ x)], axis=1), atol=1e-14)


def test_what_is_put_together_of_transforms_is_one_operator_of_the_engine():
    op = FFT((4, 6), axis=1, real=True, dtype="float64")
    x = samples((4, 6), "float64")
    weights = samples((4, 4), "complex128")
    filtered = op.H @ pylops.Diagonal(weights) @ op
    assert filtered._native(np.dtype("complex128")) is not None
    y = filtered @ x
    assert y.dtype == np.float64
    np.testing.assert_allclose(y, op.H @ (weights * (op @ x)), atol=1e-13)
    assert dottest(filtered)
    both = pylops.VStack([op, FFT((4, 6), axis=1, dtype="float64")])
    np.testing.assert_allclose(both @ x.ravel(), np.concatenate([(part @ x).ravel() for part in both.ops]), atol=1e-13)


def test_a_product_with_an_operator_of_the_other_dtype_is_applied_part_by_part():
    slope = pylops.FirstDerivative((4, 6), axis=0)
    op = FFT((4, 6), axis=1, dtype="complex128")
    x = samples((4, 6), "float64")
    np.testing.assert_allclose(slope @ op @ x, slope @ (op @ x), atol=1e-13)
    half = FFT((4, 6), axis=1, real=True, dtype="float64")
    np.testing.assert_allclose(half @ slope @ x, half @ (slope @ x), atol=1e-13)
    np.testing.assert_allclose((half @ slope).H @ (half @ x), slope.H @ (half.H @ (half @ x)), atol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("extent", [1, 2, 5, 8])
def test_delays_by_whole_samples_roll(dtype, extent):
    x = samples((3, extent), dtype)
    tolerance = 1e-5 if dtype in ("float32", "complex64") else 1e-13
    op = Shift((3, extent), 2 * 0.5, sampling=0.5, real=np.dtype(dtype).kind == "f", dtype=dtype)
    y = op @ x
    assert y.dtype == x.dtype
    np.testing.assert_allclose(y, np.roll(x, 2, axis=1), atol=tolerance)
    each = Shift((3, extent), np.array([0, 0.5, -0.5]), sampling=0.5, dtype=dtype)
    np.testing.assert_allclose(each @ x, [x[0], np.roll(x[1], 1), np.roll(x[2], -1)], atol=tolerance)
    assert dottest(each, complexflag=3 if each.clinear else 0, rtol=1e-3 if tolerance == 1e-5 else 1e-6)


def test_delays_of_real_models_are_those_of_pylops_by_fractions():
    # PyLops multiplies all bins and takes the real part.
    x = samples(8, "float64")
    phases = np.exp(-2j * np.pi * np.fft.fftfreq(8) * 0.3)
    expected = np.fft.ifft(np.fft.fft(x) * phases).real
    for real in [False, True]:
        np.testing.assert_allclose(Shift(8, 0.3, real=real, dtype="float64") @ x, expected, atol=1e-13)
    # Zeros behind the samples take what is pushed out.
    padded = Shift(8, 2, nfft=16, real=True, dtype="float64") @ x
    np.testing.assert_allclose(padded, np.concatenate([[0, 0], x[:6]]), atol=1e-13)


@pytest.mark.filterwarnings("ignore")
def test_copies_are_the_same():
    for op in [FFT(6, nfft=4, dtype="complex64"), FFTND((3, 4), (0, 1)), Shift((3, 4), np.ones(3))]:
        x = samples(op.dims, "complex64")
        assert np.array_equal(pickle.loads(pickle.dumps(op)) @ x, op @ x)


WARNED = {
    "smaller": lambda: FFT(8, nfft=4),
    "fftshift_after": lambda: FFT(8, real=True, fftshift_after=True, dtype="float64"),
    "been selected to be smaller": lambda: FFTND((4, 5), (0, 1), nffts=(None, 3)),
    "last direction": lambda: FFT2D((4, 5), real=True, fftshift_after=True, dtype="float64"),
    "truncated": lambda: Shift(8, 1.0, nfft=4),
}


@pytest.mark.parametrize("text", WARNED)
def test_what_is_rarely_meant_is_warned_of_where_it_is_written(text):
    with pytest.warns(UserWarning, match=text) as told:
        WARNED[text]()
    assert len(told) == 1 and told[0].filename == __file__


def test_nothing_is_said_of_what_is_in_order():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FFT(8, nfft=16, real=True, dtype="float32"), FFT2D((4, 5), dtype="complex64"), FFTND((4, 5, 6), workers=2)


WRONG = [
    (lambda: FFT(8, norm="backward"), ValueError, "no scaling"),
    (lambda: FFT(8, norm="forward"), ValueError, "1/n"),
    (lambda: FFT2D((8, 8), norm="other"), ValueError, "not one of"),
    (lambda: FFT(8, engine="fft"), ValueError, "`engine` must be"),
    (lambda: FFTND((8, 8, 8), engine="fftw"), ValueError, "`engine` must be"),
    (lambda: FFT(8, worker=2), TypeError, "worker"),
    (lambda: FFT(8, 1), ValueError, "axis"),
    (lambda: FFT(8.0), TypeError, "dims"),
    (lambda: FFT(8, 0.0), TypeError, "axis"),
    (lambda: FFT(8, nfft=4.0), TypeError, "nfft"),
    (lambda: FFT(8, nfft=0), ValueError, "nfft=0"),
    (lambda: FFT(8, nfft=-3), ValueError, "nfft=-3"),
    (lambda: FFTND((8, 8), (0, 1), nffts=(8, 0)), ValueError, "nffts"),
    (lambda: FFTND((8, 8), (0, 0)), ValueError, "twice"),
    (lambda: FFTND((8, 8), (0, 1), nffts=(8, 8, 8)), ValueError, "same number"),
    (lambda: FFTND((8, 8), (0, 1), sampling=(1, None)), TypeError, "sampling"),
    (lambda: FFTND((8, 8), (0, 1), fftshift_after=(1, 0)), TypeError, "fftshift_after"),
    (lambda: FFT2D((8, 8, 8), (0, 1, 2)), ValueError, "two dimensions"),
    (lambda: FFT2D((8,)), ValueError, "axis"),
    (lambda: Shift((8, 3), np.ones(4), axis=0), ValueError, "one for each"),
    (lambda: Shift(8, 1j), TypeError, "real"),
    (lambda: Shift(8, 1.0, engine="fft"), ValueError, "`engine` must be"),
]


@pytest.mark.parametrize("wrong", range(len(WRONG)))
def test_what_is_wrong_is_refused_when_it_is_made(wrong):
    make, kind, text = WRONG[wrong]
    with pytest.raises(kind, match=text):
        make()
