"""Writes the golden data: what PyLops 2.8.0 says that operators and solvers give.

usage: generate.py FOLDER        (cargo xtask golden)

One FILE.npz for each operator, with arrays named DTYPE/CASE/ARRAY: the input `x` and the output `forward` of
the operator, the input `y` and the output `adjoint` of its adjoint, and the arrays that are its parameters.
`golden.toml` lists versions, seeds and the SHA-256 of every file; the tests refuse any other file.

Inputs hold numbers that 32-bit floats hold exactly, so that every dtype starts from the same ones.

Where PyLops is wrong the data come from an explicit matrix instead, and a comment says so.
"""

import hashlib
import importlib.metadata
import io
import logging
import platform
import sys
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse
import scipy.sparse.linalg as sp

if not hasattr(np, "row_stack"):  # removed in NumPy 2.5; PyLops 2.8.0 still calls it
    np.row_stack = np.vstack

import pylops
import spgl1 as of_spgl1
from pylops.avo.poststack import PoststackLinearModelling
from pylops.medical import CT2D, MRI2D
from pylops.signalprocessing import (
    DCT,
    DTCWT,
    DWT,
    DWT2D,
    DWTND,
    FFT,
    FFT2D,
    FFTND,
    Bilinear,
    ChirpRadon2D,
    ChirpRadon3D,
    Convolve1D,
    Convolve2D,
    ConvolveND,
    FourierRadon2D,
    FourierRadon3D,
    Fredholm1,
    Interp,
    InterpCubicSpline,
    NonStationaryConvolve1D,
    NonStationaryConvolve2D,
    NonStationaryConvolve3D,
    NonStationaryFilters1D,
    NonStationaryFilters2D,
    Patch2D,
    Patch3D,
    PWSmoother2D,
    PWSprayer2D,
    Seislet,
    Radon2D,
    Radon3D,
    Shift,
    Sliding1D,
    Sliding2D,
    Sliding3D,
    UDCT,
)
from pylops.signalprocessing import seislet as of_seislets
from pylops.utils import metrics as pylops_metrics, signalprocessing as pylops_signals
from pylops.utils import seismicevents, tapers as pylops_tapers, wavelets as pylops_wavelets

import proximal as of_proximal

DTYPES = ("float64", "complex128")
# `spgl1` warns of each search that it gives up.
logging.getLogger("spgl1").setLevel(logging.ERROR)
warnings.simplefilter("error", np.exceptions.ComplexWarning)


def random(shape, dtype, seed):
    """Numbers between -1 and 1 that 32-bit floats hold exactly."""
    rng = np.random.default_rng(seed)

    def part():
        return rng.uniform(-1, 1, shape).astype(np.float32).astype(np.float64)

    return part() + 1j * part() if dtype == "complex128" else part()


class File:
    """The golden data of one operator; every array is drawn from its own seed."""

    def __init__(self, name):
        self.name = name
        self.seed = zlib.crc32(name.encode())
        self.drawn = 0
        self.arrays = {}

    def random(self, shape, dtype):
        self.drawn += 1
        return random(shape, dtype, [self.seed, self.drawn])

    def add(self, case, make, dtypes=DTYPES, **parameters):
        """`make(dtype, **arrays)` makes the operator, or its matrix; parameters are shapes to draw."""
        for dtype in dtypes:
            drawn = {name: self.random(shape, dtype) for name, shape in parameters.items()}
            operator = make(dtype, **drawn)
            matrix = isinstance(operator, np.ndarray)
            rows, columns = operator.shape
            x, y = self.random(columns, dtype), self.random(rows, dtype)
            forward = operator @ x if matrix else operator.matvec(x)
            adjoint = operator.conj().T @ y if matrix else operator.rmatvec(y)
            self.put(dtype, case, x=x, y=y, forward=forward, adjoint=adjoint, **drawn)

    def put(self, dtype, case, **arrays):
        for name, array in arrays.items():
            self.arrays[f"{dtype}/{case}/{name}"] = np.ascontiguousarray(array, dtype=dtype)

    def add_spectra(self, case, make, dtypes=DTYPES, **parameters):
        """As `add`, where data are complex for models of either dtype."""
        for dtype in dtypes:
            operator = make(dtype)
            rows, columns = operator.shape
            x, y = self.random(columns, dtype), self.random(rows, "complex128")
            forward, adjoint = operator.matvec(x), operator.rmatvec(y)
            if dtype == "float64":
                assert np.abs(np.imag(adjoint)).max(initial=0) == 0
                adjoint = adjoint.real
            real = np.vdot(forward, y).real
            assert np.isclose(real, np.vdot(x, adjoint).real, rtol=1e-12, atol=1e-12), (self.name, case)
            for name, array in dict(x=x, y=y, forward=forward, adjoint=adjoint, **parameters).items():
                self.arrays[f"{dtype}/{case}/{name}"] = np.ascontiguousarray(array)

    def bytes(self):
        """As numpy.savez, but the same bytes every time."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
            for name, array in self.arrays.items():
                member = io.BytesIO()
                np.save(member, array)
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
        return packed.getvalue()


def identity():
    file = File("identity")
    file.add("square", lambda dtype: pylops.Identity(7, dtype=dtype))
    file.add("truncating", lambda dtype: pylops.Identity((3, 4), (5, 7), dtype=dtype))
    file.add("padding", lambda dtype: pylops.Identity((5, 7), (3, 4), dtype=dtype))
    file.add("single", lambda dtype: pylops.Identity((1, 5), (1, 3), dtype=dtype))
    return file


def diagonal():
    file = File("diagonal")
    file.add("full", lambda dtype, weights: pylops.Diagonal(weights, dtype=dtype), weights=(5, 3))
    for axis, extent in enumerate((2, 5, 3)):
        file.add(
            f"along{axis}",
            lambda dtype, weights: pylops.Diagonal(weights, dims=(2, 5, 3), axis=axis, dtype=dtype),
            weights=extent,
        )
    file.add(
        "single",
        lambda dtype, weights: pylops.Diagonal(weights, dims=(3, 1, 5), axis=1, dtype=dtype),
        weights=1,
    )
    return file


def matrix_mult():
    file = File("matrix_mult")
    file.add("wide", lambda dtype, matrix: pylops.MatrixMult(matrix, dtype=dtype), matrix=(3, 7))
    file.add("tall", lambda dtype, matrix: pylops.MatrixMult(matrix, dtype=dtype), matrix=(7, 3))
    file.add(
        "others",
        lambda dtype, matrix: pylops.MatrixMult(matrix, otherdims=(2, 3), dtype=dtype),
        matrix=(4, 5),
    )
    # PyLops multiplies along the first axis; others come there by a transpose, and go back by its adjoint.
    for axis, dims in enumerate(((5, 2, 3), (2, 5, 3), (2, 3, 5))):

        def along(dtype, matrix):
            axes = (axis, *(other for other in range(3) if other != axis))
            others = [extent for other, extent in enumerate(dims) if other != axis]
            dimsd = [4 if other == axis else extent for other, extent in enumerate(dims)]
            there = pylops.Transpose(dims, axes, dtype=dtype)
            back = pylops.Transpose(dimsd, axes, dtype=dtype).H
            return back @ pylops.MatrixMult(matrix, otherdims=others, dtype=dtype) @ there

        file.add(f"axis{axis}", along, matrix=(4, 5))

    # The entries of which the column is a multiple of three behind the row.
    def sparse(others):
        def make(dtype, matrix):
            rows, columns = np.indices(matrix.shape)
            kept = scipy.sparse.csr_matrix(np.where((columns - rows) % 3 == 0, matrix, 0))
            return pylops.MatrixMult(kept, otherdims=others, dtype=dtype)

        return make

    file.add("sparse", sparse(None), matrix=(7, 11))
    file.add("sparse_others", sparse((2, 3)), matrix=(7, 11))
    # One row, one column, and one column of models.
    for case, shape, others in (("row", (1, 7), (3,)), ("column", (7, 1), (3,)), ("thin", (5, 7), (1,))):
        file.add(
            case,
            lambda dtype, matrix: pylops.MatrixMult(matrix, otherdims=others, dtype=dtype),
            matrix=shape,
        )
    return file


def roll():
    file = File("roll")
    file.add("vector", lambda dtype: pylops.Roll(11, shift=3, dtype=dtype))
    for axis, shift in enumerate((-2, 7, 3)):
        file.add(
            f"axis{axis}",
            lambda dtype: pylops.Roll((5, 3, 7), axis=axis, shift=shift, dtype=dtype),
        )
    for case, shift in (("none", 0), ("around", 5), ("beyond", 13), ("back_beyond", -13)):
        file.add(case, lambda dtype: pylops.Roll((5, 3), axis=0, shift=shift, dtype=dtype))
    file.add("single", lambda dtype: pylops.Roll((1, 4), axis=0, shift=3, dtype=dtype))
    return file


def restriction():
    file = File("restriction")

    def add(case, dims, axis, indices):
        file.add(case, lambda dtype: pylops.Restriction(dims, indices, axis=axis, dtype=dtype))

    add("vector", 11, 0, [9, 0, 4, 5])
    for axis, indices in enumerate(([3, 0, 4], [2, 0], [6, 1, 2, 5])):
        add(f"axis{axis}", (5, 3, 7), axis, indices)
    add("repeated", (7, 5), 0, [2, 5, 2, 2, 0])
    add("stepped", (7, 5), 0, [1, 3, 5])
    add("slice", (7, 5), 1, [1, 2, 3])
    add("single", (1, 4), 0, [0])
    add("all", (5, 3), 0, range(5))
    add("one_of_each", (3, 5, 2), 1, [3])

    # PyLops hides what is not kept in a masked array; these are the matrices that have zeros there.
    def mask(dtype):
        kept = pylops.Restriction((7, 5), [5, 2, 0], axis=0, dtype=dtype)
        return np.diag(np.ma.filled(kept.mask(np.ones(35, dtype)), 0).ravel()).astype(dtype)

    file.add("mask", mask)
    return file


def sum_along():
    file = File("sum_along")
    # With its default axis PyLops takes a vector for a column, and is the identity.
    file.add("vector", lambda dtype: pylops.Sum((11,), axis=0, dtype=dtype))
    for axis in range(3):
        file.add(f"axis{axis}", lambda dtype: pylops.Sum((5, 3, 7), axis=axis, dtype=dtype))
    file.add("single", lambda dtype: pylops.Sum((5, 1), axis=1, dtype=dtype))
    file.add("long", lambda dtype: pylops.Sum((127, 3), axis=0, dtype=dtype))
    return file


def kronecker():
    file = File("kronecker")

    def add(case, make_a, make_b):
        file.add(
            case,
            lambda dtype, a, b: pylops.Kronecker(make_a(dtype, a), make_b(dtype, b), dtype=dtype),
            a=(3, 5),
            b=(4, 2),
        )

    def matrix(dtype, array):
        return pylops.MatrixMult(array, dtype=dtype)

    def derivative(n):
        return lambda dtype, array: pylops.FirstDerivative(n, kind="forward", dtype=dtype)

    add("matrices", matrix, matrix)
    add("derivative_matrix", derivative(7), matrix)
    add("matrix_derivative", matrix, derivative(7))
    add("derivatives", derivative(5), derivative(7))
    for case, a, b in (("row_column", (1, 7), (5, 1)), ("column_row", (3, 1), (1, 11))):
        file.add(
            case,
            lambda dtype, a, b: pylops.Kronecker(matrix(dtype, a), matrix(dtype, b), dtype=dtype),
            a=a,
            b=b,
        )
    return file


def regressions(name, order):
    """Polynomials; PyLops adds complex numbers to real ones and fails, so that complex data come from the matrix."""
    file = File(name)

    def add(case, count, order):
        t = file.random(count, "float64")

        def make(dtype):
            if dtype == "complex128":
                return np.vander(t, order + 1, increasing=True).astype(dtype)
            if name == "linear_regression":
                return pylops.LinearRegression(t, dtype=dtype)
            return pylops.Regression(t, order, dtype=dtype)

        file.add(case, make)
        for dtype in DTYPES:
            file.put(dtype, case, t=t)

    add("odd", 11, order)
    add("few", 2, order)
    add("long", 71, order)
    if name == "regression":
        add("constant", 7, 0)
        add("high", 13, 9)
    return file


def regression():
    return regressions("regression", 4)


def linear_regression():
    return regressions("linear_regression", 1)


def causal_integration():
    file = File("causal_integration")

    def add(case, dims, axis, kind, step=0.5, removefirst=False):
        def make(dtype):
            integral = pylops.CausalIntegration(
                dims, axis=axis, sampling=step, kind=kind, removefirst=removefirst, dtype=dtype
            )
            if kind != "trapezoidal" or removefirst:
                return integral
            # The integral of no interval is zero; PyLops has half a sample.
            matrix = integral @ np.eye(integral.shape[1], dtype=dtype)
            rows = np.arange(integral.shape[0]).reshape(dims)
            matrix[np.take(rows, 0, axis=axis).ravel()] = 0
            return matrix

        file.add(case, make)

    for kind in ("full", "half", "trapezoidal"):
        add(f"{kind}_vector", (11,), 0, kind)
        for axis in range(3):
            add(f"{kind}_axis{axis}", (5, 3, 7), axis, kind, 0.25)
            add(f"{kind}_axis{axis}_removefirst", (5, 3, 7), axis, kind, 0.25, removefirst=True)
        add(f"{kind}_single", (1, 4), 0, kind)
    return file


def zero():
    file = File("zero")
    file.add("square", lambda dtype: pylops.Zero(7, dtype=dtype))
    file.add("wide", lambda dtype: pylops.Zero(3, 5, dtype=dtype))
    file.add("tall", lambda dtype: pylops.Zero(7, 6, dtype=dtype))
    return file


def conj():
    """Linear over the real numbers only: the matrices of complex conjugation, of real and imaginary parts."""
    file = File("conj")
    for case, dims in (("vector", 11), ("matrix", (5, 3))):
        file.add(case, lambda dtype: pylops.Conj(dims, dtype=dtype))
    return file


def part(name, operator):
    """Data of real and imaginary parts are real here; PyLops has them in the dtype of the operator."""
    file = File(name)
    for case, dims in (("vector", (11,)), ("matrix", (5, 3))):
        for dtype in DTYPES:
            size = int(np.prod(dims))
            x, y = file.random(size, dtype), file.random(size, "float64")
            of = operator(dims, dtype=dtype)
            with warnings.catch_warnings():
                # Of real models PyLops makes complex numbers on the way.
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                forward, adjoint = of.matvec(x), of.rmatvec(y.astype(dtype))
            file.put(dtype, case, x=x, y=y, forward=forward, adjoint=adjoint)
    return file


def real():
    return part("real", pylops.Real)


def imag():
    return part("imag", pylops.Imag)


def function_operator():
    file = File("function_operator")

    def echo(x):
        y = x.copy()
        y[1:] += 0.5 * x[:-1]
        return y

    def back(y):
        x = y.copy()
        x[:-1] += 0.5 * y[1:]
        return x

    def fill(y):
        return np.concatenate((2 * y, np.zeros(4, y.dtype)))

    file.add("echo", lambda dtype: pylops.FunctionOperator(echo, back, 11, dtype=dtype))
    file.add("cut", lambda dtype: pylops.FunctionOperator(lambda x: 2 * x[:7], fill, 7, 11, dtype=dtype))
    return file


def memoize_operator():
    file = File("memoize_operator")
    # Applied once in each direction: then PyLops does not yet take results of one for the other.
    file.add(
        "matrix",
        lambda dtype, matrix: pylops.MemoizeOperator(pylops.MatrixMult(matrix, dtype=dtype)),
        matrix=(5, 7),
    )
    return file


def transpose():
    file = File("transpose")

    def add(case, dims, axes):
        file.add(case, lambda dtype: pylops.Transpose(dims, axes, dtype=dtype))

    # PyLops wants two axes.
    add("vector", (11, 1), (0, 1))
    add("matrix", (5, 7), (1, 0))
    add("turned", (5, 3, 7), (2, 0, 1))
    add("inner", (5, 3, 7), (0, 2, 1))
    add("outer", (5, 3, 7), (1, 0, 2))
    add("turned_back", (5, 3, 7), (1, 2, 0))
    add("reversed", (5, 3, 7), (2, 1, 0))
    add("four", (5, 1, 7, 2), (3, 1, 0, 2))
    return file


def flip():
    file = File("flip")
    file.add("vector", lambda dtype: pylops.Flip(11, dtype=dtype))
    for axis in range(3):
        file.add(f"axis{axis}", lambda dtype: pylops.Flip((5, 3, 7), axis=axis, dtype=dtype))
    file.add("single", lambda dtype: pylops.Flip((1, 4), axis=0, dtype=dtype))
    return file


def pad():
    file = File("pad")

    def add(case, dims, pad):
        file.add(case, lambda dtype: pylops.Pad(dims, pad, dtype=dtype))

    add("vector", 11, (2, 3))
    add("after", (5, 3), ((0, 2), (0, 0)))
    add("before", (5, 3), ((0, 0), (1, 0)))
    add("all", (2, 3, 5), ((1, 2), (0, 1), (3, 0)))
    add("none", (5, 3), ((0, 0), (0, 0)))
    add("single", (1, 2), ((2, 2), (1, 1)))
    return file


def symmetrize():
    file = File("symmetrize")
    file.add("vector", lambda dtype: pylops.Symmetrize(11, dtype=dtype))
    for axis in range(3):
        file.add(f"axis{axis}", lambda dtype: pylops.Symmetrize((5, 3, 7), axis=axis, dtype=dtype))
    file.add("single", lambda dtype: pylops.Symmetrize((1, 4), axis=0, dtype=dtype))
    return file


def spread():
    file = File("spread")

    def add(case, dims, dimsd, curve, interp):
        """`curve(i, k, j)` in samples; what is outside of the data is left out."""
        shape = (*dims, dimsd[0])
        table, dtable = np.full(shape, np.nan), np.full(shape, np.nan)
        for place in np.ndindex(shape):
            position = curve(*place)
            if position is None or not 0 <= position <= dimsd[1] - 1:
                continue
            # PyLops reads past the end for a position that is the last sample.
            if interp and position == dimsd[1] - 1:
                table[place], dtable[place] = position - 1, 1
            else:
                table[place], dtable[place] = np.floor(position), position % 1
        options = {"interp": interp, "dtable": dtable} if interp else {}
        file.add(
            case, lambda dtype: pylops.Spread(dims, dimsd, table=table, dtype=dtype, **options)
        )

    def line(i, k, j):
        return k + i * j if j != 2 else None

    def between(i, k, j):
        return k + (i - 1) * 0.75 * j

    def on_the_fly(case, dims, dimsd, curve, interp):
        """By a function of the model's place, that gives indices, and weights beside them."""

        def fh(i, k):
            at = np.array([np.nan if (p := curve(i, k, j)) is None else p for j in range(dimsd[0])])
            # PyLops reads past the end for a position that is the last sample.
            last = dimsd[1] - 1 - interp
            at = np.where((at >= 0) & (np.floor(at) <= last), at, np.nan)
            return (np.floor(at), at % 1) if interp else np.floor(at)

        file.add(case, lambda dtype: pylops.Spread(dims, dimsd, fh=fh, interp=interp, dtype=dtype))

    add("nearest", (3, 7), (5, 11), line, False)
    add("linear", (3, 7), (5, 11), between, True)
    add("leaving", (4, 13), (3, 13), between, True)
    on_the_fly("function", (3, 5), (4, 11), line, False)
    on_the_fly("function_linear", (3, 5), (4, 13), between, True)
    return file


