"""Operators as functions of JAX's arrays that JAX differentiates."""

import gc
import os
import subprocess
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

jax = pytest.importorskip("jax", exc_type=ImportError)
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
from arrayspan.jax import _Function, function  # noqa: E402

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


@pytest.fixture(scope="module", autouse=True)
def operators_are_gone():
    """Other files count bytes: the last operators stay ten seconds after the functions that were compiled of them."""
    yield
    jax.clear_caches()
    gc.collect()
    time.sleep(11)


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


@every
@ways
def test_tangents_are_those_of_a_linear_function(name, way):
    a = CASES[name]
    f = function(a)
    x, tangent = random(a.domain, 2), random(a.domain, 2)
    y, moved = way(lambda x, t: jax.jvp(f, (x,), (t,)))(x, tangent)
    assert np.allclose(y, f(x)) and np.allclose(moved, f(tangent))
    # What JAX transposes is linear over the numbers that the function is linear over.
    (back,) = way(jax.linear_transpose(f, x))(random(a.range, 2) + y)
    assert back.shape == x.shape and back.dtype == x.dtype


def test_jacobians_both_ways_and_a_hessian():
    a = CASES["rectangular"]
    f, x, matrix = function(a), random(REAL.domain), a.to_dense()
    for jacobian in (jax.jacrev, jax.jacfwd, lambda f: jax.jit(jax.jacfwd(f))):
        assert np.allclose(np.reshape(jacobian(f)(x), matrix.shape), matrix)
    loss = lambda x: jnp.square(f(x)).sum() / 2  # noqa: E731
    found = np.reshape(jax.hessian(loss)(x), (x.size, x.size))
    assert np.allclose(found, matrix.T @ matrix)


def compiled_text(f, x):
    return jax.jit(f).lower(x).as_text()


def test_compiled_functions_call_the_engine_where_that_can_be():
    x = random(REAL.domain)
    for f in (function(REAL), jax.grad(lambda x: function(REAL)(x).sum()), function(ops.MatrixMult(jnp.eye(5), 4))):
        text = compiled_text(f, x)
        assert "arrayspan_apply" in text and "callback" not in text
    space = arrayspan.Space(3, "float64")
    own = function(ops.from_functions(space, space, lambda x: 2 * x, lambda y: 2 * y))
    text = compiled_text(own, jnp.ones(3))
    assert "callback" in text and "arrayspan_apply" not in text
    assert np.allclose(jax.jit(own)(jnp.ones(3)), 2)
    # Arrays on the host serve on other devices, too.
    weights = rng.normal(size=(5, 4))
    assert np.allclose(jax.jit(function(ops.Diagonal(weights)))(x), weights * np.asarray(x))


def test_what_is_compiled_keeps_its_operator_and_lets_go_of_it():
    weights = rng.normal(size=(5, 4))
    f = function(ops.Diagonal(jnp.asarray(weights)))
    (kept,) = (cell.cell_contents for cell in f.__closure__ if hasattr(cell.cell_contents, "numbered"))
    kept, x = weakref.ref(kept), random(REAL.domain)
    compiled = jax.jit(f).lower(x).compile()
    expected = weights * np.asarray(x)
    f(x)
    del f
    gc.collect()
    assert kept() is not None and np.array_equal(compiled(x), expected)
    del compiled
    jax.clear_caches()
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("use", [
    lambda f, x: f(x),
    lambda f, x: jax.jit(f)(x),
    lambda f, x: jax.grad(lambda x: jnp.square(f(x)).sum())(x),
    lambda f, x: jax.jit(jax.grad(lambda x: jnp.square(f(x)).sum()))(x),
    lambda f, x: jax.vmap(f)(jnp.stack([x, x])),
], ids=["at once", "compiled", "gradient", "compiled gradient", "vmap"])  # fmt: skip
def test_operators_that_were_used_do_not_stay(use):
    try:
        from jax._src.util import weakref_cache_key_types  # noqa: F401
    except ImportError:
        pytest.skip("this JAX holds the operators of its last functions")
    left = []
    for _ in range(5):
        f = function(ops.Diagonal(jnp.asarray(rng.normal(size=(5, 4)))))
        (kept,) = (cell.cell_contents for cell in f.__closure__ if hasattr(cell.cell_contents, "numbered"))
        left.append(weakref.ref(kept))
        use(f, random(REAL.domain))
        del f, kept
    gc.collect()
    assert not any(kept() for kept in left)


