"""Arguments that are integers, operators or keywords: what is said of those that are not."""

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops
from arrayspan import solvers, tools

A = ops.FirstDerivative((8,), dtype="float64")
S = A.H @ A
Y = np.ones(8)

#: Calls with one argument that is an integer, by what it is called, and whether it may be below zero.
INTEGERS = {
    "offset": (lambda n: ops.Convolve1D((8,), [1.0, 2.0, 3.0, 4.0], n, dtype="float64"), False),
    "axis": (lambda n: ops.Roll((2, 2, 2, 2), 1, n), True),
    "shift": (lambda n: ops.Roll((8, 2), n), True),
    "pad": (lambda n: ops.Pad((8,), [(n, 1)]), False),
    "windows": (lambda n: ops.Smoothing((8,), [(0, n)]), False),
    "points": (lambda n: ops.FFT((8,), points=n, dtype="complex64"), False),
    "entries": (lambda n: ops.MemoizeOperator(A, n), False),
    "order": (lambda n: ops.Regression(Y, n), False),
    "columns": (lambda n: A.columns([n]), False),
    "leading": (lambda n: A.lifted(leading=n), False),
    "seed": (lambda n: A.trace("hutchinson", evaluations=3, seed=n), False),
    "count": (lambda n: solvers.eigs(S, n, basis=6), False),
    "half": (lambda n: tools.ricker(n, 0.004, 20.0), False),
    "check_every": (lambda n: solvers.power_iteration(S, check_every=n), False),
    "iterations": (lambda n: solvers.omp(A, Y, iterations=n), False),
    "restart": (lambda n: solvers.gmres(S, Y, restart=n), False),
    "gpu_id": (lambda n: arrayspan.convert(Y, "numpy", n), False),
    "attempts": (lambda n: arrayspan.memory.with_retry(lambda: 0, attempts=n), False),
}
every = pytest.mark.parametrize("name", INTEGERS)


def told(raised):
    return " ".join([str(raised.value), *getattr(raised.value, "__notes__", [])])


@every
def test_truth_values_and_fractions_are_no_integers(name):
    call, _ = INTEGERS[name]
    for wrong, kind in ((True, "bool"), (1.0, "float"), ("1", "str")):
        with pytest.raises(TypeError, match=f"expected an integer, not {kind}") as raised:
            call(wrong)
        assert f"'{name}'" in told(raised)


@every
def test_numbers_below_zero_or_too_large_are_parameters_that_make_no_sense(name):
    call, signed = INTEGERS[name]
    for wrong in [2**70] if signed else [-1, 2**70]:
        with pytest.raises(arrayspan.ParameterError, match=f"{wrong} is below zero, or too large") as raised:
            call(wrong)
        assert f"'{name}'" in told(raised)


@every
def test_what_has_an_index_is_an_integer(name):
    class Three:
        def __index__(self):
            return 3

    call, _ = INTEGERS[name]
    if name != "gpu_id":
        for three in (3, np.int64(3), np.array(3), Three()):
            call(three)


def test_what_an_index_raises_is_raised():
    class Broken:
        def __index__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ops.Roll((8,), Broken())


def test_one_for_each_axis():
    with pytest.raises(TypeError, match="expected an integer, not bool"):
        ops.FFT2D((4, 4), points=[2, True])
    with pytest.raises(arrayspan.ParameterError, match="-2 is below zero"):
        ops.Convolve2D((4, 4), np.ones((2, 2)), offset=[0, -2])
    assert ops.FFT2D((4, 4), points=[None, 2], dtype="complex64").range.shape == (4, 2)
    assert ops.FFT2D((4, 4), fftshift_after=[True, False], dtype="complex64").range.shape == (4, 4)


