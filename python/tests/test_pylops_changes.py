"""Operators by PyLops's names are what their attributes say when they are applied, whatever was computed before."""

import copy
import gc
import weakref

import numpy as np
import pytest
from arrayspan import pylops
from arrayspan.pylops import Diagonal, FirstDerivative, HStack, Identity, MatrixMult, Regression, Restriction, VStack

x = np.arange(1.0, 5)


def applied(op, x=x):
    """By all ways, which agree."""
    y = op @ x
    assert np.array_equal(op @ x, y) and np.array_equal(op.matvec(x), y)
    assert np.allclose((op @ np.stack([x, x], 1))[:, 1], y)
    assert np.allclose((2 * op) @ x, 2 * y) and np.allclose(VStack([op, op]) @ x, np.tile(y, 2))
    return y


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int16"])
@pytest.mark.parametrize("strided", [False, True])
def test_what_is_written_to_weights_counts(dtype, strided):
    weights = np.ones(8, dtype)[::2] if strided else np.ones(4, dtype)
    op = Diagonal(weights)
    made = [op.H, 2 * op, op + op, op @ op, HStack([op, op]), op.H.H]
    before = [each @ (np.tile(x, 2) if each.shape[1] == 8 else x) for each in made]
    assert np.array_equal(applied(op), x)
    weights[1] = 7
    assert applied(op)[1] == 14
    op.diag[...] = 3
    assert np.array_equal(applied(op), 3 * x)
    for each, y in zip(made, before):
        after = each @ (np.tile(x, 2) if each.shape[1] == 8 else x)
        assert np.allclose(after, y * (9 if each is made[3] else 3))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("order", "CF")
def test_what_is_written_to_a_matrix_counts(dtype, order):
    A = np.asarray(np.arange(12).reshape(3, 4), dtype, order=order)
    op = MatrixMult(A)
    stacked = VStack([op, 2 * op])
    assert np.allclose(applied(op), A @ x) and np.allclose(op.H @ np.ones(3), A.sum(0)) and (stacked @ x).size == 6
    A[1, 2] = -50
    assert np.allclose(applied(op), A @ x) and np.allclose(op.H @ np.ones(3), A.sum(0))
    assert np.allclose(stacked @ x, np.concatenate([A @ x, 2 * A @ x]))
    many = MatrixMult(A, otherdims=2)
    z = np.ones((4, 2))
    assert np.allclose(many @ z, A @ z)
    A *= 2
    assert np.allclose(many @ z, A @ z)


def test_what_is_written_to_a_sparse_matrix_counts():
    sparse = pytest.importorskip("scipy.sparse")
    A = sparse.csr_matrix(np.eye(4))
    op = MatrixMult(A)
    assert np.array_equal(applied(op), x)
    A.data[:] = 3
    assert np.array_equal(applied(op), 3 * x)


def test_what_is_written_to_indices_and_positions_counts():
    indices, positions = np.array([0, 2]), np.arange(4.0)
    op, line = Restriction(4, indices), Regression(positions, 1)
    assert np.array_equal(applied(op), x[[0, 2]]) and np.array_equal(applied(line, x[:2]), 1 + 2 * positions)
    op.iava[0] = 1
    positions[:] = 5
    assert np.array_equal(applied(op), x[[1, 2]]) and np.array_equal(applied(line, x[:2]), np.full(4, 11.0))


def test_attributes_that_are_assigned_count():
    op, slope, scaled = Diagonal(np.ones(4)), FirstDerivative(4, kind="forward"), 2 * Identity(4)
    product = slope @ op
    assert np.array_equal(applied(op), x) and (applied(slope) == [1, 1, 1, 0]).all() and (applied(scaled) == 2 * x).all()
    assert (applied(product) == [1, 1, 1, 0]).all()
    op.diag = np.full(4, 3.0)
    slope.sampling = 0.5
    scaled.args = (scaled.args[0], 5)
    assert np.array_equal(applied(op), 3 * x) and (applied(slope) == [2, 2, 2, 0]).all() and (applied(scaled) == 5 * x).all()
    assert (applied(product) == [6, 6, 6, 0]).all()
    # Also to what changes the dtype, and of copies alone.
    other = copy.copy(op)
    other.diag = np.full(4, 1j)
    assert np.array_equal(applied(other), 1j * x) and np.array_equal(applied(op), 3 * x)
    op.diag = np.full(4, 2j)
    assert (slope @ (op @ x)).dtype == (product @ x).dtype == "complex128" and np.allclose(product @ x, [4j, 4j, 4j, 0])


