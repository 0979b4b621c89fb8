"""Solvers give the solutions that dense algebra gives."""

import os
import signal
import threading
import time

import arrayspan
import numpy as np
import pytest
from arrayspan import Space, solvers
from arrayspan.operators import Diagonal, FirstDerivative, Gradient, Identity, MatrixMult, from_functions

rng = np.random.default_rng(3)
n = 12
T = rng.normal(size=(20, n))
S = T.T @ T + np.eye(n)
model = rng.normal(size=n)

LEAST_SQUARES = ["cgls", "lsqr", "lsmr", "single_reduction_cgls"]
SQUARE = ["cg", "minres", "gmres", "bicgstab", "single_reduction_cg"]


@pytest.mark.parametrize("name", LEAST_SQUARES)
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_least_squares_are_solved(name, damping):
    y = rng.normal(size=20)
    solution = getattr(solvers, name)(MatrixMult(T), y, damping=damping, residual=0, gradient=1e-12)
    expected = np.linalg.solve(T.T @ T + damping**2 * np.eye(n), T.T @ y)
    np.testing.assert_allclose(solution.x, expected, rtol=1e-8)
    assert type(solution.x) is np.ndarray and len(solution.residuals) == solution.iterations + 1
    assert solution.stopped in ("gradient", "precision")
    assert np.isclose(solution.residuals[0], np.linalg.norm(y)) and "Solution(" in repr(solution)


@pytest.mark.parametrize("name", SQUARE)
def test_square_systems_are_solved(name):
    solution = getattr(solvers, name)(MatrixMult(S), S @ model, residual=1e-12, gradient=0)
    np.testing.assert_allclose(solution.x, model, rtol=1e-7)
    assert solution.stopped == "residual"


@pytest.mark.parametrize("name", LEAST_SQUARES + SQUARE + ["ista", "fista"])
def test_calls_in_one_workspace_are_those_without(name):
    solver = getattr(solvers, name)
    square = name in SQUARE
    a = MatrixMult(S if square else T)
    options = {"weight": 0.1} if name in ("ista", "fista") else {}
    workspace = solvers.Workspace()
    for k in range(6):
        y = (S if square else T) @ (model + k)
        start = np.full(n, 0.5) if k % 2 else None
        limits = dict(iterations=20 + k, check_every=20, **options)
        kept = solver(a, y, start, workspace=workspace, **limits)
        alone = solver(a, y, start, **limits)
        assert np.array_equal(kept.x, alone.x) and kept.residuals == alone.residuals
    workspace.clear()


def test_a_workspace_that_does_not_fit_is_made_anew():
    workspace = solvers.Workspace()
    single = MatrixMult(T.astype("float32"))
    calls = [
        (solvers.cgls, MatrixMult(T), T @ model, {}),
        (solvers.cgls, MatrixMult(T[:, :5]), T @ model, {}),
        (solvers.cgls, single, (T @ model).astype("float32"), {"check_every": 3}),
        (solvers.lsqr, single, (T @ model).astype("float32"), {}),
        (solvers.gmres, MatrixMult(S), S @ model, {"restart": 3}),
        (solvers.gmres, MatrixMult(S), S @ model, {"restart": 7}),
        (solvers.cg, MatrixMult(S), S @ model, {}),
        (solvers.cg, MatrixMult(S), S @ model, {"preconditioner": Diagonal(1 / np.diag(S))}),
        (solvers.cg, MatrixMult(S), S @ model, {}),
    ]
    for solver, a, y, options in calls:
        found = solver(a, y, workspace=workspace, iterations=9, **options)
        assert np.array_equal(found.x, solver(a, y, iterations=9, **options).x)


