"""Operators on arrays of Python, and their algebra."""

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

rng = np.random.default_rng(0)


def dense(a, dtype="float64"):
    """The matrix, column by column."""
    n = a.domain.size
    units = np.eye(n, dtype=dtype).reshape((n, *a.domain.shape))
    return np.stack([a.forward(u).ravel() for u in units], 1)


def test_a_result_is_of_the_kind_of_its_argument():
    slope = ops.FirstDerivative(5, scheme="forward")
    x = np.array([0, 1, 4, 9, 16], dtype="float32")
    y = slope @ x
    assert type(y) is np.ndarray and y.dtype == np.float32 and y.flags.writeable
    assert y.tolist() == [1, 3, 5, 7, 0]
    ours = slope @ arrayspan.asarray(x)
    assert isinstance(ours, arrayspan.Array) and ours.tolist() == y.tolist()


@pytest.mark.parametrize("direction", ["forward", "adjoint"])
def test_out_is_written_in_place(direction):
    a = ops.Restriction((4, 6), [0, 2, 5], axis=1, dtype="float64")
    x = rng.normal(size=(4, 6) if direction == "forward" else (4, 3))
    expected = getattr(a, direction)(x)
    out = np.full((2 * expected.shape[0], expected.shape[1]), np.nan)
    view = out[1::2]
    assert getattr(a, direction)(x, out=view) is view
    assert np.array_equal(view, expected) and np.isnan(out[::2]).all()
    ours = arrayspan.zeros(expected.shape, "float64")
    getattr(a, direction)(x, out=ours)
    assert np.array_equal(ours.numpy(), expected)


@pytest.mark.parametrize("take", [np.s_[::-1], np.s_[::2], np.s_[:, ::-1], np.s_[..., None, :]])
def test_arguments_have_any_strides(take):
    whole = rng.normal(size=(8, 6))
    x = whole[take]
    a = ops.FirstDerivative(x.shape, axis=-1, dtype="float64")
    assert np.array_equal(a @ x, a @ np.ascontiguousarray(x))


def test_spaces_say_what_fits():
    a = ops.Restriction((4, 6), [1], axis=0, dtype="complex64")
    assert a.domain == arrayspan.Space((4, 6), "complex64") and a.range.shape == (1, 6)
    assert (a.range.dtype, a.range.size, a.name) == ("complex64", 6, "Restriction")
    assert len({a.domain, arrayspan.Space([4, 6], np.complex64)}) == 1
    assert np.dtype(a.domain.dtype) == np.complex64


def test_the_algebra_is_that_of_matrices():
    a = ops.FirstDerivative(6, step=0.5, dtype="float64")
    b = ops.CausalIntegration(6, dtype="float64")
    A, B = dense(a), dense(b)
    close = np.testing.assert_allclose
    close(dense(a @ b), A @ B, atol=1e-14)
    close(dense(a + b), A + B)
    close(dense(a - 2 * b), A - 2 * B)
    close(dense(-a * 3), -A * 3)
    close(dense(a / 4), A / 4)
    close(dense(np.float64(2) * a), 2 * A)
    close(dense(b**3), B @ B @ B)
    close(dense(b**0), np.eye(6))
    close(dense(a.H), A.T)
    close(dense(b.T), B.T)
    close(dense(a.conj()), A)
    close(dense(ops.vstack([a, b])), np.vstack([A, B]))
    close(dense(ops.hstack([a, b])), np.hstack([A, B]))
    close(dense(ops.stack([a, b])), np.vstack([A, B]))
    close(dense(ops.block_diagonal([a, b])), np.block([[A, 0 * A], [0 * A, B]]))
    close(dense(ops.Kronecker(a, b)), np.kron(A, B))
    close(dense(a.columns([4, 1])), A[:, [4, 1]])
    assert a.lifted(leading=3).domain.shape == (3, 6)
    assert a.lifted(trailing=3).domain.shape == (6, 3)
    assert a.named("slope").name == "slope" and "FirstDerivative" in a.describe()


def test_complex_operators_have_an_adjoint_a_transpose_and_a_conjugate():
    weights = rng.normal(size=5) + 1j * rng.normal(size=5)
    a = 1j * ops.Diagonal(weights) @ ops.Roll(5, dtype="complex128")
    A = dense(a, "complex128")
    np.testing.assert_allclose(dense(a.H, "complex128"), A.conj().T)
    np.testing.assert_allclose(dense(a.T, "complex128"), A.T)
    np.testing.assert_allclose(dense(a.conj(), "complex128"), A.conj())
    np.testing.assert_allclose(dense((1 + 2j) * a, "complex128"), (1 + 2j) * A)
    assert a.properties["complex_linear"]
    assert not ops.Conj(5).properties["complex_linear"]


def test_several_columns_are_applied_at_once():
    a = ops.SecondDerivative((4, 3), axis=0, dtype="float64")
    X = rng.normal(size=(4, 3, 7))
    Y = a.matmat(X)
    assert np.allclose(Y, np.stack([a @ X[..., k] for k in range(7)], -1))
    assert np.allclose(a.rmatmat(Y), np.stack([a.H @ Y[..., k] for k in range(7)], -1))


def test_the_dot_test_is_there():
    holds, report = ops.Gradient((5, 4), dtype="float64").check_adjoint()
    assert holds and "adjoint holds" in report


def test_numpy_leaves_operators_alone():
    a = ops.Identity(3, dtype="float64")
    assert isinstance(np.float32(2) * a, arrayspan.Operator)
    assert isinstance(np.complex128(2) * a, arrayspan.Operator)
    with pytest.raises(TypeError):
        np.ones(3) @ a
    with pytest.raises(TypeError):
        np.ones(3) * a
    with pytest.raises(TypeError):
        a * np.ones(3)
    with pytest.raises(TypeError):
        a + 1


def test_what_does_not_fit_is_refused_before_anything_is_written():
    a = ops.FirstDerivative((4, 3), dtype="float64")
    out = np.full((4, 3), 7.0)
    with pytest.raises(arrayspan.ShapeError, match=r"model has shape \[12\], expected \[4, 3\]"):
        a.forward(np.ones(12), out=out)
    with pytest.raises(ValueError):
        a @ np.ones((3, 4))
    with pytest.raises(arrayspan.DTypeError, match="model is Float32, expected Float64"):
        a.forward(np.ones((4, 3), "float32"), out=out)
    with pytest.raises(TypeError):
        a @ np.ones((4, 3), "int32")
    with pytest.raises(arrayspan.ShapeError, match="data"):
        a.forward(np.ones((4, 3)), out=np.ones((4, 2)))
    with pytest.raises(arrayspan.DTypeError):
        a.forward(np.ones((4, 3)), out=np.ones((4, 3), "complex128"))
    assert (out == 7).all()
    with pytest.raises(arrayspan.ShapeError, match="domain of"):
        a @ ops.Identity(3, dtype="float64")
    with pytest.raises(arrayspan.ParameterError):
        ops.FirstDerivative((4, 3), axis=2)
    with pytest.raises(arrayspan.ParameterError, match="scheme 'center'"):
        ops.FirstDerivative((4, 3), scheme="center")
    with pytest.raises(arrayspan.DTypeError, match="'float31'"):
        ops.FirstDerivative((4, 3), dtype="float31")
    with pytest.raises(arrayspan.Error):
        1j * a