def test_shapes_that_are_assigned_count():
    op = Identity((4, 3))
    assert (op @ np.ones((4, 3))).shape == (4, 3)
    op.dims = (3, 4)
    assert (op @ np.ones((3, 4))).shape == (4, 3)
    op.dimsd = (12,)
    assert (op @ np.ones((3, 4))).shape == (12,)


@pytest.mark.parametrize("name", ["_matvec", "matvec"])
def test_methods_that_are_assigned_count(name):
    op = Diagonal(np.ones(4))
    made = [2 * op, VStack([op]), op + op, op.H.H]
    before = [(each @ x).sum() for each in made]
    setattr(op, name, lambda v: 7 * v)
    assert (op @ x).sum() == 70 and [(each @ x).sum() for each in made] == [7 * y for y in before]


@pytest.mark.parametrize("name", ["_matvec", "_matmat", "_rmatvec", "_rmatmat", "matvec", "matmat", "rmatvec", "rmatmat"])
@pytest.mark.parametrize("base", [Diagonal, MatrixMult])
def test_methods_of_subclasses_are_called_within_others(name, base):
    called = []

    def method(self, v):
        called.append(name)
        return getattr(super(cls, self), name)(v)

    cls = type("Own", (base,), {name: method})
    op = cls(np.ones(4) if base is Diagonal else np.eye(4))
    for whole in (op, 2 * op, op + op, VStack([op, op]), Identity(4) @ op):
        for _ in range(3):
            called.clear()
            turned = whole.H if name.startswith(("r", "_r")) else whole
            vector, columns = np.ones(turned.shape[1]), np.ones((turned.shape[1], 2))
            assert (turned @ (columns if name.endswith("mat") else vector)).any()
            assert called, whole


def test_a_subclass_that_writes_attributes_while_it_is_applied_counts_calls():
    class Own(Diagonal):
        calls = 0

        def _matvec(self, v):
            self.calls += 1
            return super()._matvec(v)

    op = Own(np.full(4, 2.0))
    assert [((3 * op) @ x).sum() for _ in range(3)] == [60, 60, 60] and op.calls == 3


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">c16", ">i4"])
def test_bytes_in_the_order_of_another_machine_are_numbers_all_the_same(dtype):
    z = x.astype(dtype)
    for op in (Identity(4), Diagonal(np.arange(4.0)), Diagonal(np.arange(4).astype(dtype)), FirstDerivative(4)):
        expected = op @ x
        for _ in range(3):
            y = op @ z
            assert y.dtype.isnative and np.allclose(y, expected) and np.allclose(op.H @ z, op.H @ x)


def test_operators_that_were_applied_are_freed_at_once():
    weights = np.ones(1000)
    op = Diagonal(weights)
    whole = VStack([op, 2 * op])
    op @ weights, whole @ weights
    gone = [weakref.ref(op), weakref.ref(whole), weakref.ref(weights)]
    gc.disable()
    try:
        del op, whole, weights
        assert [each() for each in gone] == [None] * 3
    finally:
        gc.enable()


def test_a_solver_is_led_by_what_the_operator_is_now():
    op = Diagonal(np.array([1.0, 2, 4, 8]))
    assert np.allclose(pylops.optimization.basic.cgls(op, x, niter=20)[0], x / op.diag)
    op.diag[:] = [8, 4, 2, 1]
    assert np.allclose(pylops.optimization.basic.cgls(op, x, niter=20)[0], x / op.diag)
