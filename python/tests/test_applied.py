"""The base of classes whose instances are applied without passing through Python."""

import arrayspan
import numpy as np
import pytest
from arrayspan._native import Applied
from arrayspan.operators import FirstDerivative, Restriction


class Class(Applied):
    def __init__(self, name):
        self.name = name
        self.slow = []

    def _slow_matmul(self, x):
        self.slow.append("matmul")
        return x

    def dot(self, x):
        self.slow.append("dot")
        return x

    def _slow_matvec(self, x):
        self.slow.append("matvec")
        return x

    def _slow_rmatvec(self, x):
        self.slow.append("rmatvec")
        return x


native = Restriction((4, 6), [1, 3, 5], axis=1, dtype="float64")


@pytest.fixture
def a():
    a = Class("a")
    a._keep(native, (4, 6), (4, 3))
    return a


def test_vectors_and_models_are_applied_at_once_and_counted(a):
    x, y = np.arange(24.0), np.arange(12.0)
    expected = native @ x.reshape(4, 6)
    assert np.array_equal(a @ x, expected.ravel()) and np.array_equal(a * x, expected.ravel())
    assert np.array_equal(a @ x.reshape(4, 6), expected)
    assert np.array_equal(a @ np.asfortranarray(x.reshape(4, 6)), expected)
    assert np.array_equal(a.matvec(x), expected.ravel())
    assert np.array_equal(a.rmatvec(y), (native.H @ y.reshape(4, 3)).ravel())
    assert (a.matvec_count, a.rmatvec_count, a.slow) == (5, 1, [])
    a.matvec_count = 0
    assert a.matvec_count == 0


def test_all_else_goes_to_python(a):
    x = np.arange(24.0)
    others = [x.astype("float32"), x[:5], np.repeat(x, 2)[::2], x.reshape(24, 1), arrayspan.asarray(x)]
    others += [x.view(type("Derived", (np.ndarray,), {})), x.astype(">f8"), x.astype(object), list(x), 2.0]
    for other in others:
        assert a @ other is other
    assert a.slow == ["matmul"] * len(others) and a.matvec_count == 0
    assert a.matvec(x.reshape(4, 6)).shape == (4, 6) and a.rmatvec(x) is x and a * 3 == 3
    assert a.slow[-3:] == ["matvec", "rmatvec", "dot"]
    a._forget()
    assert a @ x is x


def test_results_are_vectors_where_that_is_asked_for(a):
    x = np.arange(24.0).reshape(4, 6)
    a._keep(native, (4, 6), (4, 3), flat=True)
    assert (a @ x).shape == (12,)
    a._keep(native, (4, 6), (2, 6))
    assert (a @ x).shape == (2, 6) and (a @ x.ravel()).shape == (12,)
    Applied._take_shaped(False)
    try:
        assert a @ x is x and (a @ x.ravel()).shape == (12,)
    finally:
        Applied._take_shaped(True)
    line = Class("line")
    line._keep(FirstDerivative(6, dtype="float64"), 6, (2, 3))
    assert (line @ np.arange(6.0)).shape == (2, 3) and line.matvec(np.arange(12.0)[::2]).shape == (6,)


def test_each_dtype_has_an_operator_of_its_own(a):
    single = Restriction((4, 6), [0, 0, 0], axis=1, dtype="float32")
    a._keep(single, (4, 6), (4, 3))
    x = np.arange(24.0)
    assert np.array_equal(a @ x, (native @ x.reshape(4, 6)).ravel())
    assert (a @ x.astype("float32")).tolist() == np.repeat(x.reshape(4, 6)[:, 0], 3).tolist()
    with pytest.raises(arrayspan.ShapeError):
        a._keep(native, (4, 5), (4, 3))


def test_instances_have_attributes_and_errors_arrive(a):
    a.anything = 3
    assert a.name == "a" and a.anything == 3

    def fail(_):
        raise KeyError("mine")

    broken = arrayspan.operators.from_functions(native.domain, native.range, fail)
    a._keep(broken, (4, 6), (4, 3))
    with pytest.raises(KeyError):
        a @ np.arange(24.0)
    with pytest.raises(arrayspan.NoAdjoint):
        a.rmatvec(np.arange(12.0))
