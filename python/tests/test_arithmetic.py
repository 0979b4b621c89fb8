"""Arithmetic of `arrayspan.Array`, beside NumPy's."""

import operator

import numpy as np
import pytest

import arrayspan
from arrayspan import memory

DTYPES = ["float32", "float64", "complex64", "complex128"]
OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]


def devices():
    return [str(device) for device in arrayspan.devices()]


def values(shape, dtype, seed=1):
    generator = np.random.default_rng(seed)
    given = generator.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        given = given + 1j * generator.standard_normal(shape)
    return given.astype(dtype)


@pytest.fixture(params=devices())
def device(request):
    return request.param


def close(found, expected):
    assert isinstance(found, arrayspan.Array)
    assert found.dtype == expected.dtype.name and found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=100 * np.finfo(expected.dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("made", OPERATIONS)
def test_two_arrays_and_numbers_on_both_sides(device, dtype, made):
    x, y = values((7, 11), dtype), values((7, 11), dtype, seed=2)
    a, b = arrayspan.asarray(x).to(device), arrayspan.asarray(y).to(device)
    close(made(a, b), made(x, y))
    assert made(a, b).device == a.device
    close(made(a, 3), made(x, np.asarray(3, dtype)))
    close(made(0.5, a), made(np.asarray(0.5, dtype), x))
    if np.dtype(dtype).kind == "c":
        close(made(a, 1 - 2j), made(x, np.asarray(1 - 2j, dtype)))
        close(made(1 - 2j, a), made(np.asarray(1 - 2j, dtype), x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_array(device, dtype):
    x = values((5, 1, 13), dtype)
    a = arrayspan.asarray(x).to(device)
    close(-a, -x)
    close(a.conj(), x.conj())
    close(a.sum(), np.asarray(x.sum()))
    close(a.dot(a), np.asarray(np.vdot(x, x)))
    assert abs(a).dtype == abs(x).dtype.name
    np.testing.assert_allclose(abs(a).numpy(), abs(x), rtol=1e-5)
    assert float(a.norm()) == pytest.approx(float(np.linalg.norm(x)), rel=1e-5)
    assert a.norm().device == a.device and a.norm().shape == ()


def test_arrays_broadcast_and_may_have_strides(device):
    x, y = values((4, 6), "float64"), values((6,), "float64")
    a, b = arrayspan.asarray(x).to(device), arrayspan.asarray(y).to(device)
    close(a - b, x - y)
    close(b / a, y / x)
    close(a / a.norm(), x / np.linalg.norm(x))
    if device == "cpu":
        close(arrayspan.asarray(x.T[::-1]) * 2, x.T[::-1] * 2)


def test_arrays_of_other_libraries_are_operands():
    x, y = values((9,), "float32"), values((9,), "float32", seed=2)
    a = arrayspan.asarray(x)
    for found in (a - y, a - arrayspan.asarray(y)):
        close(found, x - y)
    close(a.dot(y), np.asarray(np.vdot(x, y)))


def test_what_stands_on_the_left_decides():
    x, y = values((9,), "float32"), values((9,), "float32", seed=2)
    a = arrayspan.asarray(x)
    for found in (y - a, np.float32(2) * a):
        assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(y - a, y - x)
    # Arrays of NumPy that are changed in place stay what they are.
    z = same = np.ones(9, "float32")
    z += a
    assert z is same
    np.testing.assert_array_equal(z, 1 + x)


def test_truth_is_that_of_one_element():
    assert bool(arrayspan.asarray(np.array(2.0))) and not bool(arrayspan.asarray(np.zeros(1)))
    for size in (0, 2):
        with pytest.raises(arrayspan.ParameterError, match=str(size)):
            bool(arrayspan.asarray(np.zeros(size)))


def test_what_an_operand_raises_is_raised():
    class Interrupted:
        def __float__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arrayspan.zeros(1) + Interrupted()
    with pytest.raises(arrayspan.ParameterError, match="too large"):
        arrayspan.zeros(1) + 2**1024


def test_arrays_of_jax_are_operands():
    jax = pytest.importorskip("jax")
    x = values((9,), "float32")
    theirs = jax.numpy.asarray(x)
    # Wherever JAX computes.
    a = arrayspan.asarray(theirs)
    close(a + theirs, x + x)
    close(arrayspan.asarray(x).to(a.device) - theirs, x - x)


def test_residuals_stay_where_operators_compute(device):
    a = arrayspan.operators.FirstDerivative((64,), dtype="float64")
    x = arrayspan.asarray(values((64,), "float64")).to(device)
    y = 2.0 * (a @ x)
    found = arrayspan.solvers.cgls(a, y, iterations=200)
    residual = y - a @ found.x
    assert residual.device == y.device
    assert float(residual.norm() / y.norm()) < 1e-7


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_norms_neither_overflow_nor_underflow(scale):
    x = np.full(1000, scale, "float32")
    found = float(arrayspan.asarray(x).norm())
    assert found == pytest.approx(float(np.linalg.norm(x.astype("float64"))), rel=1e-6)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2)])
def test_small_and_empty_arrays(shape):
    x = values(shape, "float64")
    a = arrayspan.asarray(x)
    close(a + a, np.asarray(x + x))
    close(a.sum(), np.asarray(x.sum()))
    assert float(a.norm()) == pytest.approx(float(np.linalg.norm(x)))


def test_division_by_zero_is_that_of_floats():
    a = arrayspan.asarray(np.array([1.0, -1.0, 0.0]))
    found = (a / 0.0).numpy()
    assert found[0] == np.inf and found[1] == -np.inf and np.isnan(found[2])


def test_what_is_no_operand_is_refused_and_changes_nothing():
    x = values((3,), "float32")
    a, kept = arrayspan.asarray(x), x.copy()
    with pytest.raises(TypeError):
        a + "1"
    with pytest.raises(TypeError):
        [1, 2, 3] - a
    with pytest.raises(TypeError):
        a * None
    with pytest.raises(arrayspan.Error, match="Float64"):
        a + x.astype("float64")
    with pytest.raises(arrayspan.Error):
        a + np.ones(4, "float32")
    with pytest.raises(arrayspan.Error):
        a + np.ones(3, "int32")
    with pytest.raises(arrayspan.Error):
        a * 1j
    with pytest.raises(arrayspan.Error):
        a.dot(np.ones(4, "float32"))
    with pytest.raises((TypeError, ValueError)):
        float(a)
    np.testing.assert_array_equal(x, kept)


def test_operands_of_two_devices_are_refused():
    others = [device for device in devices() if device != "cpu"]
    if not others:
        pytest.skip("one device")
    a = arrayspan.asarray(np.ones(3, "float32"))
    with pytest.raises(arrayspan.Error, match="cpu"):
        a + a.to(others[0])


def test_memory_is_given_back():
    a = arrayspan.asarray(values((1000,), "float64"))
    for _ in range(100):
        (a - a * 2.0).norm()
    before = memory.statistics()["live_bytes"]
    for _ in range(2000):
        (a - a * 2.0).norm()
    assert memory.statistics()["live_bytes"] == before