def test_powers():
    assert (S ** np.int64(2)).range == S.range
    for wrong, error in ((-1, arrayspan.ParameterError), (True, TypeError), (1.5, TypeError)):
        with pytest.raises(error, match="exponent"):
            S**wrong


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"iterations": True}, TypeError),
        ({"check_every": False}, TypeError),
        ({"stagnation": (True, 0.1)}, TypeError),
        ({"iterations": -1}, arrayspan.ParameterError),
        ({"stagnation": (-3, 0.1)}, arrayspan.ParameterError),
        ({"check_every": 2.0}, TypeError),
    ],
)
def test_limits_of_solvers_are_refused_by_their_names(options, error):
    (name,) = options
    with pytest.raises(error, match=name):
        solvers.cgls(A, Y, **options)


def others():
    from arrayspan import pylops
    from scipy.sparse.linalg import aslinearoperator

    return [pylops.FirstDerivative(8), aslinearoperator(np.eye(8))]


@pytest.mark.parametrize("solver", ["cgls", "minres", "fista", "irls", "omp", "eigs"])
def test_operators_under_other_names_are_told_what_takes_them(solver):
    solve = getattr(solvers, solver)
    data = () if solver == "eigs" else (Y,)
    for other in others():
        with pytest.raises(TypeError, match=r"expected an arrayspan\.Operator.*arrayspan\.pylops, or by A / y") as raised:
            solve(other, *data)
        assert "'a'" in told(raised)
    with pytest.raises(TypeError, match=r"expected an arrayspan\.Operator, as arrayspan\.operators makes them, not ndarray(\n|$)"):
        solve(np.eye(8), *data)


def test_preconditioners_and_bases_are_operators():
    for options in (dict(preconditioner=others()[0]), dict(preconditioner=3)):
        with pytest.raises(TypeError, match=r"expected an arrayspan\.Operator"):
            solvers.cg(S, Y, **options)
    with pytest.raises(TypeError, match=r"expected an arrayspan\.Operator"):
        solvers.fista(A, Y, basis=others()[0])
    assert solvers.cg(ops.Identity(8, dtype="float64"), Y, preconditioner=None).x.tolist() == Y.tolist()


def test_functions_of_jax_say_what_takes_other_operators():
    pytest.importorskip("jax", exc_type=ImportError)
    with pytest.raises(TypeError, match=r"arrayspan\.pylops\.JaxOperator"):
        arrayspan.jax.function(others()[1])


def test_a_keyword_that_a_solver_does_not_have_is_answered_by_those_that_it_has():
    with pytest.raises(TypeError, match=r"cgls\(\).*'dampin': did you mean 'damping'\?.*start, damping, callback, iterations") as raised:
        solvers.cgls(A, Y, dampin=0.1)
    assert "preconditioner" not in str(raised.value) and "workspace" in str(raised.value)
    for keyword, meant in dict(niter="iterations", x0="start", damp="damping", tol="residual", iteration="iterations").items():
        with pytest.raises(TypeError, match=f"'{keyword}': did you mean '{meant}'"):
            solvers.lsqr(A, Y, **{keyword: 1})
    with pytest.raises(TypeError, match="'damp'; it takes start, preconditioner") as raised:
        solvers.cg(S, Y, damp=1)
    assert "damping" not in str(raised.value)
    with pytest.raises(TypeError, match="'restrt': did you mean 'restart'"):
        solvers.gmres(S, Y, restrt=3)


def test_an_operator_is_written_once():
    assert repr(ops.Roll((3,))) == "<Roll: Float32 [3] to Float32 [3]>"


def test_pairs_are_two_integers():
    assert ops.Pad((4,), [[1, 2]]).range.shape == (7,)
    for wrong, error in ((3, TypeError), ([3], TypeError), ([(1, 2, 3)], arrayspan.ParameterError), ("12", TypeError)):
        with pytest.raises(error, match="expected (two integers|a sequence|an integer)"):
            ops.Pad((4,), wrong)
    for wrong, error in ((3, TypeError), ((1, 2, 3), arrayspan.ParameterError), ({}, TypeError)):
        with pytest.raises(error, match="expected two integers"):
            ops.Convolve2D((4, 4), np.ones((2, 2)), offset=wrong)