def test_what_has_been_dispatched_runs_though_all_else_is_gone():
    f = function(ops.Diagonal(jnp.asarray(np.full((300, 400), 0.5))))
    x = jnp.ones((300, 400))
    compiled = jax.jit(lambda x: jax.lax.fori_loop(0, 300, lambda _, x: f(x) + x / 2, x)).lower(x).compile()
    y = compiled(x)
    del f, compiled
    jax.clear_caches()
    gc.collect()
    assert np.allclose(y, x)


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="an older JAX")
def test_gradients_are_added_up_over_the_shards_of_a_mesh():
    program = """
import jax, jax.numpy as jnp
from jax.sharding import PartitionSpec as P
from arrayspan import operators as ops
from arrayspan.jax import function
f = function(ops.Identity((3,)))
mesh = jax.sharding.Mesh(jax.devices(), ("i",))
w, v = jnp.arange(3.0), jnp.arange(6.0).reshape(2, 3)
def loss(f):
    return lambda w, v: ((f(v) * w) ** 2).sum()
def gradient(f):
    return jax.shard_map(jax.grad(loss(f)), mesh=mesh, in_specs=(P(), P("i")), out_specs=P())(w, v)
assert (gradient(f) == gradient(lambda x: 1 * x)).all(), gradient(f)
print("the same")
"""
    flags = "--xla_force_host_platform_device_count=2"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert "the same" in ran.stdout, ran.stderr


def test_calls_that_fit_no_operator_are_refused():
    f = _Function(REAL)
    number = f.numbered.number
    like = lambda *shape, dtype="float64": jax.ShapeDtypeStruct(shape, dtype)  # noqa: E731
    x = jnp.ones((5, 4))
    for result, arguments, attributes, why in [
        (like(5, 4), (x,), dict(operator=10**9, adjoint=0), "operator 1000000000 is gone"),
        (like(5, 4), (x,), dict(operator=-1, adjoint=0), "operator -1 is gone"),
        (like(5, 4), (x,), dict(operator=number), "without `adjoint`"),
        (like(5, 4), (x,), dict(adjoint=0), "without `operator`"),
        (like(5, 4), (x, x), dict(operator=number, adjoint=0), "one array for x"),
        ((like(5, 4), like(5, 4)), (x,), dict(operator=number, adjoint=0), "one array for y"),
        (like(5, 5), (x,), dict(operator=number, adjoint=0), "FirstDerivative: compiled from"),
        (like(4, 5), (x.T,), dict(operator=number, adjoint=0), "FirstDerivative: compiled from"),
        (like(2, 5, 4), (x,), dict(operator=number, adjoint=0), "FirstDerivative: compiled from"),
        (like(5, 4), (x[0, 0],), dict(operator=number, adjoint=0), "FirstDerivative: compiled from"),
        (like(5, 4, dtype="float32"), (x,), dict(operator=number, adjoint=0), "FirstDerivative: compiled from"),
        (like(5, 4), (x.astype("float32"),), dict(operator=number, adjoint=0), "FirstDerivative: compiled from"),
        (like(5, 4), (x.astype("int8"),), dict(operator=number, adjoint=0), "x has XLA's dtype"),
    ]:
        numbers = {name: np.int64(value) for name, value in attributes.items()}
        with pytest.raises(Exception, match=why):
            jax.block_until_ready(jax.ffi.ffi_call("arrayspan_apply", result)(*arguments, **numbers))
    text = dict(operator="one", adjoint=np.int64(0))
    with pytest.raises(Exception, match="without `operator`"):
        jax.block_until_ready(jax.ffi.ffi_call("arrayspan_apply", like(5, 4))(x, **text))


def test_threads_call_what_is_compiled_at_once():
    f = function(REAL)
    compiled = jax.jit(lambda x: f(jnp.sin(f(x))))
    xs = [random(REAL.domain, k) for k in range(1, 9)]
    expected = [f(jnp.sin(f(x))) for x in xs]
    for x in xs:
        compiled(x)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            found = pool.map(compiled, xs)
            assert all(np.allclose(one, other, rtol=1e-14) for one, other in zip(found, expected, strict=True))


def test_loops_and_conditions_of_jax():
    f = function(0.3 * REAL.H @ REAL)
    x = random(REAL.domain)
    steps = jax.jit(lambda x: jax.lax.fori_loop(0, 10, lambda _, x: x - f(x), x))
    expected = x
    for _ in range(10):
        expected = expected - f(expected)
    assert np.allclose(steps(x), expected, rtol=1e-12)
    scanned = jax.jit(lambda x: jax.lax.scan(lambda x, _: (x - f(x), None), x, None, length=10)[0])
    assert np.allclose(jax.grad(lambda x: scanned(x).sum())(x), jax.grad(lambda x: steps_by_hand(f, x))(x))
    chosen = jax.jit(lambda x: jax.lax.cond(x.sum() > 0, f, lambda x: 2 * f(x), x))
    assert np.allclose(chosen(x), f(x) * (1 if x.sum() > 0 else 2))


def steps_by_hand(f, x):
    for _ in range(10):
        x = x - f(x)
    return x.sum()


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


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_operators_by_names_of_pylops_are_called_where_arrays_are(dtype):
    import arrayspan.pylops as pylops

    matrix = rng.normal(size=(6, 4)) + (1j * rng.normal(size=(6, 4)) if dtype == "complex128" else 0)
    a = pylops.JaxOperator(pylops.MatrixMult(matrix, dtype=dtype))
    x, y = jnp.asarray(matrix[0]), jnp.asarray(matrix[:, 1])
    for way in (lambda f: f, jax.jit):
        assert np.allclose(way(lambda x: a @ x)(x), matrix @ np.asarray(x))
        assert np.allclose(way(lambda y: a.H @ y)(y), matrix.conj().T @ np.asarray(y))
        assert np.allclose(way(a.rmatvecad)(x, y), matrix.T @ np.asarray(y))
    if jax.default_backend() == "cpu":
        assert "callback" not in compiled_text(lambda x: a @ x, x)