def interp():
    file = File("interp")

    def add(case, dims, axis, positions, kind="linear", **options):
        def make(dtype):
            # PyLops writes into the array that it is given.
            given = np.array(positions)
            return Interp(dims, given, axis=axis, kind=kind, dtype=dtype, **options)[0]

        file.add(case, make)

    add("vector", 11, 0, [0.25, 7.5, 2.0, 9.75, 4.125])
    for axis, positions in enumerate(([3.5, 0.0, 1.25], [0.5, 1.75], [5.5, 1.0, 2.25, 4.75])):
        add(f"axis{axis}", (5, 3, 7), axis, positions)
    add("nearest", 11, 0, [0.25, 7.75, 2.0, 4.5], "nearest")
    add("nearest_axis1", (5, 7), 1, [5.25, 1.0, 2.75], "nearest")
    for axis, positions in enumerate(([3.25, 0.0, 1.75], [0.75], [5.25, 1.0, 2.75, 4.0])):
        add(f"nearest_axis{axis}_of_three", (5, 3, 7), axis, positions, "nearest")
    add("sinc", 11, 0, [0.25, 7.5, 2.0, 9.75, 4.125], "sinc")
    add("sinc_least", (5, 3, 7), 2, [5.5, 1.0, 2.25, 4.75], "sinc", tol=0.15)
    return file


def interp_cubic_spline():
    file = File("interp_cubic_spline")

    def add(case, dims, axis, positions):
        file.add(case, lambda dtype: InterpCubicSpline(dims, np.array(positions), axis=axis, dtype=dtype))

    add("vector", 11, 0, [0.25, 7.5, 2.0, 9.75, 4.125])
    for axis, positions in enumerate(([3.5, 0.0, 1.25], [0.5, 1.75], [5.5, 1.0, 2.25, 4.75])):
        add(f"axis{axis}", (5, 3, 7), axis, positions)
    add("long", (97, 2), 0, [0.125, 48.5, 33.0, 95.75, 31.25])
    add("two", (3, 2), 1, [0.25, 0.75, 0.0])
    add("one_of_each", (7, 1), 0, [3.25])
    return file


def bilinear():
    file = File("bilinear")

    def add(case, dims, positions):
        given = np.array(positions).T
        file.add(case, lambda dtype: Bilinear(given, dims, dtype=dtype))

    add("plane", (11, 5), [[0.25, 3.5], [9.0, 1.75], [9.75, 0.0], [4.0, 2.0], [4.125, 2.25]])
    add("volume", (5, 3, 7), [[3.5, 0.5], [0.0, 1.25], [3.25, 0.75]])
    add("close", (3, 4, 2), [[1.5, 0.5], [1.25, 0.5], [1.5, 0.25], [1.75, 0.75], [1.0, 0.0]])

    # PyLops reads beyond the last samples for positions on them, and refuses those that repeat.
    def last(dtype):
        matrix = np.zeros((4, 15))
        matrix[0, 14] = 1
        matrix[1, [12, 13]] = 0.25, 0.75
        matrix[2, [2, 5]] = 0.5, 0.5
        matrix[3] = matrix[1]
        return matrix.astype(dtype)

    file.add("last", last)
    return file