def test_a_workspace_of_other_sizes_is_made_anew_though_it_takes_as_many_bytes():
    workspace = solvers.Workspace()
    a = MatrixMult(np.diag(np.arange(1.0, 12)) + np.eye(11, k=1))
    solvers.gmres(a, np.ones(11), restart=2, check_every=15, workspace=workspace)
    found = solvers.gmres(a, np.ones(11), restart=3, workspace=workspace)
    alone = solvers.gmres(a, np.ones(11), restart=3)
    assert found.residuals == alone.residuals and np.array_equal(found.x, alone.x)
    square = MatrixMult(S)
    inverse = Diagonal(1 / np.diag(S))
    workspace = solvers.Workspace()
    solvers.single_reduction_cg(square, S @ model, check_every=2, preconditioner=inverse, workspace=workspace)
    looks = []
    for given in (workspace, None):
        seen = []
        solvers.single_reduction_cg(
            square, S @ model, check_every=3, residual=0, workspace=given, callback=lambda p, seen=seen: seen.append(p.iteration)
        )
        looks.append(seen)
    assert looks[0] == looks[1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_an_operator_raises_in_a_workspace_is_raised_and_nothing_runs_again(error):
    calls, looks = [], []

    def forward(x):
        calls.append(None)
        if len(calls) == 15:
            raise error("mine")
        return S @ x

    space = MatrixMult(S).domain
    a = from_functions(space, space, forward, lambda x: S.T @ x)
    options = dict(iterations=8, residual=0, gradient=0, workspace=solvers.Workspace())
    solvers.cgls(a, S @ model, **options)
    with pytest.raises(error, match="mine"):
        solvers.cgls(a, S @ model, check_every=2, callback=lambda p: looks.append(p.iteration), **options)
    assert len(calls) == 15 and looks == sorted(set(looks))
    solvers.cgls(a, S @ model, **options)


def test_a_workspace_is_for_one_call_at_a_time():
    workspace = solvers.Workspace()
    a = MatrixMult(T)

    def inner(_):
        with pytest.raises(ValueError, match="another call is using it"):
            solvers.cgls(a, T @ model, workspace=workspace)
        with pytest.raises(ValueError, match="another call is using it"):
            workspace.clear()

    solvers.cgls(a, T @ model, callback=inner, workspace=workspace)

    def broken(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        solvers.cgls(a, T @ model, callback=broken, workspace=workspace)
    with pytest.raises(ValueError):
        solvers.cgls(a, np.ones(3), workspace=workspace)
    solvers.cgls(a, T @ model, workspace=workspace)
    with pytest.raises(TypeError):
        solvers.cgls(a, T @ model, workspace=3)


def test_a_preconditioner_is_used():
    steep = np.diag(10.0 ** np.arange(n)) + 1e-3 * S
    inverse = Diagonal(1 / np.diag(steep))
    solution = solvers.cg(MatrixMult(steep), steep @ model, preconditioner=inverse, residual=1e-12, gradient=0)
    np.testing.assert_allclose(solution.x, model, rtol=1e-6)


def test_a_run_begins_where_it_is_told_and_leaves_the_start_as_it_was():
    start = model.copy()
    solution = solvers.cgls(MatrixMult(T), T @ model, start)
    assert solution.iterations == 0 and np.array_equal(start, model)
    start[:] = 0
    assert np.array_equal(solution.x, model)


def test_the_solution_is_of_the_kind_of_the_data():
    a = MatrixMult(S)
    assert isinstance(solvers.cg(a, arrayspan.asarray(S @ model)).x, arrayspan.Array)
    jax = pytest.importorskip("jax")
    single = MatrixMult(S.astype("float32"))
    # Where the operator is.
    with jax.default_device(jax.devices("cpu")[0]):
        assert isinstance(solvers.cg(single, jax.numpy.asarray(S @ model, "float32")).x, jax.Array)


def test_a_callback_sees_progress_and_may_end_the_run():
    seen = []

    def callback(progress):
        seen.append((progress.iteration, progress.residual, progress.solution(), progress))
        return progress.iteration == 4

    solution = solvers.cgls(MatrixMult(T), T @ model, callback=callback, check_every=2)
    assert [s[0] for s in seen] == [0, 2, 4] and solution.stopped == "callback"
    assert np.array_equal(seen[-1][2], solution.x) and not np.array_equal(seen[1][2], solution.x)
    assert seen[-1][1] == solution.residuals[4] == seen[-1][3].residuals[-1]
    assert seen[0][3].solver == "Cgls" and seen[0][3].most == 100
    with pytest.raises(arrayspan.Error, match="while the callback runs"):
        seen[0][3].solution()


def test_what_a_callback_or_a_function_raises_is_raised():
    error = KeyError("mine")

    def fail(_):
        raise error

    with pytest.raises(KeyError) as raised:
        solvers.lsqr(MatrixMult(T), T @ model, callback=fail)
    assert raised.value is error
    broken = from_functions(Space(n, "float64"), Space(n, "float64"), fail, fail)
    with pytest.raises(KeyError) as raised:
        solvers.cg(broken, model)
    assert raised.value is error


def test_functions_of_python_are_solved_for():
    a = from_functions(Space(n, "float64"), Space(20, "float64"), lambda x: T @ x, lambda y: T.T @ y)
    np.testing.assert_allclose(solvers.cgls(a, T @ model, residual=1e-12).x, model, rtol=1e-8)


def test_control_c_ends_a_long_run_within_a_second():
    a = from_functions(Space(n, "float64"), Space(n, "float64"), lambda x: (time.sleep(0.001), S @ x)[1], self_adjoint=True)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solvers.cgls(a, model, iterations=10**9, residual=0, gradient=0, check_every=10)
        # Rounding ends a run: one more, until the signal comes.
        while time.monotonic() - begin < 5:
            solvers.cgls(a, model, iterations=10**6, residual=0, gradient=0)
    assert time.monotonic() - begin < 1.5


def test_control_c_ends_a_run_of_the_library_within_a_second():
    slope = FirstDerivative((2200, 2200), dtype="float32")
    y = np.ones((2200, 2200), "float32")
    y[::3] = 2
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - begin < 10:
            solvers.cgls(slope, y, iterations=10**6, residual=0, gradient=0)
    assert time.monotonic() - begin < 2


LONG = {
    "irls": lambda a, y: solvers.irls(a, y, iterations=10**5),
    "omp": lambda a, y: solvers.omp(a, y, iterations=300),
    "spgl1": lambda a, y: solvers.spgl1(a, y, misfit=1e-3, iterations=10**6),
    "split_bregman": lambda a, y: solvers.split_bregman(a, y, [(Identity(800, dtype="float64"), 0.1, False)], iterations=10**5),
    "eigs": lambda a, y: solvers.eigs(a.H @ a, 40, tolerance=1e-15),
    "svds": lambda a, y: solvers.svds(a, 40, tolerance=1e-15),
    "lobpcg": lambda a, y: solvers.lobpcg(a.H @ a + Identity(800, dtype="float64"), 40, tolerance=1e-15),
    "randomized_svd": lambda a, y: solvers.randomized_svd(a, 300, powers=20),
    "power_iteration": lambda a, y: solvers.power_iteration(a.H @ a, iterations=10**6, tolerance=0),
    "norm_estimate": lambda a, y: solvers.norm_estimate(a, iterations=10**6, tolerance=1e-15),
    "cond": lambda a, y: solvers.cond(a),
    "log_det": lambda a, y: solvers.log_det(a.H @ a + Identity(800, dtype="float64"), probes=1000),
}


@pytest.mark.parametrize("name", LONG)
def test_control_c_ends_loops_around_solvers_and_spectra_within_a_second(name):
    matrix = np.random.default_rng(1).standard_normal((400, 800))
    a, y = MatrixMult(matrix), np.ones(400)
    at = []
    timer = threading.Timer(0.3, lambda: (at.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            while not at or time.monotonic() - at[0] < 20:
                LONG[name](a, y)
    finally:
        timer.cancel()
    assert time.monotonic() - at[0] < 1


def test_callbacks_end_runs_by_the_truth_values_of_numpy_too():
    a, y = MatrixMult(S.T @ S), S @ model
    for ends in (True, np.True_, np.bool_(True)):
        assert solvers.cgls(a, y, callback=lambda _: ends).stopped == "callback"
    for goes_on in (None, False, np.False_, 1, "yes", np.ones(2)):
        assert solvers.cgls(a, y, iterations=2, callback=lambda _: goes_on).stopped != "callback"


def test_other_threads_run_meanwhile():
    slope = FirstDerivative((1500, 1500), dtype="float32")
    y = np.arange(1500 * 1500, dtype="float32").reshape(1500, 1500) % 17
    count = 0
    done = threading.Event()

    def solve():
        solvers.cgls(slope, y, iterations=20)
        done.set()

    thread = threading.Thread(target=solve)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.0005)
    thread.join()
    assert count > 10


def test_sparse_models_are_found():
    a = MatrixMult(np.random.default_rng(4).normal(size=(40, 60)))
    sparse = np.zeros(60)
    sparse[[3, 17, 42]] = [2.0, -1.5, 3.0]
    y = a @ sparse
    for solution in [
        solvers.omp(a, y, iterations=6),
        solvers.spgl1(a, y),
        solvers.fista(a, y, weight=1e-3, iterations=4000, residual=0, gradient=0, restart=True),
    ]:
        np.testing.assert_allclose(solution.x, sparse, atol=1e-3)
    assert solvers.ista(a, y, iterations=50, threshold="hard", keep=5.0).iterations <= 50
    assert solvers.spgl1(a, y, norm=1.0).residuals[-1] > 0
    with pytest.raises(arrayspan.ParameterError):
        solvers.spgl1(a, y, norm=1.0, misfit=1.0)


def test_outliers_and_edges_are_borne():
    y = T @ model
    y[4] += 100
    robust = solvers.irls(MatrixMult(T), y, iterations=50, epsilon=1e-6)
    np.testing.assert_allclose(robust.x, model, rtol=1e-3)
    blocks = np.repeat([0.0, 1.0, -1.0], 20).reshape(1, 60)
    noisy = blocks + 0.05 * rng.normal(size=blocks.shape)
    gradient = FirstDerivative((1, 60), axis=1, scheme="forward", dtype="float64")
    smooth = solvers.split_bregman(Identity((1, 60), dtype="float64"), noisy, [(gradient, 0.5, False)], mu=2.0)
    assert np.abs(smooth.x - blocks).mean() < np.abs(noisy - blocks).mean()
    Gradient((1, 60))


def test_spectra_are_those_of_matrices():
    a = MatrixMult(S)
    values, vectors = np.linalg.eigh(S)
    found = solvers.eigs(a, 3)
    np.testing.assert_allclose(sorted(found.values), values[-3:], rtol=1e-8)
    assert found.vectors.size == 3 * n and found.stopped
    np.testing.assert_allclose(sorted(solvers.lobpcg(a, 2).values), values[:2], rtol=1e-6)
    singular = np.linalg.svd(T)[1]
    np.testing.assert_allclose(solvers.svds(MatrixMult(T), 2).values, singular[:2], rtol=1e-8)
    np.testing.assert_allclose(solvers.randomized_svd(MatrixMult(T), 2, powers=8).values, singular[:2], rtol=1e-3)
    np.testing.assert_allclose(solvers.cond(MatrixMult(T)).value, singular[0] / singular[-1], rtol=1e-6)
    norm = solvers.norm_estimate(MatrixMult(T))
    assert norm.lower <= singular[0] * (1 + 1e-9) and norm.upper >= singular[0]
    np.testing.assert_allclose(solvers.power_iteration(a).value, values[-1], rtol=1e-4)
    np.testing.assert_allclose(solvers.log_det(a).value, np.linalg.slogdet(S)[1], rtol=1e-6)


def test_what_makes_no_sense_is_refused():
    a = MatrixMult(T)
    with pytest.raises(arrayspan.ShapeError, match="data"):
        solvers.cgls(a, np.ones(n))
    with pytest.raises(arrayspan.DTypeError):
        solvers.cgls(a, np.ones(20, "float32"))
    with pytest.raises(arrayspan.ShapeError, match="start"):
        solvers.cgls(a, np.ones(20), np.ones(3))
    with pytest.raises(arrayspan.ParameterError):
        solvers.cgls(a, np.ones(20), residual=-1.0)
    with pytest.raises(arrayspan.ParameterError):
        solvers.cgls(a, np.ones(20), check_every=0)
    with pytest.raises(arrayspan.ParameterError, match="seconds"):
        solvers.cgls(a, np.ones(20), time=float("nan"))
    with pytest.raises(TypeError, match="'niter'"):
        solvers.cgls(a, np.ones(20), niter=3)
    with pytest.raises(arrayspan.DTypeError):
        solvers.cgls(a, [1.0] * 20)
    with pytest.raises(TypeError):
        solvers.cgls(T, np.ones(20))
    with pytest.raises(arrayspan.ParameterError, match="threshold 'sharp'"):
        solvers.ista(a, np.ones(20), threshold="sharp")
    stopped = solvers.cgls(a, np.full(20, np.nan))
    assert stopped.stopped == "not finite"
    assert solvers.cgls(a, np.ones(20), time=0.0).stopped in ("time", "residual", "gradient")
    assert solvers.cgls(a, np.zeros(20)).iterations == 0


def test_a_solution_says_how_its_iterations_were_launched():
    a = MatrixMult(T)
    limits = dict(residual=0, gradient=0)
    found = solvers.cgls(a, T @ model, iterations=3, **limits)
    assert found.launched == "one by one: they were too few, in all or between two checks"
    found = solvers.gmres(MatrixMult(S), S @ model, iterations=30)
    assert found.launched == "one by one: the method makes each iteration another one"


@pytest.mark.parametrize(
    "options",
    [{"iterations": -1}, {"check_every": 2**70}, {"residual": "small"}, {"time": []}, {"stagnation": 3}, {"workspace": 3}],
)
def test_what_is_no_limit_is_refused_by_its_name(options):
    (name,) = options
    with pytest.raises((TypeError, ValueError), match=name):
        solvers.cgls(MatrixMult(T), T @ model, **options)
