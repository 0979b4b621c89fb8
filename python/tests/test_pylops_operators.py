"""`arrayspan.pylops`: operators and their algebra, beside what PyLops's own tests ask."""

import copy
import pickle

import numpy as np
import pytest

import arrayspan.pylops as pylops
from arrayspan.pylops.utils import dottest
from arrayspan.pylops.utils.decorators import reshaped

rng = np.random.default_rng(0)
DTYPES = ["float32", "float64", "complex64", "complex128"]


class Weighted(pylops.LinearOperator):
    """An operator of one's own."""

    def __init__(self, weights):
        self.weights = weights
        super().__init__(dtype=weights.dtype, dims=weights.shape, dimsd=weights.shape)

    @reshaped
    def _matvec(self, x):
        return self.weights * x

    @reshaped
    def _rmatvec(self, y):
        return self.weights.conj() * y


def engines(op, dtype="float64"):
    return op._native(np.dtype(dtype))


def test_operators_put_together_are_one_of_the_engine():
    d = pylops.FirstDerivative((5, 6), axis=0)
    whole = pylops.VStack([2 * d.H @ d, (d + d) ** 2, -d.T, d.conj()])
    assert engines(whole) is not None and "stencil" in engines(whole).describe()
    x = rng.normal(size=30)
    parts = [2 * d.H @ (d @ x), 2 * (d @ (2 * (d @ x))), -(d.H @ x), d @ x]
    np.testing.assert_allclose(whole @ x, np.concatenate(parts), atol=1e-12)
    assert dottest(whole)