def windows_of_matrices(cls, name, cases):
    """Matrices along the first axis of each window, or of all its elements (`flat`); the single windows of `alone` from all matrices."""
    file = File(name)
    dims = int(name[-2])
    for case, shape, windows, columns, tapertype in cases:
        lengths, overlaps = zip(*windows)
        window = [*lengths, *shape[len(windows) :]]
        counts = [(extent - length) // (length - over) + 1 for extent, (length, over) in zip(shape, windows)]
        flat = case == "flat"
        rows = int(np.prod(window)) if flat else window[0]
        # The models of a window, and of all.
        nop = [columns] + [1] * (dims - 1) if flat else [columns, *window[1:]]
        model = [count * extent for count, extent in zip(counts, nop)] + nop[len(counts) :]

        def make(dtype, matrix):
            others = None if flat or len(window) == 1 else window[1:]
            inner = pylops.MatrixMult(matrix, otherdims=others, dtype=dtype)
            if case == "alone":
                return added_windows(inner.todense(), window, shape, windows, tapertype)
            common = dict(tapertype=tapertype)
            if cls is Sliding1D:
                return Sliding1D(inner, model[0], shape[0], lengths[0], overlaps[0], **common)
            if cls is Sliding2D:
                return Sliding2D(inner, model, shape, lengths[0], overlaps[0], **common)
            return cls(inner, model, shape, lengths, overlaps, nop, **common)

        file.add(case, make, matrix=(rows, columns))
    return file


def added_windows(inner, window, shape, windows, tapertype):
    """The matrix of `inner` on all windows, added up: PyLops fails of a single window, or tapers one of its outer ends."""
    inner = np.asarray(inner)
    columns = inner.shape[1]
    starts = [range(0, extent - length + 1, length - over) for extent, (length, over) in zip(shape, windows)]
    blocks = []
    for numbers in np.ndindex(*(len(start) for start in starts)):
        part = inner.reshape(*window, columns)
        place = []
        for axis, number in enumerate(numbers):
            length, over = windows[axis]
            taper = pylops_tapers.taper(length, over, tapertype)
            taper[: over if number == 0 else 0] = 1
            taper[length - over if number + 1 == len(starts[axis]) else length :] = 1
            part = part * taper.reshape([-1 if other == axis else 1 for other in range(part.ndim)])
            place.append(slice(starts[axis][number], starts[axis][number] + length))
        block = np.zeros((*shape, columns), inner.dtype)
        block[tuple(place)] = part
        blocks.append(block.reshape(-1, columns))
    return np.hstack(blocks)


def sliding1d():
    seven = ((15,), ((7, 3),), 4)
    cases = [
        ("tapered", *seven, "hanning"),
        ("squared", *seven, "cosinesquare"),
        ("square_root", *seven, "cosinesqrt"),
        ("untapered", *seven, None),
        ("rest", (11,), ((4, 2),), 3, "cosine"),
        ("apart", (13,), ((3, 0),), 3, "hanning"),
        ("alone", (7,), ((5, 2),), 3, "hanning"),
    ]
    return windows_of_matrices(Sliding1D, "sliding1d", cases)


def sliding2d():
    cases = [
        ("plane", (11, 3), ((5, 2),), 3, "hanning"),
        ("untapered", (11, 3), ((5, 2),), 3, None),
        ("flat", (11, 3), ((5, 2),), 2, "hanning"),
        ("alone", (6, 3), ((5, 2),), 3, "hanning"),
    ]
    return windows_of_matrices(Sliding2D, "sliding2d", cases)


def sliding3d():
    volume = ((11, 9, 2), ((5, 2), (4, 1)), 3)
    cases = [
        ("volume", *volume, "hanning"),
        ("untapered", *volume, None),
        ("flat", (7, 6, 3), ((3, 1), (2, 0)), 3, "hanning"),
        ("alone", (6, 9, 2), ((5, 2), (4, 1)), 3, "hanning"),
    ]
    return windows_of_matrices(Sliding3D, "sliding3d", cases)


def patch2d():
    plane = ((11, 10), ((5, 2), (6, 3)), 3)
    cases = [
        ("plane", *plane, "hanning"),
        ("square_root", *plane, "cosinesqrt"),
        ("flat", (7, 8), ((3, 1), (4, 2)), 3, "hanning"),
        ("apart", (7, 9), ((2, 0), (3, 0)), 3, "hanning"),
        ("alone", (6, 10), ((5, 2), (6, 3)), 3, "hanning"),
    ]
    return windows_of_matrices(Patch2D, "patch2d", cases)


def patch3d():
    volume = ((7, 8, 5), ((3, 1), (5, 2), (3, 1)), 3)
    cases = [
        ("volume", *volume, "hanning"),
        ("untapered", *volume, None),
        ("flat", (3, 7, 6), ((2, 1), (4, 2), (3, 0)), 3, "hanning"),
        ("alone", (4, 8, 3), ((3, 1), (5, 2), (3, 1)), 3, "hanning"),
    ]
    return windows_of_matrices(Patch3D, "patch3d", cases)


def wavelets_of(cls, name, cases):
    """Discrete wavelet transforms: PyWavelets warns of levels at which all coefficients are those of edges."""
    file = File(name)
    for case, dims, axes, wavelet, level in cases:

        def make(dtype):
            along = dict(axis=axes) if cls is DWT else dict(axes=axes)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                return cls(dims, wavelet=wavelet, level=level, dtype=dtype, **along)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            file.add(case, make)
    return file


def dwt():
    cases = [
        ("haar", (8,), 0, "haar", 1),
        ("padded", (11,), 0, "db2", 1),
        ("axis0", (7, 3), 0, "sym4", 1),
        ("axis1", (2, 5, 3), 1, "bior2.2", 1),
        ("last", (2, 3, 8), -1, "rbio1.3", 1),
        ("levels", (16, 3), 0, "db3", 3),
        ("short", (3, 2), 0, "coif2", 2),
        ("meyer", (13,), 0, "dmey", 2),
        ("none", (5,), 0, "db4", 0),
    ]
    return wavelets_of(DWT, "dwt", cases)


def dwt2d():
    cases = [
        ("plane", (7, 8), (0, 1), "db2", 1),
        ("levels", (8, 5), (-2, -1), "bior3.3", 2),
        ("first_last", (5, 2, 4), (2, 0), "haar", 2),
        ("deep", (3, 16), (0, 1), "sym3", 3),
    ]
    return wavelets_of(DWT2D, "dwt2d", cases)


def dwtnd():
    cases = [
        ("volume", (4, 5, 3), (0, 1, 2), "db2", 1),
        ("levels", (8, 3, 4), (0, 1, 2), "rbio2.2", 2),
        ("two", (4, 3, 6), (2, 0), "haar", 2),
        ("one", (3, 7), (-1,), "coif1", 2),
    ]
    return wavelets_of(DWTND, "dwtnd", cases)


def dct():
    file = File("dct")

    def add(case, dims, axes, kind):
        file.add(case, lambda dtype: DCT(dims, type=kind, axes=axes, dtype=dtype))

    for kind in (1, 2, 3, 4):
        add(f"short{kind}", (5, 3), (0,), kind)
        add(f"even{kind}", (2, 36), (1,), kind)
        add(f"odd{kind}", (33, 2), (0,), kind)
    add("both", (33, 4), (0, 1), 2)
    return file


def dtcwt():
    file = File("dtcwt")

    def matrix(dims, transform):
        """PyLops mixes real and imaginary parts of complex models, and has the inverse in the place of the adjoint."""
        return lambda dtype: np.stack([transform(unit) for unit in np.eye(np.prod(dims))], axis=1).astype(dtype)

    def add(case, dims, axis, level, biort="near_sym_a", qshift="qshift_a"):
        operator = DTCWT(dims, biort, qshift, level, axis=axis)
        file.add(case, matrix(dims, operator.matvec))

    add("one", (10,), 0, 1)
    add("two", (12,), 0, 2, "legall")
    add("first", (10, 3), 0, 3)
    add("middle", (2, 8, 3), 1, 2, "antonini", "qshift_06")
    add("last", (3, 6), -1, 2, "near_sym_b", "qshift_b")
    add("c", (14,), 0, 2, qshift="qshift_c")
    add("d", (8,), 0, 3, qshift="qshift_d")
    add("deep", (6,), 0, 5, qshift="qshift_32")
    operator = DTCWT((10,))

    # The package takes coefficients of which all but the first of a level are zero for none.
    def inverse(unit):
        ones = np.ones(operator.shape[0])
        return operator.rmatvec(unit + ones) - operator.rmatvec(ones)

    file.add("inverse", matrix((operator.shape[0],), inverse))
    return file


def udct():
    file = File("udct")

    def transform(dtype, dims, scales, wedges=3, finest="curvelet", **others):
        return UDCT(
            dims,
            num_scales=scales,
            wedges_per_direction=wedges,
            high_frequency_mode=finest,
            transform_kind="real" if dtype == "float64" else "complex",
            **others,
        )

    def add(case, *parameters, **others):
        file.add_spectra(case, lambda dtype: Curvelets(transform(dtype, *parameters, **others), dtype))

    add("two", (8, 12), 2)
    add("three", (16, 8), 3)
    add("six", (8, 16), 2, 6, window_overlap=0.125)
    add("radii", (12, 8), 2, radial_frequency_params=(0.75, 2.0, 2.25, 3.5), window_threshold=0.01)
    add("cube", (4, 8, 4), 2)
    add("wavelets", (8, 12), 3, finest="wavelet")
    add("coarse", (4, 8), 2, finest="wavelet")
    for dtype in DTYPES:
        operator = transform(dtype, (8, 4), 3, finest="wavelet")
        x, y = file.random(operator.shape[0], "complex128"), file.random(operator.shape[1], dtype)
        matrix = np.stack([operator.rmatvec(unit) for unit in np.eye(len(x), dtype="complex128")], axis=1)
        if dtype == "float64":
            # The real part of what a matrix gives.
            turned = [operator.rmatvec(1j * unit) for unit in np.eye(len(x), dtype="complex128")]
            matrix = matrix.real - 1j * np.stack(turned, axis=1).real
        forward, adjoint = (matrix @ x).astype("complex128"), matrix.conj().T @ y
        forward = forward.real if dtype == "float64" else forward
        assert np.allclose(forward, operator.rmatvec(x), rtol=1e-12, atol=1e-12)
        for name, array in dict(x=x, y=y, forward=forward, adjoint=adjoint).items():
            file.arrays[f"{dtype}/inverse/{name}"] = np.ascontiguousarray(array)
    return file


class Curvelets:
    """An operator whose adjoint is one: that of PyLops is the inverse, which is another one with wavelets."""

    def __init__(self, operator, dtype):
        self.shape, self.real = operator.shape, dtype == "float64"
        columns = [operator.matvec(unit) for unit in np.eye(self.shape[1], dtype=dtype)]
        self.matvec, self.matrix = operator.matvec, np.stack(columns, axis=1)

    def rmatvec(self, y):
        x = self.matrix.conj().T @ y
        return x.real if self.real else x


def slopes_of(rows, columns):
    """As `varied` in tests/src/cases/slopes.rs: none moves whole samples."""
    row, column = np.indices((rows, columns))
    return (7 * row + 3 * column) % 11 / 4 - 1.1


def seislet():
    file = File("seislet")
    steps = (10.0, 8.0)

    def haar(case, dims, level):
        file.add(case, lambda dtype: Seislet(slopes_of(*dims), steps, level, dtype=dtype))

    def both_sides(traces, *args, repeat=0, backward=False):
        """Without the ends that PyLops predicts by half and by three halves on the way back."""
        found = of_seislets._predict_lin(traces, *args, repeat=repeat, backward=backward)
        if backward and len(traces) > 1:
            found[0] *= 2
            found[-1] -= of_seislets._predict_haar(traces, *args, repeat=repeat, backward=True)[-1] / 2
        return found

    def linear(case, dims, level):
        def make(dtype):
            operator = Seislet(slopes_of(*dims), steps, level, kind="linear", dtype=dtype)
            operator.predict = both_sides
            columns = [operator.matvec(column) for column in np.eye(operator.shape[1], dtype=dtype)]
            return np.stack(columns, axis=1)

        file.add(case, make)

    haar("haar", (8, 5), 2)
    haar("haar_padded", (13, 3), 1)
    linear("linear", (8, 5), 2)
    linear("linear_padded", (7, 4), 2)
    return file


def sprayed(dims, slopes, radius, alpha):
    """The matrix of `PWSprayer2D` with slopes where the wave is; PyLops takes those of the row where it begins."""
    depths, columns = dims

    def samples(at):
        at = min(max(at, 0.0), depths - 1.0)
        above = int(at)
        return [(above, 1 - at + above), (min(above + 1, depths - 1), at - above)]

    matrix = np.eye(depths * columns)
    for depth, column in np.ndindex(*dims):
        for side in (1, -1):
            at, weight = float(depth), 1.0
            for step in range(1, radius + 1):
                to = column + side * step
                if not 0 <= to < columns:
                    break
                between = min(to, to - side)
                at += side * sum(part * slopes[row, between] for row, part in samples(at))
                weight *= alpha
                for row, part in samples(at):
                    matrix[row * columns + to, depth * columns + column] += part * weight
    return matrix


def plane_waves(name, operator, cases):
    file = File(name)
    for case, dims, radius in cases:
        slopes = np.tile(slopes_of(1, dims[1]), (dims[0], 1))
        file.add(case, lambda dtype: operator(dims, slopes, radius, 0.75, dtype=dtype))
    return file


def pwsprayer2d():
    cases = (("columns", (11, 7), 3), ("far", (5, 6), 8), ("row", (1, 5), 2))
    file = plane_waves("pwsprayer2d", PWSprayer2D, cases)
    file.add("varied", lambda dtype: sprayed((7, 5), slopes_of(7, 5), 2, 0.75).astype(dtype))
    return file


def pwsmoother2d():
    file = plane_waves("pwsmoother2d", PWSmoother2D, (("columns", (11, 7), 3),))

    def varied(dtype):
        matrix = sprayed((7, 5), slopes_of(7, 5), 2, 0.75)
        return (matrix.T @ matrix).astype(dtype)

    file.add("varied", varied)
    return file


# Each axis of a model, the others being short.
ALONG = ((0, (7, 3)), (1, (2, 7, 3)), (2, (2, 3, 7)))


def first_derivative():
    file = File("first_derivative")

    def add(case, dims, **options):
        file.add(case, lambda dtype: pylops.FirstDerivative(dims, dtype=dtype, **options))

    for edge in (False, True):
        suffix = "_edge" if edge else ""
        for kind in ("forward", "backward"):
            add(f"{kind}{suffix}", 11, kind=kind, sampling=0.25, edge=edge)
        for order in (3, 5):
            add(f"centered{order}{suffix}", 11, order=order, sampling=0.25, edge=edge)
    add("axis0", (7, 5), axis=0, kind="forward", sampling=0.5)
    add("axis1", (5, 7), axis=1, order=5, edge=True, sampling=2.0)
    add("middle", (3, 6, 2), axis=1, order=3, edge=True)
    for axis, dims in ALONG:
        for edge in (False, True):
            for case, options in (
                ("forward", {"kind": "forward"}),
                ("backward", {"kind": "backward"}),
                ("centered3", {"order": 3}),
                ("centered5", {"order": 5}),
            ):
                suffix = "_edge" if edge else ""
                add(f"{case}_along{axis}{suffix}", dims, axis=axis, sampling=0.5, edge=edge, **options)
    for kind in ("forward", "backward", "centered"):
        add(f"{kind}_single", (3, 1, 5), axis=1, kind=kind)
    return file


def second_derivative():
    file = File("second_derivative")

    def add(case, dims, **options):
        file.add(case, lambda dtype: pylops.SecondDerivative(dims, dtype=dtype, **options))

    for edge in (False, True):
        suffix = "_edge" if edge else ""
        for kind, case in (
            ("forward", "forward"),
            ("backward", "backward"),
            ("centered", "centered3"),
        ):
            add(f"{case}{suffix}", 11, kind=kind, sampling=0.25, edge=edge)
    add("axis0", (7, 5), axis=0, kind="forward", sampling=0.5)
    add("axis1", (5, 7), axis=1, edge=True, sampling=2.0)
    add("middle", (3, 6, 2), axis=1, kind="backward")
    # PyLops has three points only; these are the matrices of five.
    for edge in (False, True):
        case = "centered5_edge" if edge else "centered5"
        file.add(case, lambda dtype: (second_difference5(11, edge) / 0.25**2).astype(dtype))
    for axis, dims in ALONG:
        for edge in (False, True):
            suffix = "_edge" if edge else ""
            for kind, case in (
                ("forward", "forward"),
                ("backward", "backward"),
                ("centered", "centered3"),
            ):
                add(f"{case}_along{axis}{suffix}", dims, axis=axis, kind=kind, sampling=0.5, edge=edge)
            before, after = np.prod(dims[:axis], dtype=int), np.prod(dims[axis + 1 :], dtype=int)
            along = np.kron(np.kron(np.eye(before), second_difference5(7, edge)), np.eye(after)) / 0.25
            file.add(f"centered5_along{axis}{suffix}", lambda dtype: along.astype(dtype))
    for kind in ("forward", "backward", "centered"):
        add(f"{kind}_single", (3, 1, 5), axis=1, kind=kind)
    return file


def second_difference(n, kind):
    """The matrix of a second derivative along n samples, by its definition."""
    matrix = np.zeros((n, n))
    shift = {"forward": 1, "centered": 0, "backward": -1}[kind]
    for i in range(1, n - 1):
        matrix[i - shift, i - 1 : i + 2] = 1, -2, 1
    return matrix


def second_difference5(n, edge):
    """The matrix of a second derivative of five points (Fornberg 1988, table 1), by its definition."""
    matrix = np.zeros((n, n))
    for i in range(2, n - 2):
        matrix[i, i - 2 : i + 3] = -1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12
    if edge:
        for row, first in ((0, 0), (1, 0), (n - 2, n - 3), (n - 1, n - 3)):
            matrix[row, first : first + 3] = 1, -2, 1
    return matrix


def laplacian():
    file = File("laplacian")

    def add(case, dims, **options):
        file.add(case, lambda dtype: pylops.Laplacian(dims, dtype=dtype, **options))

    add("plain", (7, 5))
    add("edge", (7, 5), edge=True)
    add("weighted", (5, 7), weights=(0.5, -2.0), sampling=(0.25, 2.0))
    add("outer", (3, 4, 5), axes=(0, 2), weights=(1.0, 3.0), edge=True)
    add("three", (3, 4, 5), axes=(0, 1, 2), weights=(1.0, 2.0, 3.0), sampling=(1.0, 0.5, 2.0))
    # PyLops hands `kind` to the first axis only; these are the matrices with it along both.
    for kind in ("forward", "backward"):
        along0 = np.kron(second_difference(5, kind), np.eye(7))
        along1 = np.kron(np.eye(5), second_difference(7, kind)) / 0.5**2
        file.add(kind, lambda dtype: (along0 + 2.0 * along1).astype(dtype))
    dims, weights, sampling = (4, 3, 5), (1.0, 2.0, -3.0), (1.0, 0.5, 2.0)
    for axes in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        name = "".join(map(str, axes))
        of_axes = {
            "weights": [weights[axis] for axis in axes],
            "sampling": [sampling[axis] for axis in axes],
        }
        add(f"centered_axes{name}", dims, axes=axes, **of_axes)
        add(f"centered_axes{name}_edge", dims, axes=axes, edge=True, **of_axes)
        for kind in ("forward", "backward"):
            along = [second_difference(n, kind) for n in dims]
            total = np.zeros((60, 60))
            for axis in axes:
                each = [along[at] if at == axis else np.eye(n) for at, n in enumerate(dims)]
                total += weights[axis] / sampling[axis] ** 2 * np.kron(np.kron(*each[:2]), each[2])
            file.add(f"{kind}_axes{name}", lambda dtype: total.astype(dtype))
    for edge in (False, True):
        along = [second_difference5(7, edge), second_difference5(5, edge)]
        total = np.kron(along[0], np.eye(5)) + np.kron(np.eye(7), along[1])
        file.add("centered5_edge" if edge else "centered5", lambda dtype: total.astype(dtype))
    add("single", (1, 5), axes=(0, 1))
    return file


def gradient():
    file = File("gradient")

    def add(case, dims, **options):
        file.add(case, lambda dtype: pylops.Gradient(dims, dtype=dtype, **options))

    add("vector", 11, sampling=0.5)
    add("plain", (7, 5))
    add("edge", (7, 5), sampling=(0.25, 2.0), edge=True)
    for kind in ("forward", "backward"):
        add(kind, (7, 5), sampling=(0.25, 2.0), kind=kind)
    add("three", (3, 4, 5), sampling=(1.0, 0.5, 2.0), edge=True)
    add("vector_edge", 11, sampling=0.5, edge=True)
    add("three_plain", (3, 4, 5), sampling=(1.0, 0.5, 2.0))
    for kind in ("forward", "backward"):
        add(f"{kind}_vector", 11, sampling=0.5, kind=kind)
        add(f"{kind}_three", (3, 4, 5), sampling=(1.0, 0.5, 2.0), kind=kind)
    # PyLops has no order here; its derivatives of five points below each other are the same.
    for edge in (False, True):

        def centered5(dtype):
            each = [
                pylops.FirstDerivative((7, 5), axis=axis, sampling=step, order=5, edge=edge, dtype=dtype)
                for axis, step in enumerate((0.25, 2.0))
            ]
            return pylops.VStack(each, dtype=dtype)

        file.add("centered5_edge" if edge else "centered5", centered5)
    add("single", (7, 1), kind="forward")
    return file


def directional(name, derivative):
    """Derivatives along a direction: numbers, or the arrays v0, v1, ..."""
    file = File(name)

    def constant(case, dims, direction, **options):
        v = np.array(direction)
        file.add(case, lambda dtype: derivative(dims, v, dtype=dtype, **options))

    def fields(case, dims, **options):
        def make(dtype, **v):
            return derivative(dims, np.stack(list(v.values())), dtype=dtype, **options)

        file.add(case, make, **{f"v{axis}": dims for axis in range(len(dims))})

    return file, constant, fields


def each_kind(constant, fields):
    """Every kind and edge, of one, two and three axes."""
    for kind in ("forward", "backward", "centered"):
        for edge in (False, True):
            name = f"{kind}_edge" if edge else kind
            options = {"kind": kind, "edge": edge}
            constant(f"{name}_constant1", (11,), (-1.5,), sampling=0.5, **options)
            constant(f"{name}_constant2", (7, 5), (0.5, 2.0), sampling=(0.25, 2.0), **options)
            fields(f"{name}_fields2", (7, 5), sampling=(0.5, 2.0), **options)
            fields(f"{name}_fields3", (3, 4, 5), sampling=(1.0, 0.5, 2.0), **options)


def first_directional_derivative():
    file, constant, fields = directional(
        "first_directional_derivative", pylops.FirstDirectionalDerivative
    )
    constant("constant", (7, 5), (0.6, -0.8))
    constant("edge", (7, 5), (0.5, 2.0), sampling=(0.25, 2.0), edge=True)
    fields("fields", (7, 5))
    fields("forward", (7, 5), sampling=(0.5, 2.0), kind="forward")
    fields("three", (3, 4, 5), sampling=(1.0, 0.5, 2.0), kind="backward")
    each_kind(constant, fields)
    return file


def second_directional_derivative():
    file, constant, fields = directional(
        "second_directional_derivative", pylops.SecondDirectionalDerivative
    )
    constant("constant", (7, 5), (0.6, -0.8))
    fields("fields", (7, 5), sampling=(0.25, 2.0), edge=True)
    each_kind(constant, fields)
    return file


def smoothing():
    file = File("smoothing")

    def along(case, dims, n, axis):
        file.add(case, lambda dtype: pylops.Smoothing1D(n, dims, axis=axis, dtype=dtype))

    along("vector", 11, 5, 0)
    along("axis0", (7, 5), 3, 0)
    along("axis1", (5, 7), 5, 1)

    def plane(case, dims, n):
        file.add(case, lambda dtype: pylops.Smoothing2D(n, dims, dtype=dtype))

    plane("both", (7, 5), (3, 5))
    plane("last_two", (3, 11, 5), (7, 3))
    for axis, n in enumerate((5, 3, 7)):
        along(f"axis{axis}_of_three", (5, 3, 7), n, axis)
    # PyLops takes the next odd number of neighbours.
    along("even", 11, 4, 0)
    along("alone", (5, 3), 1, 0)

    def cube(dtype):
        return pylops.SmoothingND((3, 3, 5), (5, 3, 7), axes=(0, 1, 2), dtype=dtype)

    file.add("cube", cube)
    along("single", (1, 5), 1, 0)
    return file


def convolution(n, h, offset):
    """The matrix of a convolution along n samples, by its definition."""
    matrix = np.zeros((n, n), dtype=h.dtype)
    for i in range(n):
        for k in range(len(h)):
            if 0 <= i - k + offset < n:
                matrix[i, i - k + offset] = h[k]
    return matrix


def convolve1d():
    file = File("convolve1d")

    def add(case, dims, filter, **options):
        # A complex filter is real here: its adjoint is another case.
        file.add(
            case,
            lambda dtype, filter: Convolve1D(dims, filter, dtype=dtype, **options),
            dtypes=("float64",),
            filter=filter,
        )
        h = file.arrays[f"float64/{case}/filter"]
        file.add(
            case, lambda dtype: Convolve1D(dims, h, dtype=dtype, **options), dtypes=("complex128",)
        )
        file.put("complex128", case, filter=h)

    add("odd", 11, 3, offset=1)
    add("even", 11, 4, offset=2)
    add("causal", 11, 5, offset=0)
    add("anticausal", 11, 5, offset=4)
    add("axis0", (7, 5), 3, offset=1, axis=0)
    add("axis1", (5, 7), 4, offset=1, axis=1)
    add("middle", (2, 7, 3), 5, offset=3, axis=1)
    add("one_tap", 11, 1, offset=0)
    add("as_long", 7, 7, offset=2)
    add("single", (1, 5), 1, offset=0, axis=0)
    # PyLops correlates with the filter instead of its conjugate; these are the matrices.
    file.add(
        "complex",
        lambda dtype, filter: convolution(11, filter, 1),
        dtypes=("complex128",),
        filter=4,
    )
    # Of filters of their own, PyLops has the adjoint of real ones along the last axis.
    file.add(
        "each_last",
        lambda dtype, filter: Convolve1D((3, 11), filter, offset=1, dtype=dtype),
        dtypes=("float64",),
        filter=(3, 3),
    )
    for case, dims, axis, taps, offset, dtypes in (
        ("each_last", (3, 11), 1, 3, 1, ("complex128",)),
        ("each_axis0", (7, 2, 3), 0, 4, 2, DTYPES),
        ("each_long", (2, 17, 1), 1, 11, 3, DTYPES),
    ):
        shape = [*dims]
        shape[axis] = taps
        file.add(case, lambda dtype, filter: convolution_each(dims, filter, offset, axis), dtypes=dtypes, filter=shape)
    return file


def convolution_each(dims, filters, offset, axis):
    """The matrix of a convolution of each signal along an axis with its own filter."""
    size = int(np.prod(dims))
    numbers = np.arange(size).reshape(dims)
    matrix = np.zeros((size, size), dtype=filters.dtype)
    for line in np.ndindex(*dims[:axis], *dims[axis + 1 :]):
        at = (*line[:axis], slice(None), *line[axis:])
        places = numbers[at]
        matrix[np.ix_(places, places)] = convolution(dims[axis], filters[at], offset)
    return matrix


def convolve_nd():
    file = File("convolve_nd")

    def add(case, dims, filter, dtypes=DTYPES, **options):
        make = lambda dtype, filter: ConvolveND(dims, filter, dtype=dtype, **options)
        file.add(case, make, dtypes=dtypes, filter=filter)

    add("plane", (7, 11), (3, 3), offset=(1, 2), method="direct")
    add("volume", (5, 3, 6), (3, 2, 3), axes=None)
    add("fibre", (1, 5), (1, 3), offset=(0, 1))
    add("complex", (7, 11), (3, 3), dtypes=("complex128",), offset=(1, 2))
    # PyLops takes the elements of the filter in the order of the axes, whatever order these are given in.
    file.add(
        "turned",
        lambda dtype, filter: ConvolveND((5, 2, 7), filter.T, offset=(2, 0), axes=(0, 2), dtype=dtype),
        filter=(2, 3),
    )
    products(file, "factors", (3,), (3,), lambda h: ConvolveND((7, 11), h, offset=(1, 2)))
    return file


def products(file, case, rows, columns, make):
    """A filter of two axes that is the product of one along each."""
    for dtype in DTYPES:
        h = np.multiply.outer(file.random(rows, dtype), file.random(columns, dtype))
        operator = make(h)
        x, y = (file.random(operator.shape[0], dtype) for _ in range(2))
        file.put(dtype, case, x=x, y=y, forward=operator.matvec(x), adjoint=operator.rmatvec(y), filter=h)


def convolve2d():
    file = File("convolve2d")

    def add(case, dims, filter, **options):
        file.add(case, lambda dtype, filter: Convolve2D(dims, filter, dtype=dtype, **options), filter=filter)

    add("odd", (11, 6), (5, 3), offset=(2, 1))
    add("outer", (3, 2, 5), (2, 2), offset=(1, 1), axes=(0, 2), method="direct")
    products(file, "factors", (2,), (4,), lambda h: Convolve2D((5, 7, 1), h, offset=(1, 0), axes=(0, 1)))
    return file


def fredholm1():
    file = File("fredholm1")
    for case, kernel, nz, options in (
        ("wide", (3, 5, 4), 2, {}),
        ("tall", (2, 4, 7), 3, {"saveGt": False}),
        ("vectors", (5, 3, 3), 1, {"usematmul": False}),
        ("one_slice", (1, 2, 11), 2, {}),
        ("one_row", (3, 1, 5), 1, {}),
    ):
        if case in ("one_slice", "one_row"):
            # PyLops drops axes of one element.
            file.add(case, lambda dtype, kernel: slices(kernel, nz), kernel=kernel)
        else:
            file.add(case, lambda dtype, kernel: Fredholm1(kernel, nz, dtype=dtype, **options), kernel=kernel)
    return file


def slices(kernel, nz):
    """The matrix of one matrix for each slice."""
    return scipy.linalg.block_diag(*(np.kron(matrix, np.eye(nz)) for matrix in kernel))


def conjugated(file, case, make, **shapes):
    """What PyLops says of real numbers; of complex ones, of which its adjoint is none, its matrix."""
    file.add(case, make, dtypes=("float64",), **shapes)
    columns = lambda operator: np.stack([operator.matvec(x) for x in np.eye(operator.shape[1], dtype=complex)], 1)
    file.add(case, lambda dtype, **arrays: columns(make(dtype, **arrays)), dtypes=("complex128",), **shapes)


def non_stationary_convolve1d():
    file = File("non_stationary_convolve1d")
    for case, dims, axis, places, taps in (
        ("vector", (11,), 0, (1, 4, 7), 3),
        ("axis0", (7, 3), 0, (0, 6), 5),
        ("middle", (2, 9, 3), 1, (2, 4), 3),
        ("last", (3, 8), -1, (3, 5, 7), 7),
    ):
        make = lambda dtype, filters: NonStationaryConvolve1D(dims, filters, places, axis=axis, dtype=dtype)
        conjugated(file, case, make, filters=(len(places), taps))
    # PyLops knows even spaces alone.
    file.add("uneven", lambda dtype, filters: spreading(filters, [(11, (1, 2, 7))]), filters=(3, 3))
    return file


def spreading(filters, axes):
    """The matrix of a convolution with filters at places of axes, which every sample spreads."""
    rank = len(axes)
    extents = [extent for extent, _ in axes]
    size = int(np.prod(extents))
    numbers = np.arange(size).reshape(extents)
    matrix = np.zeros((size, size), dtype=filters.dtype)
    for sample in np.ndindex(*extents):
        filter = filters
        for at, (_, places) in zip(sample, axes):
            hats = [np.interp(at, places, np.eye(len(places))[number]) for number in range(len(places))]
            filter = np.tensordot(hats, filter, 1) if filter.ndim > rank else filter
        for tap in np.ndindex(*filter.shape):
            place = tuple(at + k - size // 2 for at, k, size in zip(sample, tap, filter.shape))
            if all(0 <= at < extent for at, extent in zip(place, extents)):
                matrix[numbers[place], numbers[sample]] += filter[tap]
    return matrix


def non_stationary_convolve2d():
    file = File("non_stationary_convolve2d")
    for case, dims, places, taps in (
        ("several", (11, 6), ((1, 4, 7), (0, 5)), (3, 3)),
        ("long", (5, 7), ((1, 3), (2, 3, 4)), (5, 3)),
    ):
        make = lambda dtype, filters: NonStationaryConvolve2D(dims, filters, *places, dtype=dtype)
        conjugated(file, case, make, filters=(*map(len, places), *taps))
    uneven = [(11, (1, 4, 7)), (6, (0, 1, 5))]
    file.add("uneven", lambda dtype, filters: spreading(filters, uneven), filters=(3, 3, 3, 3))
    return file


def non_stationary_convolve3d():
    file = File("non_stationary_convolve3d")
    places = ((1, 3), (0, 2), (2, 5, 8))
    make = lambda dtype, filters: NonStationaryConvolve3D((5, 4, 11), filters, *places, dtype=dtype)
    conjugated(file, "several", make, filters=(2, 2, 3, 3, 1, 3))
    return file


def non_stationary_filters1d():
    file = File("non_stationary_filters1d")
    for case, extent, places, taps in (
        ("several", 11, (1, 4, 7), 3),
        ("ends", 7, (0, 6), 5),
        ("long", 13, (2, 4), 11),
    ):
        make = lambda dtype, input: NonStationaryFilters1D(input, taps, places, dtype=dtype)
        conjugated(file, case, make, input=(extent,))
    return file


def non_stationary_filters2d():
    file = File("non_stationary_filters2d")
    for case, dims, places, taps in (
        ("several", (11, 6), ((1, 4, 7), (0, 5)), (3, 3)),
        ("long", (5, 7), ((1, 3), (2, 3, 4)), (11, 3)),
    ):
        make = lambda dtype, input: NonStationaryFilters2D(input, taps, *places, dtype=dtype)
        conjugated(file, case, make, input=dims)
    return file


def of_parts(file, case, make, inverse=False, dtypes=DTYPES):
    """PyLops takes real parts: of complex numbers, what it says of both parts. The adjoint of the inverse is that of its matrix."""
    operator = make("float64")
    rows, columns = operator.shape
    linear = lambda f, x: f(x.real) + 1j * f(x.imag) if np.iscomplexobj(x) else f(x)
    for dtype in dtypes:
        x, y = file.random(columns, dtype), file.random(rows, dtype)
        if inverse:
            matrix = np.stack([operator.inverse(unit) for unit in np.eye(operator.shape[0])], 1)
            forward, adjoint = matrix @ x, matrix.T @ y
        else:
            forward, adjoint = linear(operator.matvec, x), linear(operator.rmatvec, y)
        file.put(dtype, case, x=x, y=y, forward=forward, adjoint=adjoint)


def chirp_radon2d():
    file = File("chirp_radon2d")
    make = lambda nx, nt, pmax: lambda dtype: ChirpRadon2D(np.arange(nt) * 0.004, np.arange(nx) * 10.0, pmax, dtype=dtype)
    of_parts(file, "odd", make(11, 7, 0.75))
    of_parts(file, "even", make(6, 5, -1.5))
    of_parts(file, "inverse", make(11, 7, 0.75), inverse=True)
    # With the highest frequency, of which real parts are another thing.
    of_parts(file, "even_time", make(5, 8, 1.25), dtypes=("float64",))
    return file


def chirp_radon3d():
    file = File("chirp_radon3d")
    # PyLops has the largest slope of x first.
    make = lambda dtype: ChirpRadon3D(np.arange(11) * 0.5, np.arange(5), np.arange(4) * 2.0, (-0.5, 0.75), dtype=dtype)
    of_parts(file, "slopes", make)
    of_parts(file, "inverse", make, inverse=True)
    return file


def radon_places(slownesses, offsets, even=True):
    bent = lambda place: place if even else place + 0.125 * place * place
    return bent(np.arange(slownesses) * 0.25 - 0.5), bent(np.arange(offsets) * 0.5 - 1.0)


def fourier_radon2d():
    file = File("fourier_radon2d")
    for case, samples, slownesses, offsets, points, even, dtypes, options in (
        ("lines", 7, 3, 5, 11, True, DTYPES, {}),
        ("parabolas", 7, 3, 5, 11, True, DTYPES, {"kind": "parabolic"}),
        ("band", 7, 4, 3, 9, True, DTYPES, {"flims": (1, 3)}),
        ("uneven", 5, 11, 2, 5, False, DTYPES, {}),
        ("even", 5, 3, 4, 8, True, ("float64",), {}),
    ):
        p, h = radon_places(slownesses, offsets, even)
        make = lambda dtype: FourierRadon2D(np.arange(samples) * 0.5, h, p, points, dtype=dtype, **options)
        of_parts(file, case, make, dtypes=dtypes)
    return file


def fourier_radon3d():
    file = File("fourier_radon3d")
    for case, options in (("planes", {}), ("mixed", {"kind": ("parabolic", "linear"), "flims": (1, 5)})):
        (py, hy), (px, hx) = radon_places(3, 2), radon_places(2, 4)
        of_parts(file, case, lambda dtype: FourierRadon3D(np.arange(11) * 0.5, hy, hx, py, px, 13, dtype=dtype, **options))
    return file


def radon_curve(kind, interp):
    """A curve as PyLops takes it, moved where it is wrong: a position on the last sample is left out, and for the nearest sample that
    before it is taken."""
    curves = {
        "linear": lambda x, t, p: t + p * x,
        "parabolic": lambda x, t, p: t + p * x**2,
        "hyperbolic": lambda x, t, p: np.sqrt(t**2 + (x / p) ** 2),
    }

    def curve(x, t, p):
        positions = curves[kind](x, t, p)
        if not interp:
            return np.floor(positions + 0.5)
        return np.where(positions == RADON_SAMPLES - 1, np.nextafter(positions, 0), positions)

    return curve


RADON_SAMPLES = 13
RADON_OFFSETS = np.arange(-4.0, 5.0, 2.0)
RADON_SLOWNESSES = {
    "linear": np.array([-0.3, 0.0, 0.8125]),
    "parabolic": np.array([-0.125, 0.03, 0.3]),
    "hyperbolic": np.array([0.75, -1.0, 3.0]),
}
# What PyLops multiplies slownesses by without being asked, with steps of 2 and 0.5.
RADON_UNITS = {"linear": 1, "parabolic": 2.0, "hyperbolic": (0.5 / 2.0) ** 2}


def radon2d():
    file = File("radon2d")
    taxis = np.arange(RADON_SAMPLES) * 0.5
    for kind, interp in np.ndindex(3, 2):
        kind, interp = list(RADON_SLOWNESSES)[kind], bool(interp)
        p = RADON_SLOWNESSES[kind] * RADON_UNITS[kind]
        curve = radon_curve(kind, interp)
        make = lambda dtype, kind=curve, h=RADON_OFFSETS: Radon2D(
            taxis, h, p, kind=kind, centeredh=False, interp=interp, dtype=dtype
        )
        file.add(kind if interp else f"{kind}_nearest", make)
        if interp:
            # With its own curves PyLops gives the same where none is on the last sample of data.
            own, x = make("float64", kind=kind), np.random.default_rng(0).normal(size=(3, RADON_SAMPLES))
            assert np.allclose((own @ x)[:, :-1], (make("float64") @ x)[:, :-1], rtol=1e-13, atol=1e-13), kind
    curve = radon_curve("hyperbolic", True)
    half = lambda x, t, p: np.where(x < 0, -1.0, curve(x, t, p))
    p = RADON_SLOWNESSES["hyperbolic"] * RADON_UNITS["hyperbolic"]
    make = lambda dtype: Radon2D(taxis, RADON_OFFSETS, p, kind=half, centeredh=False, onthefly=True, dtype=dtype)
    file.add("along", make)
    return file


def radon3d():
    file = File("radon3d")
    taxis = np.arange(RADON_SAMPLES) * 0.5
    for case, kind, interp in (
        ("planes", "linear", True),
        ("paraboloids", "parabolic", True),
        ("hyperboloids", "hyperbolic", True),
        ("nearest", "linear", False),
    ):
        p, h = RADON_SLOWNESSES[kind], RADON_OFFSETS
        (hy, hx), (py, px) = (h[1:4], h[:4]), (p, p[:2] * 0.625)
        file.add(case, lambda dtype: radon3d_matrix(kind, interp, (py, px), (hy, hx)).astype(dtype))
        if interp:
            units = RADON_UNITS[kind]
            operator = Radon3D(taxis, hy, hx, py * units, px * units, kind=kind, centeredh=False)
            x = np.random.default_rng(0).normal(size=operator.shape[1])
            own = radon3d_matrix(kind, interp, (py, px), (hy, hx), last=False) @ x
            assert np.allclose(operator @ x, own, rtol=1e-13, atol=1e-13), case
    return file


def radon3d_matrix(kind, interp, slownesses, offsets, last=True):
    """By its definition, because PyLops takes no curves in three dimensions: with positions on the last sample, and the nearest
    samples. Without the last sample it is PyLops's."""
    n, step = RADON_SAMPLES, 0.5
    rows, columns = [[len(axis) for axis in axes] for axes in (offsets, slownesses)]
    matrix = np.zeros((*rows, n, *columns, n))
    for iy, ix, jy, jx, t in np.ndindex(*rows, *columns, n):
        (y, x), (p, q) = (offsets[0][iy], offsets[1][ix]), (slownesses[0][jy], slownesses[1][jx])
        position = {
            "linear": lambda: t + (p * y + q * x) / step,
            "parabolic": lambda: t + (p * y**2 + q * x**2) / step,
            "hyperbolic": lambda: np.sqrt(t**2 + (y / (p * step)) ** 2 + (x / (q * step)) ** 2),
        }[kind]()
        if not interp:
            position = np.floor(position + 0.5)
        if 0 <= position <= n - 1 and (last or position < n - 1):
            sample = int(position)
            matrix[iy, ix, sample, jy, jx, t] += 1 - position % 1
            if position % 1:
                matrix[iy, ix, sample + 1, jy, jx, t] += position % 1
    return matrix.reshape(int(np.prod(rows)) * n, -1)


CT_ANGLES = np.array([0.0, 0.3, np.pi / 4, 1.2, np.pi / 2, 2.5, 4.0])


def ct2d():
    """By the definition of Joseph's projector, because ASTRA, which PyLops calls, has no double precision, and no such projector of fans. Its
    parallel rays are held against it, and fans against its line integrals of a smooth image, which do not differ by much."""
    file = File("ct2d")
    fan = {"proj_geom_type": "fanflat", "source_origin_dist": 20.0, "origin_detector_dist": 12.0}
    for case, dims, count, width, angles, options in (
        ("parallel", (7, 13), 11, 1.25, CT_ANGLES, {}),
        ("fan", (7, 13), 11, 1.75, CT_ANGLES, fan),
        ("narrow", (5, 4), 17, 0.3, CT_ANGLES[:2], {}),
        ("across", (3, 5), 2, 2.5, CT_ANGLES[3:5], fan),
    ):
        matrix = joseph(dims, count, width, angles, **options)
        file.add(case, lambda dtype: matrix.astype(dtype))
        if not options:
            x = np.random.default_rng(0).normal(size=dims).astype(np.float32).ravel()
            astra = CT2D(dims, width, count, angles, "cpu", projector_type="linear") @ x
            assert np.allclose(astra, matrix @ x, rtol=1e-5, atol=2e-5), case
    fan.update(source_origin_dist=100.0, origin_detector_dist=40.0)
    y, x = np.mgrid[:60, :80]
    image = np.exp(-((y - 22) ** 2 + (x - 50) ** 2) / 60).astype(np.float32).ravel()
    astra = CT2D((60, 80), 1.5, 90, CT_ANGLES, "cpu", projector_type="strip", **fan) @ image
    assert np.abs(joseph((60, 80), 90, 1.5, CT_ANGLES, **fan) @ image - astra).max() < 0.02 * astra.max()
    return file


def joseph(dims, count, width, angles, proj_geom_type="parallel", source_origin_dist=0.0, origin_detector_dist=0.0):
    """The matrix of linear interpolation between the pixels of each row, or column, that a ray crosses."""
    matrix = np.zeros((len(angles), count, *dims))
    middle = (np.array(dims) - 1) / 2
    for (at, angle), detector in ((a, d) for a in enumerate(angles) for d in range(count)):
        sine, cosine = np.sin(angle), np.cos(angle)
        along = (detector - (count - 1) / 2) * width
        place, way = np.array([cosine, sine]) * along, np.array([sine, -cosine])
        if proj_geom_type == "fanflat":
            source = source_origin_dist * way
            place = place - origin_detector_dist * way
            way = place - source
        # From x and y, upwards, to rows and columns.
        place, way = middle + place[::-1] * (-1, 1), way[::-1] * (-1, 1)
        down = abs(way[0]) >= abs(way[1])
        image = matrix[at, detector] if down else matrix[at, detector].T
        (k, p), (u, v) = (place, way) if down else (place[::-1], way[::-1])
        for line in range(image.shape[0]):
            position = p + (line - k) * v / u
            for sample in (int(np.floor(position)), int(np.floor(position)) + 1):
                if 0 <= sample < image.shape[1]:
                    image[line, sample] += (1 - abs(position - sample)) * np.hypot(1, v / u)
    return matrix.reshape(len(angles) * count, -1)


def spectra(file, case, make):
    """All bins of real and of complex numbers, and half of those of real ones."""
    with warnings.catch_warnings():
        # PyLops says what it is asked for when points are few or half a spectrum is shifted.
        warnings.simplefilter("ignore")
        file.add_spectra(f"{case}_full", lambda dtype: make(dtype=dtype, real=False))
        file.add_spectra(f"{case}_half", lambda dtype: make(dtype=dtype, real=True), dtypes=("float64",))


def fft():
    file = File("fft")

    def add(case, dims, **options):
        spectra(file, case, lambda **others: FFT(dims, **options, **others))

    add("vector", (12,))
    for axis in range(3):
        add(f"axis{axis}", (5, 4, 7), axis=axis, norm="none")
    add("padded", (3, 7), nfft=10, norm="1/n")
    add("cut", (3, 9), nfft=6)
    add("turned", (9, 2), axis=0, ifftshift_before=True, fftshift_after=True)
    add("turned_padded", (2, 7), nfft=10, ifftshift_before=True, fftshift_after=True, norm="none")
    add("turned_cut", (2, 8), nfft=5, ifftshift_before=True)
    add("prime", (2, 17), norm="1/n")
    add("single", (1, 3), axis=0)
    return file


def fft2d():
    file = File("fft2d")

    def add(case, dims, **options):
        # The other engine has no adjoint for two of the norms.
        spectra(file, case, lambda **others: FFT2D(dims, engine="numpy", **options, **others))

    for norm in ("ortho", "none", "1/n"):
        add("norm_" + norm.replace("/", ""), (5, 6), norm=norm)
    add("axes", (4, 3, 5), axes=(2, 0))
    add("padded", (5, 4), nffts=(8, 7))
    add("cut", (5, 7), nffts=(4, 6), norm="none")
    add("turned", (5, 4, 3), axes=(0, 1), ifftshift_before=(True, False), fftshift_after=(True, False))
    return file


def fftnd():
    file = File("fftnd")

    def add(case, dims, **options):
        spectra(file, case, lambda **others: FFTND(dims, engine="numpy", **options, **others))

    add("norm_ortho", (3, 4, 5))
    add("norm_none", (3, 4, 5), axes=(0, 2), norm="none")
    add("turned", (3, 5, 4), axes=(1, 2), nffts=(5, 4), ifftshift_before=(True, False), fftshift_after=(True, True))
    add("norm_1n", (3, 4, 5), axes=(0, 2), norm="1/n")
    add("axes", (4, 3, 2, 5), axes=(3, 0, 1))
    add("padded", (2, 5, 3), axes=(0, 2), nffts=(3, 4))
    add("one_axis", (4, 3), axes=(0,))
    return file


def shift():
    file = File("shift")

    def add(case, dims, delay, **options):
        make = lambda dtype: Shift(dims, delay, real=dtype == "float64", dtype=dtype, **options)
        for dtype in DTYPES:
            operator = make(dtype)
            x, y = (file.random(int(np.prod(dims)), dtype) for _ in range(2))
            forward, adjoint = operator.matvec(x), operator.rmatvec(y)
            file.put(dtype, case, x=x, y=y, forward=forward, adjoint=adjoint)
            if np.ndim(delay):
                file.put(dtype, case, delays=delay)

    add("vector", (12,), 2.3)
    add("odd", (11,), -1.5, sampling=0.25)
    add("axis0", (7, 4), 1.75, axis=0, sampling=0.5)
    add("padded", (3, 9), 4.25, nfft=16)
    delays = random((3, 2), "float64", [file.seed, 0])
    add("each_axis1", (3, 8, 2), 3 * delays, axis=1)
    add("each_axis0", (9, 3, 2), delays, axis=0, sampling=0.25, nfft=12)
    add("each_last", (3, 2, 7), delays, axis=-1)
    return file


def poststack_linear_modelling():
    file = File("poststack_linear_modelling")

    def add(case, nt0, wavelet, **options):
        h = random(wavelet, "float64", [file.seed, nt0, wavelet])
        # PyLops takes the dtype of the wavelet for that of the operator.
        file.add(case, lambda dtype: PoststackLinearModelling(h.astype(dtype), nt0, **options))
        for dtype in DTYPES:
            file.put(dtype, case, wavelet=h)

    add("centered", 13, 5, kind="centered")
    add("forward", 13, 5, kind="forward")
    add("even", 13, 4, kind="centered")
    add("section", 11, 7, spatdims=3, kind="centered")
    add("volume", 11, 7, spatdims=(2, 3), kind="forward")
    add("long", 71, 69, spatdims=2, kind="centered")
    return file


def mri2d():
    file = File("mri2d")
    mask = np.random.default_rng(3).uniform(-1, 1, (5, 6)).astype(np.float32)

    def add(case, dims, what, places=None, **parameters):
        class Placed(MRI2D):
            """Lines or points that are given, where PyLops draws them."""

            if places is not None:
                _vertical_mask = _radial_mask = staticmethod(lambda *args, **kwargs: np.array(places))

        arrays = dict(mask=mask.astype("complex128")) if what is mask else {}
        given = arrays.get("mask", what)

        # The adjoint of those that PyLops makes of real images fails.
        def make(dtype):
            operator = Placed(dims, given, dtype="complex128", **parameters)
            return operator if dtype == "complex128" else operator.toreal(forw=False)

        file.add_spectra(case, make, **arrays)

    add("mask", (5, 6), mask)
    add("regular", (5, 13), "vertical-reg", nlines=4, perc_center=0.0)
    add("lines", (7, 11), "vertical-uni", [1, 4, 5, 6, 10], nlines=2, perc_center=0.3)
    add("spokes", (7, 7), "radial-reg", nlines=2)
    add("points", (5, 4), "radial-uni", [[0.25, 3.5, 2, 1.125], [1.5, 0, 2, 2.75]], nlines=2)
    return file


def parts(dtype):
    first = pylops.FirstDerivative((7, 3), axis=0, kind="forward", sampling=0.5, dtype=dtype)
    second = pylops.SecondDerivative((7, 3), axis=1, dtype=dtype)
    return first, second


def compositions():
    """Two derivatives of a (7, 3) model, put together in every way."""
    makers = {
        "after": lambda dtype: np.prod(parts(dtype)),
        "sum": lambda dtype: parts(dtype)[0] + parts(dtype)[1],
        "difference": lambda dtype: parts(dtype)[0] - parts(dtype)[1],
        "scaled": lambda dtype: -2.5 * parts(dtype)[0],
        "adjoint": lambda dtype: parts(dtype)[0].H,
        "vstack": lambda dtype: pylops.VStack(list(parts(dtype)), dtype=dtype),
        "hstack": lambda dtype: pylops.HStack(list(parts(dtype)), dtype=dtype),
        "block_diagonal": lambda dtype: pylops.BlockDiag(list(parts(dtype)), dtype=dtype),
    }
    file = File("compositions")
    for case, make in makers.items():
        file.add(case, make)
    file.add("scaled_complex", lambda dtype: (0.5 - 2j) * parts(dtype)[0], dtypes=("complex128",))
    some = [20, 3, 4, 0, 11]
    file.add("columns", lambda dtype: parts(dtype)[0].apply_columns(some))
    for dtype in DTYPES:
        x, y = file.random((21, 4), dtype), file.random((21, 4), dtype)
        of = parts(dtype)[0]
        forward, adjoint = of.matmat(x), of.rmatmat(y)
        file.put(dtype, "lifted", x=x, y=y, forward=forward, adjoint=adjoint)
    file.add("transpose", lambda dtype: (2 * parts(dtype)[0]).T)
    file.add("power", lambda dtype: parts(dtype)[0] ** 3)
    file.add("power_zero", lambda dtype: pylops.Identity(21, dtype=dtype))
    file.add("normal", lambda dtype: pylops.Identity(21, dtype=dtype) + 0.25 * parts(dtype)[0].H @ parts(dtype)[0])
    first = lambda dtype: (0.5 - 2j) * parts(dtype)[0]
    file.add("conj", lambda dtype: first(dtype).conj(), dtypes=("complex128",))
    file.add("transpose_complex", lambda dtype: first(dtype).T, dtypes=("complex128",))

    def block(dtype):
        one, two = parts(dtype)
        return pylops.Block([[one, two], [two, 0.5 * one]], dtype=dtype)

    file.add("block", block)
    # Flat, it is the same along a new axis.
    file.add("stack", lambda dtype: pylops.VStack(list(parts(dtype)[::-1]), dtype=dtype))
    return file


def cgls_by_definition(matrix, y, x0, damp, iterations):
    """CGLS (Björck, Numerical Methods for Least Squares Problems, 1996, algorithm 7.4.1) on [A; damp I]."""
    matrix = np.vstack((matrix, damp * np.eye(matrix.shape[1])))
    y = np.concatenate((y, np.zeros(matrix.shape[1])))
    x = x0.copy()
    s = y - matrix @ x
    r = p = matrix.conj().T @ s
    residuals = []
    rows = len(y) - len(x)
    for _ in range(iterations):
        residuals.append(np.linalg.norm(s[:rows]))
        q = matrix @ p
        step = np.vdot(r, r) / np.vdot(q, q)
        x = x + step * p
        s = s - step * q
        before, r = np.vdot(r, r), matrix.conj().T @ s
        p = r + np.vdot(r, r) / before * p
    residuals.append(np.linalg.norm(s[:rows]))
    return x, np.array(residuals)


def cgls():
    """A post-stack section of 31 x 3 samples; `residuals` begins with the norm at the start vector."""
    file = File("cgls")
    wavelet = random(7, "float64", [file.seed])
    iterations = 12
    for dtype in DTYPES:
        operator = PoststackLinearModelling(wavelet.astype(dtype), 31, spatdims=3)
        y, start = file.random(93, dtype), file.random(93, dtype)
        for case, damp in (("plain", 0.0), ("damped", 0.5)):
            x, _, _, _, _, cost = pylops.cgls(
                operator, y, x0=np.zeros(93, dtype), niter=iterations, damp=damp, tol=0.0
            )
            assert len(cost) == iterations + 1
            file.put(dtype, case, wavelet=wavelet, y=y, x=x, residuals=cost)
        # With a start vector PyLops uses damp where damp^2 belongs; these are by definition.
        matrix = operator.todense().astype(dtype)
        x, residuals = cgls_by_definition(matrix, y, start, 0.5, iterations)
        file.put(dtype, "started", wavelet=wavelet, y=y, start=start, x=x, residuals=residuals)
    return file


def best_of_krylov_space(matrix, start, iterations, norm):
    """Iterates by definition: of the space of `start`, `matrix start`, …, the one with the least `norm(basis)`."""
    basis, iterates = np.zeros((len(start), 0)), []
    new = start
    for _ in range(iterations):
        for _ in range(2):
            new = new - basis @ (basis.conj().T @ new)
        basis = np.column_stack((basis, new / np.linalg.norm(new)))
        iterates.append(basis @ norm(basis))
        new = matrix @ basis[:, -1]
    return iterates


def krylov():
    """Each method on a dense matrix of its kind; `residuals` begins with the norm of the data.

    As PyLops 2.8.0 and SciPy have them; where a method takes no complex numbers, or keeps no history, by definition.
    """
    file = File("krylov")
    steps = 9
    for dtype in DTYPES:
        n, m = 17, 23
        wide = {"float32": "float64", "complex64": "complex128"}.get(dtype, dtype)
        draw = lambda shape: file.random(shape, dtype).astype(wide)
        tall, square, y, short = draw((m, n)), draw((n, n)), draw(m), draw(n)
        tall[:n] += 4 * np.eye(n)
        hermitian = square + square.conj().T
        positive = hermitian @ hermitian / n + 3 * np.eye(n)
        general = square + 5 * np.eye(n)

        def put(case, matrix, data, iterates, residuals=None):
            lengths = [np.linalg.norm(data)] + [np.linalg.norm(data - matrix @ x) for x in iterates]
            if residuals is not None:
                assert np.allclose(residuals, lengths, rtol=1e-8), (case, dtype)
            file.put(dtype, case, matrix=matrix, y=data, x=iterates[-1], residuals=lengths)

        def seen(solve):
            iterates = []
            solve(lambda x: iterates.append(x.copy()))
            return iterates

        operator = pylops.MatrixMult(positive, dtype=wide)
        zero = np.zeros(n, wide)
        every = []
        _, _, cost = pylops.cg(operator, short, x0=zero, niter=steps, tol=0.0, callback=lambda x: every.append(x.copy()))
        put("cg", positive, short, every, cost)
        inverse = np.diag(1 / np.diag(positive))
        put("cg_jacobi", positive, short, seen(lambda keep: sp.cg(positive, short, M=inverse, rtol=0.0, maxiter=steps, callback=keep)))

        operator = pylops.MatrixMult(tall, dtype=wide)
        normal, gradient = tall.conj().T @ tall, tall.conj().T @ y
        for case, damp in (("lsqr", 0.0), ("lsqr_damped", 1.5)):
            x, *_, cost = pylops.lsqr(operator, y, x0=np.zeros(n, wide), damp=damp, atol=0.0, btol=0.0, conlim=0.0, niter=steps)
            stacked = np.vstack((tall, damp * np.eye(n)))
            data = np.concatenate((y, zero))
            iterates = best_of_krylov_space(normal, gradient, steps, lambda v: np.linalg.lstsq(stacked @ v, data, rcond=None)[0])
            assert np.allclose(x, iterates[-1])
            # With damping, PyLops (and SciPy) subtract the norm of an x that is one iteration old: `cost` is not `|y - A x|`.
            assert damp == 0.0 or not np.allclose(cost[-1], np.linalg.norm(y - tall @ x), rtol=1e-6)
            put(case, tall, y, iterates, cost if damp == 0.0 else None)
        for case, damp in (("lsmr", 0.0), ("lsmr_damped", 1.5)):
            damped = normal + damp**2 * np.eye(n)
            iterates = best_of_krylov_space(normal, gradient, steps, lambda v: np.linalg.lstsq(damped @ v, gradient, rcond=None)[0])
            x, *_ = sp.lsmr(tall, y, damp=damp, atol=0.0, btol=0.0, conlim=0.0, maxiter=steps)
            assert np.allclose(x, iterates[-1])
            put(case, tall, y, iterates)
        for case, matrix in (("minres", hermitian), ("gmres", general)):
            put(case, matrix, short, best_of_krylov_space(matrix, short, steps, lambda v: np.linalg.lstsq(matrix @ v, short, rcond=None)[0]))
        x, _ = sp.gmres(general, short, rtol=0.0, restart=steps, maxiter=1)
        assert np.allclose(x, file.arrays[f"{dtype}/gmres/x"], rtol=1e-4)
        restarted = []
        x = zero
        for _ in range(3):
            x, _ = sp.gmres(general, short, x0=x, rtol=0.0, restart=3, maxiter=1)
            restarted.append(x)
        file.put(dtype, "gmres_restarted", matrix=general, y=short, x=x, residuals=[np.linalg.norm(short - general @ x) for x in restarted])
        put("bicgstab", general, short, seen(lambda keep: sp.bicgstab(general, short, rtol=0.0, maxiter=steps, callback=keep)))
    return file


def events():
    """Gathers, and what they are made of; events before the axis, beyond it and at its end among them.

    None comes less than a sample before the first time, or at the last sample that counts: there PyLops is wrong.
    """
    file = File("events")
    par = {"ox": -31.0, "dx": 7.0, "nx": 7, "oy": 3.0, "dy": -5.0, "ny": 5, "ot": 0.125, "dt": 0.0625, "nt": 37}
    t, t2, x, y = seismicevents.makeaxis(par)
    file.put("float64", "makeaxis", t=t, t2=t2, x=x, y=y, par=list(par.values()))
    wavelets = {"odd": random(9, "float64", [file.seed, 1]), "even": random(6, "float64", [file.seed, 2])}
    amp = np.array([1.0, -0.5, 0.25, 2.0, 0.75])
    t0 = np.array([0.25, 1.0, 1.75, 2.05, 1.5])
    v, theta, phi = 200.0, np.array([20.0, -35.0, 60.0, 5.0, 85.0]), np.array([0.0, 30.0, 110.0, -70.0, 45.0])
    px, pxx = np.array([1e-3, -2e-3, 5e-3, 0.0, -4e-2]), np.array([1e-4, 2e-5, -3e-5, 5e-5, 0.0])
    py, pyy = px[::-1].copy(), pxx[::-1].copy()
    vx, vy = np.array([100.0, 80.0, 200.0, 150.0, 10.0]), np.array([90.0, 300.0, -70.0, 50.0, 20.0])

    def put(case, made, **parameters):
        spikes, data = made
        file.put("float64", case, t0=t0, amp=amp, spikes=spikes, data=data, **parameters)

    for name, wav in wavelets.items():
        file.put("float64", f"wavelet_{name}", wavelet=wav)
        angles, slopes = {"v": [v], "theta": theta}, {"px": px, "pxx": pxx}
        put(f"linear2d_{name}", seismicevents.linear2d(x, t, v, t0, theta, amp, wav), **angles)
        put(f"parabolic2d_{name}", seismicevents.parabolic2d(x, t, t0, px, pxx, amp, wav), **slopes)
        put(f"hyperbolic2d_{name}", seismicevents.hyperbolic2d(x, t, t0, vx, amp, wav), vx=vx)
        angles, slopes = {**angles, "phi": phi}, {**slopes, "py": py, "pyy": pyy}
        put(f"linear3d_{name}", seismicevents.linear3d(x, y, t, v, t0, theta, phi, amp, wav), **angles)
        made = seismicevents.parabolic3d(x, y, t, t0, px, py, pxx, pyy, amp, wav)
        put(f"parabolic3d_{name}", made, **slopes)
        made = seismicevents.hyperbolic3d(x, y, t, t0, vx, vy, amp, wav)
        put(f"hyperbolic3d_{name}", made, vx=vx, vy=vy)
    return file


def tapers():
    """Weights with ramps of every kind at both ends, and their products along several axes."""
    file = File("tapers")
    for kind in ("hanning", "cosine", "cosinesquare", "cosinesqrt"):
        for n, ramp in ((11, 3), (11, 5), (12, 6), (7, 1), (7, 0), (1, 0), (71, 20)):
            file.put("float64", f"{kind}_{n}_{ramp}", weights=pylops_tapers.taper(n, ramp, kind))
        file.put("float64", f"{kind}_2d", weights=pylops_tapers.taper2d(5, 11, 4, kind))
        file.put("float64", f"{kind}_3d", weights=pylops_tapers.taper3d(3, (11, 7), (4, 2), kind))
        file.put("float64", f"{kind}_nd", weights=pylops_tapers.tapernd((5, 7, 3, 2), (2, 3, 1, 0), kind))
    return file


def wavelets():
    """Each with few and many samples to each side; an even number of times loses its last one."""
    file = File("wavelets")

    def put(case, made):
        wavelet, _, center = made
        assert center == len(wavelet) // 2
        file.put("float64", case, wavelet=wavelet)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for half in (2, 7, 30):
            t = np.arange(half + 1) * 0.004
            # An even number of times would lose its last one.
            t = t if len(t) % 2 else np.arange(half + 2) * 0.004
            for f0 in (5.0, 25.0):
                put(f"ricker_{half}_{f0:.0f}", pylops_wavelets.ricker(t, f0))
            for std in (0.5, 3.0):
                put(f"gaussian_{half}_{std}", pylops_wavelets.gaussian(t, std))
            for f in ((5.0, 20.0), (10.0, 60.0)):
                put(f"klauder_{half}_{f[0]:.0f}_{f[1]:.0f}", pylops_wavelets.klauder(t, f))
            for f in ((5.0, 10.0, 45.0, 50.0), (1.0, 5.0, 20.0, 70.0)):
                put(f"ormsby_{half}_{f[0]:.0f}_{f[3]:.0f}", pylops_wavelets.ormsby(t, f))
    return file


def metrics():
    file = File("metrics")
    for dtype in DTYPES:
        for case, shape in (("one", 1), ("vector", 71), ("matrix", (7, 5)), ("cube", (3, 1, 5))):
            x, y = file.random(shape, dtype), file.random(shape, dtype)
            of = {name: getattr(pylops_metrics, name)(x, y) for name in ("mae", "mse", "snr")}
            # The largest of complex numbers is none that means anything.
            largest = 2.0 if dtype == "complex128" else None
            of["psnr"] = pylops_metrics.psnr(x, y, xmax=largest)
            of["psnr_between"] = pylops_metrics.psnr(x, y, xmax=3.0, xmin=-1.5)
            file.put(dtype, case, x=x, y=y, **of)
    return file


def slopes():
    file = File("slopes")

    def tensor(case, shape, **parameters):
        section = file.random(shape, "float64")
        found, anisotropy = pylops_signals.slope_estimate(section, **parameters)
        dips, _ = pylops_signals.dip_estimate(section, **parameters)
        file.put("float64", case, section=section, slopes=found, anisotropy=anisotropy, dips=dips)

    tensor("default", (13, 11))
    tensor("steps", (11, 13), dz=2.0, dx=0.5, smooth=1.5)
    tensor("short", (2, 5), smooth=(5.0, 0.0))
    tensor("threshold", (13, 11), smooth=(1.0, 2.0), eps=0.25)
    tensor("nothing", (5, 7), eps=1e3)

    def destroyed(case, shape, **parameters):
        z, x, *y = np.indices(shape)
        section = np.sin(0.4 * (z - 0.5 * x - (0.25 * y[0] if y else 0))) + 0.01 * file.random(shape, "float64")
        found = pylops_signals.pwd_slope_estimate(section, nsmooth=5, liter=200, damp=0.1, **parameters)
        file.put("float64", case, section=section, slopes=found)

    destroyed("pwd_five", (17, 11), niter=3)
    destroyed("pwd_three", (17, 11), niter=2, order=1)
    # PyLops refuses means of a section.
    destroyed("pwd_boxcar", (13, 5, 7), niter=1, smoothing="boxcar", axis=1)
    destroyed("pwd_last", (13, 5, 7), niter=1, axis=-1)
    return file


def sparse():
    """Thresholds and methods for sparse models, on an underdetermined dense matrix; `residuals` begins with the norm of the data."""
    file = File("sparse")
    steps, m, n = 12, 9, 20
    tau, kept, eps, alpha = 0.3, 60.0, 0.5, 0.025
    threshold = {
        kind: getattr(pylops.optimization.cls_sparsity, f"_{kind}threshold") for kind in ("soft", "hard", "half")
    }
    for dtype in DTYPES:
        matrix, y, z = file.random((m, n), dtype), file.random(m, dtype), file.random((5, 7), dtype)
        basis = np.linalg.qr(file.random((n, n), dtype))[0]
        z[1, 2] = 0
        assert np.linalg.norm(matrix, 2) ** 2 < 1 / alpha
        file.put(dtype, "problem", matrix=matrix, y=y, basis=basis)
        for kind, of in threshold.items():
            percentile = getattr(pylops.optimization.cls_sparsity, f"_{kind}threshold_percentile")
            file.put(dtype, f"threshold_{kind}", x=z, result=of(z, tau))
            file.put(dtype, f"threshold_{kind}_keeping", x=z, result=percentile(z, 100 - kept))
        operator, transform = pylops.MatrixMult(matrix, dtype=dtype), pylops.MatrixMult(basis, dtype=dtype)

        def put(case, method, **parameters):
            iterates = [np.zeros(n, dtype)]
            keep = lambda x: iterates.append(x.copy())
            arguments = dict(niter=steps, eps=eps, alpha=alpha, tol=0.0, callback=keep) | parameters
            x, _, cost = method(operator, y, **arguments)
            assert np.array_equal(x, iterates[-1])
            residuals = [np.linalg.norm(y - matrix @ x) for x in iterates]
            # The objective that PyLops keeps has a factor 1/2 at the misfit alone, and the norm 1 whatever is minimised. Its ISTA takes
            # the misfit of one iteration before.
            late = 1 if method is pylops.ista else 0
            misfits = np.array(residuals[1 - late : len(residuals) - late])
            norms = [np.abs(x).sum() for x in iterates[1:]]
            assert np.allclose(cost, 0.5 * misfits**2 + arguments["eps"] * np.array(norms)), (case, dtype)
            file.put(dtype, case, x=x, residuals=residuals)

        for name, method in (("ista", pylops.ista), ("fista", pylops.fista)):
            for kind in threshold:
                put(f"{name}_{kind}", method, threshkind=kind)
            put(f"{name}_keeping", method, threshkind="half-percentile", perc=40.0)
            put(f"{name}_decay", method, decay=0.8 ** np.arange(steps))
            put(f"{name}_basis", method, SOp=transform)
    return file


def variational():
    """Split Bregman, reweighted least squares and matching pursuit on dense matrices; `residuals` begins with the norm of the data."""
    file = File("variational")
    exact = dict(iter_lim=1000, atol=1e-15, btol=1e-15)
    for dtype in DTYPES:

        def put(case, matrix, y, solve, **arrays):
            iterates = [np.zeros(matrix.shape[1], dtype)]
            solve(pylops.MatrixMult(matrix, dtype=dtype), lambda x, *_: iterates.append(np.array(x)))
            residuals = [np.linalg.norm(y - matrix @ x) for x in iterates]
            file.put(dtype, case, matrix=matrix, y=y, x=iterates[-1], residuals=residuals, **arrays)

        n = 16
        slope, bend = np.diff(np.eye(n), axis=0), np.diff(np.eye(n), n=2, axis=0)
        matrix = np.eye(n) + 0.2 * file.random((n, n), dtype)
        y, target = file.random(n, dtype) + 2.0 * (np.arange(n) > 6), 0.1 * file.random(n - 2, dtype)
        put(
            "split_bregman", matrix, y, lambda op, keep: pylops.splitbregman(
                op, y, [pylops.MatrixMult(slope, dtype=dtype)], niter_outer=4, niter_inner=3,
                RegsL2=[pylops.MatrixMult(bend, dtype=dtype)], dataregsL2=[target],
                mu=1.5, epsRL1s=[0.6], epsRL2s=[0.3], tol=1e-30, tau=0.9, callback=keep, **exact,
            ), slope=slope, bend=bend, target=target,
        )

        tall, wide = file.random((17, 5), dtype), file.random((6, 14), dtype)
        long, short = file.random(17, dtype), file.random(6, dtype)
        long[[3, 8]] += 20.0
        reweighted = dict(nouter=5, epsR=1e-2, epsI=0.1, tolIRLS=0.0, **exact)
        for case, clipped in (("irls_data", False), ("irls_clipped", True)):
            put(case, tall, long, lambda op, keep: pylops.irls(op, long, threshR=clipped, kind="data", callback=keep, **reweighted))
        put("irls_model", wide, short, lambda op, keep: pylops.irls(op, short, kind="model", callback=keep, **reweighted))
        put("irls_datamodel", tall, long, lambda op, keep: pylops.irls(op, long, kind="datamodel", callback=keep, **reweighted))

        uneven = wide * 2.0 ** np.arange(-7, 7)
        for case, matrix, normalize in (("omp", wide, False), ("omp_normalized", uneven, True)):
            steps = []
            of = pylops.MatrixMult(matrix, dtype=dtype)
            pylops.omp(
                of, short, niter_outer=4, niter_inner=200, sigma=0.0, normalizecols=normalize,
                callback=lambda x, cols: steps.append((np.array(x), list(cols))),
            )

            def solve(_, keep):
                # PyLops solves to 1e-6 of what is given.
                for found, cols in steps:
                    x = np.zeros(14, dtype)
                    x[cols] = np.linalg.lstsq(matrix[:, cols], short, rcond=None)[0]
                    assert np.allclose(found, x[cols], rtol=1e-4, atol=1e-6), (case, dtype)
                    keep(x)

            put(case, matrix, short, solve)

        def pursue(_, keep):
            for steps in range(1, 9):
                keep(pylops.omp(pylops.MatrixMult(wide, dtype=dtype), short, niter_outer=steps, niter_inner=0, sigma=0.0, optimal_coeff=True)[0])

        put("mp", wide, short, pursue)
    return file


def spgl1():
    """Basis pursuit, basis pursuit denoising and the lasso on dense matrices, by the package `spgl1` that PyLops calls.

    `bound` is `sigma` or `tau`. Solutions are judged by the conditions of optimality, which the package does not always meet to its tolerance.
    """
    file = File("spgl1")
    # Of the misfit the package looks at that alone, however large the duality gap is; longer runs of others go round in rounding errors.
    tolerances = dict(bpdn=1e-14, lasso=1e-9, bp=1e-8)
    for dtype in DTYPES:
        for shape, kind in (((9, 20), "wide"), ((20, 9), "tall")):
            matrix, y = file.random(shape, dtype), file.random(shape[0], dtype)
            size = np.linalg.norm(y)
            cases = dict(bpdn=dict(sigma=0.75 * size), lasso=dict(tau=0.5))
            if kind == "tall":
                # Nearer to the data than least squares there is nothing.
                least = np.linalg.norm(y - matrix @ np.linalg.lstsq(matrix, y, rcond=None)[0])
                cases["bpdn"] = dict(sigma=0.5 * (least + size))
            else:
                # Models of few elements are found with fewer steps.
                few = np.zeros(shape[1], dtype)
                few[[2, 11]] = file.random(2, dtype)
                cases["bp"] = dict(sigma=0.0)
            for case, bound in cases.items():
                data = matrix @ few if case == "bp" else y
                how = dict(iter_lim=30_000, n_prev_vals=10, opt_tol=tolerances[case], bp_tol=1e-8, ls_tol=1e-10)
                solve = lambda **bound: of_spgl1.spgl1(matrix, data, iscomplex=dtype == "complex128", **bound, **how)[0]
                x = solve(**bound)
                # Of a small misfit, from which the dual solution of basis pursuit is not far.
                near = solve(sigma=1e-2 * np.linalg.norm(data)) if case == "bp" else x
                certify(matrix, data, x, data - matrix @ near, **bound)
                residual = np.linalg.norm(data - matrix @ x)
                (value,) = bound.values()
                file.put(dtype, f"{case}_{kind}", matrix=matrix, y=data, x=x, bound=[value], residual=[residual])
    return file


def certify(matrix, y, x, r, sigma=None, tau=None):
    """Fails unless the dual problem has a solution of the same value, which the residual `r` shows."""
    one, steepest = np.abs(x).sum(), np.abs(matrix.conj().T @ r).max()
    if tau is not None:
        assert one <= tau * (1 + 1e-9)
        assert np.vdot(r, r - y).real + tau * steepest <= 1e-7 * np.vdot(y, y).real
        return
    assert np.linalg.norm(y - matrix @ x) <= sigma + 1e-7 * np.linalg.norm(y)
    z = r / steepest
    if sigma == 0.0:
        # 1 along each element of the model, and then less than that along all others.
        there = np.abs(x) > 1e-4 * one
        rows, phases = matrix[:, there].conj().T, x[there] / np.abs(x[there])
        z += np.linalg.lstsq(rows, phases - rows @ z, rcond=None)[0]
        assert np.abs(matrix.conj().T @ z).max() <= 1 + 1e-6
    assert abs(one - np.vdot(y, z).real + sigma * np.linalg.norm(z)) <= 1e-7 * one


def proximal():
    return of_proximal.proximal(File("proximal"), DTYPES)


def eigen():
    """Eigenvalues of self-adjoint matrices and singular values of others; descending, as SciPy and PyLops have them."""
    file = File("eigen")
    for dtype in DTYPES:
        n, m, count = 31, 37, 4
        square, tall = file.random((n, n), dtype), file.random((m, n), dtype)
        hermitian = (square + square.conj().T) / 2
        down = lambda values: np.sort(values)[::-1]
        start = np.ones(n, dtype)
        exact = down(np.linalg.eigvalsh(hermitian))
        ends = {
            f"eigsh_{which.lower()}": down(sp.eigsh(hermitian, count, which=which, v0=start, tol=1e-14)[0])
            for which in ("LM", "LA", "SA")
        }
        # Both ends are for real matrices only there.
        ends["eigsh_be"] = np.concatenate((exact[:2], exact[-2:]))
        block = np.linalg.qr(file.random((n, count), dtype))[0]
        lobpcg = down(sp.lobpcg(hermitian, block, largest=True, tol=1e-10, maxiter=500)[0])
        for values in (ends["eigsh_la"], lobpcg):
            assert np.allclose(values, exact[:count], rtol=1e-7)
        file.put(dtype, "hermitian", matrix=hermitian, lobpcg=lobpcg, logdet=[np.linalg.slogdet(hermitian @ hermitian)[1]], **ends)
        start = np.ones(n, dtype)
        largest = down(sp.svds(tall, count, which="LM", v0=start, tol=1e-14, return_singular_vectors=False))
        smallest = down(np.linalg.svd(tall, compute_uv=False))[-count:]
        operator = pylops.MatrixMult(tall, dtype=dtype)
        cond = operator.cond(v0=start, tol=1e-14)
        assert np.isclose(np.real(cond), np.linalg.cond(tall), rtol=1e-6)
        file.put(dtype, "tall", matrix=tall, largest=largest, smallest=smallest, cond=[np.real(cond)])
    return file


FILES = (
    identity,
    zero,
    diagonal,
    conj,
    real,
    imag,
    function_operator,
    memoize_operator,
    matrix_mult,
    transpose,
    flip,
    roll,
    pad,
    symmetrize,
    restriction,
    spread,
    sum_along,
    causal_integration,
    regression,
    linear_regression,
    kronecker,
    interp,
    interp_cubic_spline,
    bilinear,
    first_derivative,
    second_derivative,
    laplacian,
    gradient,
    first_directional_derivative,
    second_directional_derivative,
    convolve1d,
    convolve2d,
    convolve_nd,
    non_stationary_convolve1d,
    non_stationary_convolve2d,
    non_stationary_convolve3d,
    non_stationary_filters1d,
    non_stationary_filters2d,
    fredholm1,
    chirp_radon2d,
    chirp_radon3d,
    fourier_radon2d,
    fourier_radon3d,
    radon2d,
    radon3d,
    ct2d,
    fft,
    fft2d,
    fftnd,
    shift,
    sliding1d,
    sliding2d,
    sliding3d,
    patch2d,
    patch3d,
    dwt,
    dwt2d,
    dwtnd,
    dct,
    dtcwt,
    udct,
    seislet,
    pwsprayer2d,
    pwsmoother2d,
    smoothing,
    poststack_linear_modelling,
    mri2d,
    compositions,
    cgls,
    krylov,
    sparse,
    variational,
    spgl1,
    eigen,
    events,
    tapers,
    wavelets,
    metrics,
    slopes,
    proximal,
)


def main(folder):
    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "pylops": pylops.__version__.split("+")[0],
        "spgl1": importlib.metadata.version("spgl1"),
    }
    lines = ["# Written by `cargo xtask golden`; the tests refuse files with other hashes.", "[versions]"]
    lines += [f'{name} = "{version}"' for name, version in versions.items()]
    for make in FILES:
        file = make()
        content = file.bytes()
        Path(folder, f"{file.name}.npz").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        lines += ["", f'[files."{file.name}.npz"]', f"seed = {file.seed}", f'sha256 = "{digest}"']
        print(f"{file.name}.npz: {len(file.arrays)} arrays, {len(content)} bytes")
    Path(folder, "golden.toml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
