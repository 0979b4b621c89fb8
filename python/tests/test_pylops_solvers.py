"""`arrayspan.pylops`: solvers in steps and at once, beside what PyLops's own tests ask."""

import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import arrayspan.pylops as pylops
from arrayspan.pylops.optimization.callback import Callbacks, MetricsCallback
from arrayspan.pylops.optimization.cls_basic import CG, CGLS, LSQR
from arrayspan.pylops.optimization.cls_sparsity import FISTA, ISTA

rng = np.random.default_rng(0)
G = rng.normal(size=(12, 6))
A = pylops.MatrixMult(G)
P = pylops.MatrixMult(G.T @ G)
X = np.arange(1.0, 7)


class Own(pylops.LinearOperator):
    """A matrix that the engine knows nothing of."""

    def __init__(self, matrix):
        self.matrix = matrix
        super().__init__(dtype=matrix.dtype, shape=matrix.shape)

    def _matvec(self, x):
        return self.matrix @ x

    def _rmatvec(self, y):
        return self.matrix.conj().T @ y


def conjugate_gradients(matrix, y, damp, steps):
    """CGLS, plainly: residuals and the last model."""
    x = np.zeros(matrix.shape[1])
    s, residuals = y.copy(), [np.linalg.norm(y)]
    c = r = matrix.T @ s
    k = r @ r
    for _ in range(steps):
        q = matrix @ c
        a = k / (q @ q + damp**2 * c @ c)
        x, s = x + a * c, s - a * q
        r = matrix.T @ s - damp**2 * x
        k, before = r @ r, k
        c = r + k / before * c
        residuals.append(np.linalg.norm(s))
    return x, residuals


@pytest.mark.parametrize("damp", [0, 0.7])
@pytest.mark.parametrize("op", [A, Own(G)])
def test_cgls_takes_the_steps_of_conjugate_gradients(op, damp):
    y = rng.normal(size=12)
    x, residuals = conjugate_gradients(G, y, damp, 4)
    solved, istop, iterations, r1norm, r2norm, cost = pylops.cgls(op, y, niter=4, damp=damp, tol=0)
    np.testing.assert_allclose(solved, x, rtol=1e-10)
    np.testing.assert_allclose(cost, residuals, rtol=1e-10)
    assert (istop, iterations) == (2, 4) and r1norm == cost[-1]
    assert np.isclose(r2norm**2, r1norm**2 + damp**2 * x @ x)


@pytest.mark.parametrize("solver, op, y", [(CG, P, G.T @ G @ X), (CGLS, A, G @ X), (LSQR, A, G @ X)])
def test_steps_are_those_of_a_run(solver, op, y):
    led, whole = solver(op), solver(op)
    x = led.setup(y, niter=4)
    models = []
    for _ in range(4):
        x = led.step(x)
        models.append(x.copy())
    assert led.iiter == 4 and len(led.cost) == 5
    seen = []
    whole.callback = lambda x: seen.append(x.copy())
    x = whole.setup(y, niter=4)
    x = whole.run(x)
    np.testing.assert_allclose(seen, models, rtol=1e-9)
    np.testing.assert_allclose(whole.cost, led.cost, rtol=1e-9)
    # A run goes on where steps have ended.
    x = led.run(models[-1], niter=6)
    assert led.iiter == 6 and np.allclose(x, X, atol=1e-6)


@pytest.mark.parametrize("solver", [ISTA, FISTA])
def test_thresholds_in_steps(solver):
    y = G @ np.array([0, 0, 1.0, 0, -2, 0])
    led = solver(A)
    x = z = led.setup(y, niter=5, eps=0.1)
    for _ in range(5):
        x, *z, update = led.step(x) if solver is ISTA else led.step(x, z)
        z = z[0] if z else x
    whole, iterations, cost = {ISTA: pylops.ista, FISTA: pylops.fista}[solver](A, y, niter=5, eps=0.1, tol=0)
    np.testing.assert_allclose(x, whole, rtol=1e-12)
    np.testing.assert_allclose(led.cost, cost, rtol=1e-12)
    assert cost[-1] == pytest.approx(np.linalg.norm(y - G @ x) ** 2 / 2 + 0.1 * np.abs(x).sum())


