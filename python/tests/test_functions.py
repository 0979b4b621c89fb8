"""Operators of Python's functions."""

import gc
import sys

import arrayspan
import numpy as np
import pytest
from arrayspan import Space
from arrayspan.operators import FirstDerivative, from_functions


def matrix(A, **options):
    dtype = str(A.dtype)
    spaces = Space(A.shape[1], dtype), Space(A.shape[0], dtype)
    return from_functions(*spaces, lambda x: A @ x, lambda y: A.conj().T @ y, **options)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_functions_are_applied(dtype):
    rng = np.random.default_rng(1)
    A = (rng.normal(size=(5, 3)) + (1j if "complex" in dtype else 0) * rng.normal(size=(5, 3))).astype(dtype)
    a = matrix(A, name="A")
    x, y = np.ones(3, dtype), np.ones(5, dtype)
    assert np.allclose(a @ x, A @ x) and np.allclose(a.H @ y, A.conj().T @ y)
    assert np.allclose(a.T @ y, A.T @ y) and a.name == "A" and a.check_adjoint()[0]
    assert np.allclose((2 * a + a).forward(x), 3 * A @ x)
    assert np.allclose((a.H @ a).forward(x), A.conj().T @ (A @ x))
    stacked = arrayspan.operators.vstack([a, 2 * a])
    assert np.allclose(stacked @ x, np.concatenate([A @ x, 2 * A @ x]))
    assert np.allclose(a.matmat(np.eye(3, dtype=dtype)), A)


def test_what_a_function_raises_is_that_very_exception():
    class Mine(Exception):
        pass

    error = Mine("mine")

    def fail(_):
        raise error

    a = from_functions(Space(3), Space(3), fail, fail)
    for attempt in [lambda: a @ np.ones(3, "float32"), lambda: (FirstDerivative(3) @ a.H).forward(np.ones(3, "float32"))]:
        with pytest.raises(Mine) as raised:
            attempt()
        assert raised.value is error


def test_an_argument_may_be_kept_and_written():
    kept = []

    def forward(x):
        kept.append(x)
        x *= 2
        return x

    a = from_functions(Space(3, "float64"), Space(3, "float64"), forward)
    x = np.arange(3.0)
    y = a @ x
    gc.collect()
    assert x.tolist() == [0, 1, 2] and y.tolist() == [0, 2, 4] and kept[0].tolist() == [0, 2, 4]
    y[:] = 9
    assert kept[0].tolist() == [0, 2, 4]


def test_results_are_flat_or_shaped_and_of_any_real_dtype():
    space = Space((2, 3), "float32")
    for forward in [
        lambda x: x.ravel().astype("float64"),
        lambda x: np.repeat(x.ravel(), 2)[::2],
        lambda x: np.asfortranarray(x),
        lambda x: arrayspan.asarray(x),
        lambda x: x.astype("int32"),
    ]:
        a = from_functions(space, space, forward)
        x = np.arange(6, dtype="float32").reshape(2, 3)
        assert np.array_equal(a @ x, x)


@pytest.mark.parametrize(
    "result, error",
    [
        (np.ones((3, 2), "float32"), arrayspan.ShapeError),
        (np.ones(5, "float32"), arrayspan.ShapeError),
        (np.ones((2, 3), "complex64"), arrayspan.DTypeError),
        (None, arrayspan.DTypeError),
        ([[1.0] * 3] * 2, arrayspan.DTypeError),
        (np.ones((2, 3), object), arrayspan.DTypeError),
    ],
)
def test_results_that_do_not_fit_are_refused(result, error):
    space = Space((2, 3), "float32")
    a = from_functions(space, space, lambda x: result, name="broken")
    with pytest.raises(error, match="broken"):
        a @ np.ones((2, 3), "float32")


def test_without_an_adjoint_there_is_none():
    a = from_functions(Space(3), Space(3), lambda x: x, name="one way")
    with pytest.raises(arrayspan.NoAdjoint, match="one way"):
        a.adjoint(np.ones(3, "float32"))
    with pytest.raises(NotImplementedError):
        a.H @ np.ones(3, "float32")


def test_an_operator_may_be_its_own_adjoint_or_real_linear():
    space = Space(3, "complex64")
    a = from_functions(space, space, np.conj, self_adjoint=True, complex_linear=False)
    assert a.properties == {"complex_linear": False, "self_adjoint": True, "positive": False}
    assert a.check_adjoint()[0]
    with pytest.raises(arrayspan.ParameterError):
        from_functions(space, Space(4, "complex64"), np.conj, self_adjoint=True)
    with pytest.raises(arrayspan.ParameterError, match="not a function"):
        from_functions(space, space, 3)
    with pytest.raises(arrayspan.ParameterError):
        from_functions(Space(3, "int32"), Space(3, "int32"), np.conj)


def test_functions_are_called_from_functions():
    inner = from_functions(Space(2), Space(2), lambda x: 2 * x)
    outer = from_functions(Space(2), Space(2), lambda x: inner @ x)
    assert (outer @ np.ones(2, "float32")).tolist() == [2, 2]


def test_functions_are_given_back():
    def forward(x):
        return x

    before = sys.getrefcount(forward)
    a = from_functions(Space(2), Space(2), forward)
    for _ in range(100):
        a @ np.ones(2, "float32")
    del a
    gc.collect()
    assert sys.getrefcount(forward) == before


def test_an_operator_that_applies_itself_is_an_exception():
    space = Space(4)
    x = np.ones(4, "float32")
    a = from_functions(space, space, lambda v: a @ v, lambda v: v)
    for _ in range(2):
        with pytest.raises(RecursionError):
            a @ x
    depth = []

    def fewer(v):
        depth.append(0)
        return b @ v if len(depth) < 50 else v

    b = from_functions(space, space, fewer, fewer)
    assert np.array_equal(b @ x, x) and len(depth) == 50
