"""Operators as functions of JAX's arrays that JAX differentiates."""

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

jax = pytest.importorskip("jax", exc_type=ImportError)
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from arrayspan.jax import function  # noqa: E402

rng = np.random.default_rng(0)


def complex_step(shape=(4, 3)):
    return (0.5 - 2j) * ops.FirstDerivative(shape, scheme="forward", dtype="complex128")


REAL = ops.FirstDerivative((5, 4), scheme="forward", dtype="float64")
CASES = {
    "real": REAL,
    "rectangular": ops.Restriction((5, 4), [3, 0, 3], axis=0, dtype="float64") @ REAL,
    "complex": complex_step(),
    "real part": ops.Real((4, 3), dtype="complex128") @ complex_step(),
    "imaginary part": ops.Imag((3, 2), dtype="complex128"),
    "from real": ops.Real((3, 2), dtype="complex128").H,
    "conjugate": ops.Conj((3, 2), dtype="complex128"),
    "numbers": 3 * ops.Identity((), dtype="float64"),
}
every = pytest.mark.parametrize("name", CASES)
ways = pytest.mark.parametrize("way", [lambda f: f, jax.jit], ids=["at once", "compiled"])


def random(space, *batch):
    x = rng.normal(size=(*batch, *space.shape))
    return jnp.asarray(x + 1j * rng.normal(size=x.shape) if space.dtype == "complex128" else x)


def energy(y):
    """A real number that depends on each part of each element in its own way."""
    weights = jnp.sin(jnp.arange(y.size)).reshape(y.shape)
    parts = (y.real, 2 * y.imag) if jnp.iscomplexobj(y) else (y,)
    return sum((weights * (part + part**2)).sum() for part in parts)


def differences(f, x, step=1e-3):
    """The gradient as JAX has it: of the real part, less i times that of the imaginary part."""
    x = np.asarray(x)
    found = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        for unit, sign in ((1, 1), (1j, -1j)) if np.iscomplexobj(x) else ((1, 1),):
            moved = np.zeros_like(x)
            moved[index] = step * unit
            found[index] += sign * (f(jnp.asarray(x + moved)) - f(jnp.asarray(x - moved))) / (2 * step)
    return found


@every
@ways
def test_results_are_those_of_the_operator(name, way):
    a = CASES[name]
    there, back = way(function(a)), way(function(a, adjoint=True))
    for batch in [(), (3,), (2, 3), (0,)]:
        x, y = random(a.domain, *batch), random(a.range, *batch)
        for f, native, argument in [(there, a, x), (back, a.H, y)]:
            found = f(argument)
            flat = np.asarray(argument).reshape(-1, *native.domain.shape)
            expected = [native @ np.array(one) for one in flat]
            shape = (*batch, *native.range.shape)
            assert isinstance(found, jax.Array) and found.shape == shape and found.dtype == native.range.dtype
            assert np.allclose(found, np.reshape(np.array(expected, found.dtype), shape), rtol=1e-14, atol=1e-14)


@every
@ways
def test_gradients_are_those_of_differences(name, way):
    a = CASES[name]
    for f, space in [(function(a), a.domain), (function(a, adjoint=True), a.range)]:
        loss = lambda x: energy(f(x))  # noqa: E731
        for batch in [(), (2,)]:
            x = random(space, *batch)
            assert np.allclose(way(jax.grad(loss))(x), differences(loss, x), rtol=1e-9, atol=1e-9)


@ways
def test_gradients_of_gradients(way):
    f = function(REAL)
    x = random(REAL.domain)
    loss = lambda x: jnp.sin(f(jnp.sin(x))).sum()  # noqa: E731
    squared = lambda x: (jax.grad(loss)(x) ** 2).sum()  # noqa: E731
    assert np.allclose(way(jax.grad(squared))(x), differences(squared, x, 1e-5), rtol=1e-6, atol=1e-8)


@every
@ways
def test_vmap_along_any_axis(name, way):
    a = CASES[name]
    f = function(a)
    many = jnp.stack([random(a.domain) for _ in range(3)], axis=-1)
    each = jnp.stack([f(many[..., index]) for index in range(3)], axis=-1)
    assert np.allclose(way(jax.vmap(f, in_axes=-1, out_axes=-1))(many), each)
    twice = jax.vmap(jax.vmap(f, in_axes=-1, out_axes=-1))
    both = jnp.stack([many, 2 * many])
    assert np.allclose(way(twice)(both), jnp.stack([each, 2 * each]))
    loss = lambda x: energy(f(x))  # noqa: E731
    gradients = way(jax.vmap(jax.grad(loss), in_axes=-1, out_axes=-1))(many)
    expected = jnp.stack([jax.grad(loss)(many[..., index]) for index in range(3)], axis=-1)
    assert np.allclose(gradients, expected)


def test_jacobians():
    f = function(CASES["rectangular"])
    x = random(REAL.domain)
    matrix = CASES["rectangular"].to_dense()
    assert np.allclose(np.reshape(jax.jacrev(f)(x), matrix.shape), matrix)


def test_single_precision():
    f = function(ops.FirstDerivative((5, 4), scheme="forward"))
    x = jnp.ones((2, 5, 4), "float32")
    assert f(x).dtype == "float32" and jax.jit(jax.grad(lambda x: (f(x) ** 2).sum()))(x).dtype == "float32"


@ways
def test_wrong_arguments_are_refused(way):
    f = way(function(REAL))
    with pytest.raises(arrayspan.ShapeError, match=r"FirstDerivative: x has shape \(4, 5\), expected \(\.\.\., 5, 4\)"):
        f(jnp.zeros((4, 5)))
    with pytest.raises(arrayspan.DTypeError, match="FirstDerivative: x is float32, expected float64"):
        f(jnp.zeros((5, 4), "float32"))
    with pytest.raises(TypeError, match="expected an arrayspan.Operator"):
        function(lambda x: x)


def test_going_forward_has_no_rule():
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(function(REAL), (random(REAL.domain),), (random(REAL.domain),))


def test_what_a_function_raises_arrives():
    class Mine(Exception):
        pass

    def fail(_):
        raise Mine("torn")

    space = arrayspan.Space(3, "float64")
    f = function(ops.from_functions(space, space, lambda x: x, fail))
    with pytest.raises(Mine, match="torn"):
        jax.grad(lambda x: f(x).sum())(jnp.ones(3))
    with pytest.raises(Exception, match="torn"):
        jax.jit(jax.grad(lambda x: f(x).sum()))(jnp.ones(3)).block_until_ready()