def test_models_of_one_size_and_several_shapes_are_of_one_stack():
    d = pylops.FirstDerivative((5, 6), axis=0)
    whole = pylops.VStack([d, d.apply_columns(range(30)), pylops.FirstDerivative(30)])
    x = rng.normal(size=30)
    np.testing.assert_allclose(whole @ x, np.concatenate([d @ x, d @ x, pylops.FirstDerivative(30) @ x]))
    assert dottest(whole) and dottest(pylops.HStack([d.H, pylops.FirstDerivative(30)]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_your_own_stands_beside_what_is_not(dtype):
    w = (rng.normal(size=(5, 6)) + (1j if dtype[0] == "c" else 0)).astype(dtype)
    own, d = Weighted(w), pylops.FirstDerivative((5, 6), axis=1, dtype=dtype)
    whole = pylops.BlockDiag([own @ d, d.H @ own.H, own.conj() + own.T - 3 * own**2])
    assert engines(whole, dtype) is None
    assert dottest(whole, complexflag=3 if dtype[0] == "c" else 0, rtol=1e-3)
    assert (whole @ np.ones(whole.dims, dtype)).dtype == dtype
    dense = whole.todense()
    np.testing.assert_allclose(whole.H.todense(), dense.conj().T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(whole.tosparse().toarray(), dense, rtol=1e-5, atol=1e-5)


def test_a_subclass_of_ours_that_overrides_is_not_taken_for_ours():
    class Twice(pylops.FirstDerivative):
        def _matvec(self, x):
            return 2 * super()._matvec(x)

        def _rmatvec(self, y):
            return 2 * super()._rmatvec(y)

    twice, once = Twice(7), pylops.FirstDerivative(7)
    x = rng.normal(size=7)
    assert engines(twice) is None and engines(twice @ once) is None
    np.testing.assert_allclose((twice.H @ twice) @ x, 4 * (once.H @ once) @ x)


@pytest.mark.parametrize("given", [*DTYPES, "int64", "bool", "float16"])
@pytest.mark.parametrize("own", DTYPES)
def test_results_have_the_dtype_of_numpy(own, given):
    x = np.ones(6, dtype=given)
    derivative = pylops.FirstDerivative(6, dtype=own) @ x
    matrix = pylops.MatrixMult(np.ones((3, 6), dtype=own), dtype=own) @ x
    moved = pylops.Flip(6, dtype=own) @ x
    # A derivative has the precision that it was made with, and drops nothing imaginary.
    assert derivative.dtype == (np.result_type(own, "complex64") if given[0] == "c" else own)
    assert matrix.dtype == np.result_type(own, given)
    assert moved.dtype == {"float16": "float32", "int64": "float64", "bool": "float64"}.get(given, given)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_small_models(size):
    for op in (pylops.Flip(size), pylops.Diagonal(np.ones(size)), pylops.Identity(size), pylops.Roll(size)):
        x = rng.normal(size=size)
        assert (op @ x).shape == (size,) and np.array_equal(op.H @ (op @ x), x)


def test_strided_and_reversed_arrays():
    d = pylops.FirstDerivative((4, 5), axis=0)
    whole = rng.normal(size=(8, 10))
    for x in (whole[::2, ::2], whole[3::-1, 4::-1], whole[:5, :4].T):
        assert np.array_equal(d @ x, d @ np.ascontiguousarray(x))
        assert np.array_equal(d @ np.asfortranarray(x), d @ np.ascontiguousarray(x))


def test_results_are_never_their_arguments():
    for op in (pylops.Identity(4), pylops.Identity(4, inplace=False), pylops.Restriction(4, range(4))):
        x = np.zeros(4)
        y = op @ x
        x[0] = 1
        assert y[0] == 0


def test_parameters_are_taken_as_they_are():
    a = np.eye(3)
    op = pylops.MatrixMult(a)
    op @ np.ones(3)
    a[0, 0] = 7
    assert op.A is a
    assert (copy.copy(op) @ np.ones(3))[0] == (pickle.loads(pickle.dumps(op)) @ np.ones(3))[0] == 7


def test_counters_count_what_the_engine_does():
    a, b = pylops.MatrixMult(np.ones((3, 4))), pylops.MatrixMult(np.ones((4, 4)))
    product = a @ b
    product @ np.ones(4)
    product.H @ np.ones(3)
    product @ np.ones((4, 2))
    assert (product.matvec_count, product.matmat_count, a.matvec_count, a.rmatvec_count) == (1, 1, 1, 1)
    assert (b.matmat_count, b.rmatvec_count) == (1, 1)
    (b**3) @ np.ones(4)
    assert b.matvec_count == 4
    pylops.cgls(a, np.ones(3), niter=5, tol=0)
    assert a.matvec_count > 1
    a.reset_count()
    assert a.matvec_count == 0


def test_sum_of_one_axis_is_one_number():
    total = pylops.Sum(5)
    assert total.shape == (1, 5) and dottest(total)
    assert (total @ np.arange(5.0)).tolist() == [10]
    assert (total.H @ np.array([2.0])).tolist() == [2] * 5


def test_memoize_keeps_forward_and_adjoint_apart():
    a = pylops.MatrixMult(rng.normal(size=(4, 4)))
    remembering = pylops.MemoizeOperator(a, max_neval=3)
    x = rng.normal(size=4)
    y = remembering @ x
    assert remembering.neval == 1
    np.testing.assert_allclose(remembering.H @ y, a.H @ y)
    # What is nearly equal is not the same.
    small = np.full(4, 1e-9)
    np.testing.assert_allclose(remembering @ small, a @ small)
    np.testing.assert_allclose(remembering @ (5 * small), a @ (5 * small))
    y[:] = 0
    assert np.any(remembering @ x != 0)


def test_convolution_is_right_where_that_of_pylops_is_not():
    h = rng.normal(size=5) + 1j * rng.normal(size=5)
    assert dottest(pylops.signalprocessing.Convolve1D(20, h, offset=1, dtype="complex128"), complexflag=3)
    assert dottest(pylops.signalprocessing.Convolve1D((6, 20), h, axis=0, dtype="complex128"), complexflag=3)
    long = pylops.signalprocessing.Convolve1D(4, np.arange(9.0), offset=2)
    assert long.shape == (9, 4) and dottest(long)


@pytest.mark.parametrize("mode", ["curvelet", "wavelet"])
@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("dims, more", [((16, 20), {}), ((8, 12, 4), {"num_scales": 2}), ((16, 32), {"wedges_per_direction": 6})])
def test_curvelets_are_those_of_the_package(dims, more, kind, mode):
    package = pytest.importorskip("curvelets.numpy")
    more = {**more, "transform_kind": kind, "high_frequency_mode": mode}
    op, theirs = pylops.signalprocessing.UDCT(dims, **more), package.UDCT(dims, **more)
    x = rng.normal(size=dims) + (1j * rng.normal(size=dims) if kind == "complex" else 0)
    np.testing.assert_allclose(op @ x, theirs.vect(theirs.forward(x)), atol=1e-12)
    y = rng.normal(size=op.dimsd) + 1j * rng.normal(size=op.dimsd)
    np.testing.assert_allclose(op.H @ y, theirs.backward(theirs.struct(y)), atol=1e-12)
    assert (op.transform.shape, op.dimsd) == (dims, theirs.vect(theirs.forward(x)).shape)


def test_curvelets_have_inverses():
    for more in ({}, {"transform_kind": "complex"}, {"high_frequency_mode": "wavelet"}):
        op = pylops.signalprocessing.UDCT((12, 8), **more)
        for dtype in ("float32", "float64"):
            x = rng.normal(size=(12, 8)).astype(dtype)
            y = op @ x
            assert y.dtype == np.result_type(dtype, "complex64")
            for back in (op.H @ y, op.inverse(y).reshape(op.dims)):
                assert back.dtype == (y.dtype if "transform_kind" in more else dtype)
                np.testing.assert_allclose(back, x, atol=1e-5 if dtype == "float32" else 1e-12)
    with pytest.raises(ValueError, match="real models"):
        pylops.signalprocessing.UDCT((12, 8)) @ (1j * np.ones((12, 8)))
    for wrong in ({"transform_kind": "both"}, {"num_scales": 1}, {"wedges_per_direction": 4}, {"num_scales": 4}):
        with pytest.raises(ValueError):
            pylops.signalprocessing.UDCT((12, 8), **wrong)
    with pytest.raises(NotImplementedError, match="monogenic"):
        pylops.signalprocessing.UDCT((12, 8), transform_kind="monogenic")


@pytest.mark.parametrize("method", ["hutchinson", "hutch++", "na-hutch++"])
@pytest.mark.parametrize("sampler", ["gaussian", "rayleigh", "rademacher"])
def test_traces_are_right_in_the_mean(method, sampler):
    np.random.seed(3)
    # Not symmetric, and complex: `na-hutch++` of PyLops is for symmetric ones.
    a = rng.normal(size=(12, 12)) + 1j * rng.normal(size=(12, 12)) + 20 * np.diag(np.arange(12))
    op = pylops.MatrixMult(a, dtype="complex128")
    estimates = [op.trace(neval=12, method=method, sampler=sampler) for _ in range(300)]
    assert abs(np.mean(estimates) - np.trace(a)) < 6 * np.std(estimates) / 300**0.5 + 1e-9


def test_what_is_not_there_yet_says_so():
    from arrayspan.pylops.waveeqprocessing.kirchhoff import Kirchhoff
    from arrayspan.pylops.waveeqprocessing.mdd import MDC

    for name in (Kirchhoff, MDC, pylops.PrestackInversion):
        with pytest.raises(NotImplementedError, match=f"{name.__name__} is not yet part of arrayspan"):
            name(1, 2, kind=3)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: pylops.FirstDerivative(5) @ np.ones(6),
        lambda: pylops.FirstDerivative(5) @ np.ones((2, 3, 4)),
        lambda: pylops.FirstDerivative(5).matvec(np.ones((5, 2))),
        lambda: pylops.FirstDerivative(5).matmat(np.ones(5)),
        lambda: pylops.FirstDerivative(5) @ 2.0,
        lambda: pylops.FirstDerivative(5) @ pylops.FirstDerivative(6),
        lambda: pylops.FirstDerivative(5) + pylops.FirstDerivative(6),
        lambda: pylops.FirstDerivative(5) ** -1,
        lambda: pylops.MatrixMult(np.ones((2, 3))) ** 2,
        lambda: pylops.MatrixMult(np.ones((2, 3))).trace(),
        lambda: pylops.Transpose((2, 3), (0, 0)),
        lambda: pylops.Pad(3, (-1, 0)),
        lambda: pylops.Identity((2, 3), (3, 2)),
        lambda: pylops.VStack([pylops.Identity(2), pylops.Identity(3)]),
        lambda: pylops.VStack([pylops.Identity(2)], parallel_kind="both"),
        lambda: setattr(pylops.Identity(4), "dims", (3,)),
        lambda: pylops.LinearOperator(shape=(2, 3, 4), dtype="float64"),
    ],
)
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(ValueError):
        wrong()


@pytest.mark.parametrize("x", [np.full(20, None), np.full(20, "a"), np.full(20, np.datetime64("2020"))])
def test_what_is_no_number_is_refused(x):
    for op in [pylops.FirstDerivative((5, 4)), pylops.MatrixMult(np.eye(20)), pylops.Flip(20)]:
        with pytest.raises(TypeError, match="dtype|DType"):
            op @ x
        with pytest.raises(TypeError, match="dtype|DType"):
            op.H @ x


def test_columns_of_an_operator_give_flat_data():
    d = pylops.FirstDerivative((5, 4), dtype="float64")
    columns = d.apply_columns([3, 0])
    np.testing.assert_allclose(columns @ np.array([1.0, 2.0]), d.todense()[:, [3, 0]] @ [1.0, 2.0])
    assert (columns.H @ np.ones(20)).shape == (2,)


def test_what_is_no_index_is_refused_and_not_cut_off():
    matrix = pylops.MatrixMult(np.arange(15.0).reshape(3, 5))
    mask = np.array([True, False, True, True, False])
    for wrong in (mask, [0.5, 2.0], ["1"]):
        with pytest.raises(IndexError):
            matrix.apply_columns(wrong)
        with pytest.raises(IndexError):
            pylops.Restriction(5, wrong)
    assert pylops.Restriction(5, []).shape == (0, 5)
    with pytest.raises(TypeError):
        pylops.Roll(5, shift=1.5) @ np.arange(5.0)
    with pytest.raises(IndexError):
        pylops.utils.seismicevents.linear2d(np.arange(3.0), np.arange(5.0), 1500.0, [1.0, 2.0], [0], [1, -1], np.ones(1))


def test_everything_can_be_remembered():
    for most in (np.inf, None):
        memoized = pylops.MemoizeOperator(pylops.Identity(3), max_neval=most)
        for turn in range(30):
            assert ((memoized @ np.full(3, float(turn % 15))) == turn % 15).all()
        assert memoized.neval == 15


def test_an_array_without_axes_is_a_number():
    np.testing.assert_array_equal((np.array(2.0) * pylops.Identity(3)) @ np.ones(3), np.full(3, 2.0))