def test_callbacks_are_called_in_order_and_see_the_new_model():
    class Notes(Callbacks):
        def __init__(self, name, notes):
            self.name, self.notes = name, notes

        def on_setup_begin(self, solver, x0):
            self.notes.append((self.name, "setup"))

        def on_step_begin(self, solver, x):
            self.notes.append((self.name, "begin", solver.iiter))

        def on_step_end(self, solver, x):
            self.notes.append((self.name, "end", solver.iiter))

        def on_run_end(self, solver, x):
            self.notes.append((self.name, "ran", x.shape))

    notes, metrics = [], MetricsCallback(X, which=("mse",))
    solver = CGLS(A, callbacks=[Notes("a", notes), Notes("b", notes), metrics])
    x = solver.solve(G @ X, niter=2, tol=0)[0]
    step = [[("a", "begin", i), ("b", "begin", i), ("b", "end", i + 1), ("a", "end", i + 1)] for i in (0, 1)]
    assert notes == [("a", "setup"), ("b", "setup"), *step[0], *step[1], ("b", "ran", (6,)), ("a", "ran", (6,))]
    assert metrics.metrics["mse"][-1] == np.mean(np.abs(x - X) ** 2)


def test_a_callback_ends_a_run():
    class Enough(Callbacks):
        stop = False

        def on_step_end(self, solver, x):
            self.stop = solver.iiter == 3

    for solver, op, y in ((CG, P, G.T @ G @ X), (CGLS, A, G @ X), (LSQR, A, G @ X)):
        assert solver(op, callbacks=[Enough()]).solve(y, niter=9)[1 if solver is CG else 2] == 3


@pytest.mark.parametrize("lead", [False, True])
def test_what_an_operator_or_a_callback_raises_arrives(lead):
    class Mine(Exception):
        pass

    def fail(x):
        raise Mine("here")

    op = pylops.FunctionOperator(fail, fail, 6)
    with pytest.raises(Mine, match="here"):
        if lead:
            solver = CGLS(op)
            solver.step(solver.setup(np.ones(6)))
        else:
            pylops.cgls(op, np.ones(6))
    with pytest.raises(Mine, match="here"):
        pylops.cgls(A, G @ X, callback=fail)
    with pytest.raises(Mine, match="here"):
        pylops.ista(A, G @ X, callback=fail)