def test_operators_of_the_users_own_by_names_of_pylops_are_called_back():
    import arrayspan.pylops as pylops

    class Own(pylops.LinearOperator):
        def __init__(self):
            super().__init__(dtype="float64", shape=(4, 4))

        def _matvec(self, x):
            return 2 * x

        _rmatvec = _matvec

    a = pylops.JaxOperator(Own())
    x = jnp.arange(4.0)
    assert np.allclose(a @ x, 2 * x) and np.allclose(jax.jit(lambda x: a @ x)(x), 2 * x)


def test_arrays_of_pylops_operators_that_have_changed_count():
    import arrayspan.pylops as pylops

    weights = np.ones(4)
    a = pylops.JaxOperator(pylops.Diagonal(weights))
    x = jnp.arange(4.0)
    assert np.allclose(a @ x, x)
    weights[:] = 3
    assert np.allclose(a @ x, 3 * x)


@pytest.mark.parametrize("transform", [jax.jit, lambda f: jax.grad(lambda x: jnp.sum(f(x))), lambda f: lambda x: jax.vmap(f)(x[None])])
def test_what_jax_traces_is_told_what_takes_it(transform):
    from arrayspan import solvers

    a, x = ops.FirstDerivative((8,), dtype="float64"), jnp.ones(8)
    uses = {
        "x": [lambda x: a @ x, a.forward, lambda x: a.matmat(x[:, None]), arrayspan.asarray],
        "y": [a.adjoint, lambda x: solvers.cgls(a, x).x],
        "start": [lambda x: solvers.cgls(a, np.ones(8), x).x],
        "out": [lambda x: a.forward(np.ones(8), out=x)],
        "weights": [lambda x: ops.Diagonal(x)],
    }
    for what, functions in uses.items():
        for f in functions:
            with pytest.raises(arrayspan.DTypeError, match=rf"{what}: a value that JAX traces.*arrayspan\.jax\.function\(operator\)"):
                transform(f)(x)
    assert np.allclose(transform(function(a))(x).shape, transform(lambda x: x)(x).shape)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@ways
def test_complex_operators_of_real_arrays_keep_the_imaginary_part(dtype, way):
    import arrayspan.pylops as pylops
    from scipy.sparse.linalg import aslinearoperator

    matrix = (rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))).astype(dtype)
    x, y = jnp.asarray(matrix[0].real), jnp.asarray(matrix[:, 1].real)
    for Op in (pylops.MatrixMult(matrix, dtype=dtype), aslinearoperator(matrix)):
        a = pylops.JaxOperator(Op)
        for f, exact, argument in ((a.matvec, matrix, x), (a.rmatvec, matrix.conj().T, y)):
            found = way(f)(argument)
            assert found.dtype == dtype and np.allclose(found, exact @ np.asarray(argument), rtol=1e-5)
        # The gradient of what is real is real.
        loss = lambda x: jnp.sum(jnp.abs(a.matvec(x) - 2j) ** 2)  # noqa: B023, E731
        expected = jax.grad(lambda x: jnp.sum(jnp.abs(jnp.asarray(matrix) @ x - 2j) ** 2))(x)
        found = way(jax.grad(loss))(x)
        assert found.dtype == x.dtype and np.allclose(found, expected, rtol=1e-4)


def test_spectra_of_real_arrays_are_complex():
    import arrayspan.pylops as pylops

    spectrum = pylops.signalprocessing.FFT(6, real=True, dtype="float64")
    a, x = pylops.JaxOperator(spectrum), jnp.arange(6.0)
    y = a.matvec(x)
    assert y.dtype == "complex128" and np.allclose(y, spectrum.matvec(np.arange(6.0)))
    assert a.rmatvec(y).dtype == "float64" and np.allclose(a.rmatvec(y), x)
    assert np.allclose(jax.grad(lambda x: (jnp.abs(a.matvec(x)) ** 2).sum())(x), 2 * x)


def test_an_operator_that_makes_what_it_does_not_say_is_refused():
    import arrayspan.pylops as pylops

    class Lies(pylops.LinearOperator):
        def __init__(self):
            super().__init__(dtype="float64", shape=(2, 2))

        def _matvec(self, x):
            return 1j * x

    with pytest.raises(Exception, match="made complex128 of float64"):
        pylops.JaxOperator(Lies()).matvec(jnp.ones(2)).block_until_ready()
    with pytest.raises(TypeError, match=r"arrayspan\.jax\.function"):
        pylops.JaxOperator(REAL)