def test_runs_that_nobody_ends_leave_no_thread():
    before = threading.active_count()
    for _ in range(20):
        solver = CGLS(A)
        solver.step(solver.setup(G @ X))
    del solver
    gc.collect()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_a_program_ends_while_runs_are_led():
    program = """
import numpy as np
import arrayspan.pylops as pylops
from arrayspan.pylops.optimization.cls_basic import CGLS
op = pylops.MatrixMult(np.eye(3) + 1)
solvers = [CGLS(op) for _ in range(3)]
models = [solver.setup(np.arange(3.0), x0=np.zeros(3)) for solver in solvers]
solvers[0].step(models[0])
del solvers[2]
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("dtype, scale", [("float32", 1e20), ("float32", 1e-20), ("complex64", 1e19), ("float64", 1e150)])
def test_data_of_any_size(dtype, scale):
    y = (scale * (G @ X)).astype(dtype)
    a = pylops.MatrixMult(G.astype(dtype), dtype=dtype)
    for x in (pylops.cgls(a, y, tol=0)[0], a.H.H.conj() / y, pylops.lsqr(a, y)[0]):
        np.testing.assert_allclose(x / scale, X, rtol=2e-4)



def test_iterations_too_many_change_nothing():
    y = (G @ X).astype("float32")
    a = pylops.MatrixMult(G.astype("float32"), dtype="float32")
    for solve in (pylops.cgls, pylops.lsqr):
        options = dict(tol=0) if solve is pylops.cgls else dict(atol=0, btol=0, conlim=0)
        x = solve(a, y, niter=10_000, **options)[0]
        assert np.isfinite(x).all() and np.allclose(x, X, rtol=1e-4)


def test_data_zero_and_data_that_are_no_numbers():
    for solve in (pylops.cgls, pylops.lsqr, pylops.cg):
        assert not np.any(solve(P, np.zeros(6))[0])
    x, *_ = pylops.cgls(A, np.full(12, np.nan), niter=5)
    assert x.shape == (6,)


def test_shapes_of_models_are_those_of_pylops():
    d = pylops.FirstDerivative((4, 5), edge=True) + pylops.Identity((4, 5))
    y = d @ np.ones((4, 5))
    assert pylops.cgls(d, y, niter=3)[0].shape == (4, 5)
    assert pylops.cgls(d, y, x0=np.zeros(20), niter=3)[0].shape == (20,)
    assert pylops.lsqr(d, y.ravel(), x0=np.zeros((4, 5)), niter=3)[0].shape == (4, 5)
    assert (d / y.ravel()).shape == (20,)


@pytest.mark.parametrize("engine, options", [("scipy", dict(iter_lim=50)), ("pylops", dict(niter=50, tol=0))])
def test_regularised_problems_have_the_solution_of_their_matrices(engine, options):
    d = pylops.FirstDerivative(6, edge=True)
    weights = rng.uniform(0.5, 2, size=12)
    y, target = rng.normal(size=12), rng.normal(size=6)
    rows = np.vstack([weights[:, None] * G, 0.3 * d.todense()])
    expected = np.linalg.lstsq(rows, np.concatenate([weights * y, 0.3 * target]), rcond=None)[0]
    common = dict(dataregs=[target], epsRs=[0.3], engine=engine)
    w = pylops.Diagonal(weights)
    x = pylops.regularized_inversion(A, y, [d], Weight=w, **common, **options)[0]
    np.testing.assert_allclose(x, expected, rtol=1e-4)
    options = dict(maxiter=50) if engine == "scipy" else options
    x = pylops.normal_equations_inversion(A, y, [d], Weight=w @ w, **common, **options)[0]
    np.testing.assert_allclose(x, expected, rtol=1e-3)


def test_lsqr_with_damping_and_a_start_damps_the_step():
    from scipy.sparse.linalg import lsqr

    y, x0 = rng.normal(size=12), rng.normal(size=6)
    expected = lsqr(G, y, x0=x0, damp=0.7, iter_lim=50, atol=1e-12, btol=1e-12)
    for result in (
        pylops.lsqr(A, y, x0=x0, damp=0.7, niter=50),
        pylops.regularized_inversion(A, y, None, x0=x0, damp=0.7, iter_lim=50, atol=1e-10),
    ):
        np.testing.assert_allclose(result[0], expected[0], rtol=1e-6)


def test_solvers_of_scipy_take_our_operators():
    from scipy.sparse.linalg import aslinearoperator, cg, lsmr

    np.testing.assert_allclose(lsmr(A, G @ X, atol=1e-12, btol=1e-12)[0], X)
    np.testing.assert_allclose(cg(P, G.T @ G @ X, rtol=1e-12)[0], X)
    product = A @ aslinearoperator(np.eye(6))
    assert isinstance(product, pylops.LinearOperator) and np.allclose(product @ X, G @ X)


def test_nothing_regularised_and_one_iteration_of_splitbregman_without_tolerance():
    d = pylops.FirstDerivative(6)
    x, iterations, cost = pylops.splitbregman(
        pylops.Identity(6), X, [d], niter_outer=2, epsRL1s=[0.1], tol=0, iter_lim=20
    )
    assert iterations == 2 and cost.shape == (2,) and np.isfinite(x).all()


@pytest.mark.parametrize("most", [0, -1])
def test_no_iteration_leaves_the_model_as_it_was(most):
    start = np.arange(A.shape[1]).astype(A.dtype)
    for solve in (pylops.cgls, pylops.lsqr):
        np.testing.assert_array_equal(solve(A, G @ X, x0=start.copy(), niter=most)[0], start)
    x, *_ = pylops.regularized_inversion(A, G @ X, None, x0=start, iter_lim=max(most, 0))
    np.testing.assert_array_equal(x, start)


@pytest.mark.parametrize("name", ["cg", "cgls", "lsqr", "ista", "fista"])
def test_runs_in_memory_that_stays_are_those_in_memory_of_their_own(name):
    solver = getattr(pylops, name)
    square = name == "cg"
    Op = P if square else A
    options = {"alpha": 1e-3} if name.endswith("ista") else {}
    for k in range(4):
        y = (G.T @ G if square else G) @ (X + k)
        x0 = np.ones(6) if k % 2 else None
        kept = solver(Op, y, x0=x0, niter=4 + k, preallocate=True, **options)
        own = solver(Op, y, x0=x0, niter=4 + k, **options)
        assert np.array_equal(kept[0], own[0])


def test_memory_that_stays_goes_with_the_operator_and_is_nobody_elses():
    from arrayspan.pylops.optimization._kept import _KEPT

    Op = pylops.MatrixMult(G)
    x = pylops.cgls(Op, G @ X, niter=5, preallocate=True)[0]
    assert list(_KEPT[Op]) == ["cgls"]
    # A run within a run has its own.
    inner = []

    def look(_):
        inner.append(pylops.cgls(Op, G @ X, niter=5, preallocate=True)[0])

    pylops.cgls(Op, G @ X, niter=5, preallocate=True, callback=look)
    assert inner and all(np.array_equal(each, x) for each in inner)

    def broken(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pylops.cgls(Op, G @ X, niter=5, preallocate=True, callback=broken)
    assert np.array_equal(pylops.cgls(Op, G @ X, niter=5, preallocate=True)[0], x)
    count = len(_KEPT)
    del Op
    gc.collect()
    assert len(_KEPT) == count - 1


def test_operators_that_nothing_can_be_kept_with_are_solved_all_the_same():
    class Equal(Own):
        def __eq__(self, other):
            return self is other

        __hash__ = None

    x = pylops.cgls(Equal(G), G @ X, niter=6, preallocate=True)[0]
    assert np.array_equal(x, pylops.cgls(Equal(G), G @ X, niter=6)[0])
