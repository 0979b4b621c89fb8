"""What operators and solvers take in PyLops, on NumPy or CuPy.

    python operators.py {numpy|cupy} {64m|odd|1m|tiny} ["PART|PART ..."]

Prints CSV with the columns and names of our benchmark `figures`: name, size, and milliseconds of forward and adjoint,
the median over 5 batches of back-to-back applications (50 on a GPU, 3 on the host; fewer where a batch would take
longer than a quarter of a second), the host waiting once at the end of a batch. Rows that fail are named on standard error.
Needs pylops 2.8.0, with CuPy for the second.
"""

import statistics
import sys
import time
import warnings

import numpy as np

if not hasattr(np, "row_stack"):  # NumPy 2.5 dropped the name, which PyLops 2.8.0 calls.
    np.row_stack = np.vstack
warnings.filterwarnings("ignore")

import pylops  # noqa: E402
from pylops.avo.poststack import PoststackLinearModelling  # noqa: E402
from pylops.optimization.basic import cg, cgls, lsqr  # noqa: E402
from pylops.optimization.leastsquares import regularized_inversion  # noqa: E402
from pylops.optimization.sparsity import fista  # noqa: E402
from pylops.signalprocessing import (  # noqa: E402
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
    Fredholm1,
    Interp,
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
from pylops.utils.wavelets import ricker  # noqa: E402

LIBRARY, SIZE = sys.argv[1], sys.argv[2]
PART = sys.argv[3] if len(sys.argv) > 3 else ""
SHAPE = {"64m": (8000, 8000), "odd": (7919, 8191), "1m": (1000, 1000), "tiny": (64, 64)}[SIZE]
LENGTH = SHAPE[0] * SHAPE[1]
CUBE = (round(LENGTH ** (1 / 3)),) * 3
FLOAT = "float32"
random = np.random.default_rng(0)

if LIBRARY == "cupy":
    import cupy as xp

    REPETITIONS = 50

    def wait():
        xp.cuda.Device().synchronize()
else:
    xp = np
    REPETITIONS = 3

    def wait():
        pass


def numbers(*shape):
    """Scattered numbers, the same again after a million: making them would take longer than the rest."""
    length = int(np.prod(shape))
    new = random.standard_normal(min(length, 1_000_003)).astype(FLOAT)
    return xp.asarray(np.resize(new, length)).reshape(shape)


WAVELET = xp.asarray(ricker(np.arange(21) * 0.004, 20)[0].astype(FLOAT))


def diagonal():
    return pylops.Diagonal(numbers(LENGTH), dtype=FLOAT)


def identity():
    return pylops.Identity(LENGTH, inplace=False, dtype=FLOAT)


def laplacian(shape=SHAPE):
    return pylops.Laplacian(shape, axes=(0, 1), dtype=FLOAT)


def poststack(shape=SHAPE):
    return PoststackLinearModelling(WAVELET, nt0=shape[0], spatdims=(shape[1],))


def convolution(shape=SHAPE):
    return Convolve1D(shape, WAVELET, offset=len(WAVELET) // 2, axis=0, dtype=FLOAT)


def half():
    return xp.asarray(np.sort(random.permutation(LENGTH)[: LENGTH // 2]))


def between():
    return np.sort(random.uniform(0, SHAPE[0] - 1.01, SHAPE[0] // 2))


def line():
    return xp.asarray(np.linspace(0, 1, LENGTH).astype(FLOAT))


def sparse(row=32):
    """32 entries a row, or about as many, up to 16 million: the matrix of our benchmark."""
    n = max(min(LENGTH, 16_000_000) // row, row)
    starts = np.arange(n + 1) * row + np.arange(n + 1) % 5
    at = np.arange(starts[-1], dtype=np.uint64) * np.uint64(6364136223846793005) >> np.uint64(33)
    parts = numbers(starts[-1]), xp.asarray((at % np.uint64(n)).astype(np.int32)), xp.asarray(starts.astype(np.int32))
    if LIBRARY == "cupy":
        from cupyx.scipy.sparse import csr_matrix
    else:
        from scipy.sparse import csr_matrix
    return pylops.MatrixMult(csr_matrix(parts, shape=(n, n)), dtype=FLOAT)


def spread():
    n = min(SHAPE[0], 500)
    table = random.integers(0, n, (n, n, n)).astype("float64")
    return pylops.Spread((n, n), (n, n), table=table, dtype=FLOAT)


def windows(cls, shape, lengths, overlaps):
    """A mean of 5 along the first axis of each window."""
    whole = [*lengths, *shape[len(lengths) :]]
    counts = [(extent - length) // (length - over) + 1 for extent, length, over in zip(shape, lengths, overlaps)]
    dims = [count * length for count, length in zip(counts, lengths)] + whole[len(lengths) :]
    inner = pylops.Smoothing1D(5, whole, axis=0, dtype=FLOAT)
    if cls is Sliding1D:
        return cls(inner, dims[0], shape[0], lengths[0], overlaps[0])
    if cls is Sliding2D:
        return cls(inner, dims, shape, lengths[0], overlaps[0])
    return cls(inner, dims, shape, lengths, overlaps, whole)


def on_numpy(make):
    """What PyLops has for NumPy alone."""
    return lambda: make() if LIBRARY == "numpy" else None


def plane_waves(operator):
    shape = tuple(min(extent, 1000) for extent in SHAPE)
    return operator(shape, random.uniform(-1, 1, shape), 8, 0.9, dtype=FLOAT)


SIDE = min(CUBE[0], 16)
def places(extent, count):
    """So many places, or as many as there are samples, evenly spaced."""
    step = -(-extent // count)
    return tuple(range(step // 2, extent, step))


def non_stationary(rank):
    """Filters on a grid of places. On the host by threads, on the GPU by its kernel."""
    dims = {1: SHAPE, 2: SHAPE, 3: CUBE}[rank]
    taps = {1: 41, 2: 11, 3: 5}[rank]
    at = [places(extent, 4 if rank == 3 else 10) for extent in dims[:rank]]
    filters = numbers(*map(len, at), *[taps] * rank)
    if rank == 1:
        return NonStationaryConvolve1D(dims, filters, at[0], axis=0, dtype=FLOAT)
    of = {2: NonStationaryConvolve2D, 3: NonStationaryConvolve3D}[rank]
    return of(dims, filters, *at, engine="cuda" if LIBRARY == "cupy" else "numba", dtype=FLOAT)


def filters2d():
    """On NumPy alone, by threads."""
    at = [places(extent, 10) for extent in SHAPE]
    return NonStationaryFilters2D(numbers(*SHAPE), (11, 11), *at, engine="numba", dtype=FLOAT)


def fredholm():
    n, slices = max(SHAPE[1] // 8, 1), max(SHAPE[0] // 16, 1)
    return Fredholm1(numbers(slices, n, n), 4, dtype=FLOAT)


def chirp(rank):
    side = min(SHAPE[0], 1000)
    if rank == 2:
        return ChirpRadon2D(np.arange(side), np.arange(side), 0.75, dtype=FLOAT)
    axis = np.arange(round(side ** (2 / 3)))
    return ChirpRadon3D(axis, axis, axis, (-0.5, 0.75), dtype=FLOAT)


def radon(kind, slowest):
    """With a table for each slowness, sample and offset, by threads."""
    n = min(SHAPE[0], 400)
    p = slowest * (np.arange(n) + 0.5) / n
    return Radon2D(np.arange(n), np.arange(n) - n / 2, p, kind, centeredh=False, engine="numba", dtype=FLOAT)


def radon3d():
    n = min(SHAPE[0], 20)
    p, h = (np.arange(n) - n / 2) * 0.1, np.arange(n) - n / 2
    return Radon3D(np.arange(400), h, h, p, p, centeredh=False, engine="numba", dtype=FLOAT)


def ct(geometry, **fan):
    """By ASTRA: on the host the linear projector where there is one."""
    from pylops.medical import CT2D

    n = min(SHAPE[0], 500)
    angles = np.arange(n) * np.pi / n
    projector = "linear" if geometry == "parallel" else "line"
    kind = {"engine": "cuda"} if LIBRARY == "cupy" else {"engine": "cpu", "projector_type": projector}
    return CT2D((n, n), 1.25, n, angles, proj_geom_type=geometry, dtype=FLOAT, **kind, **fan)


def fourier_radon():
    n = min(SHAPE[0], 1000)
    t, h, p = np.arange(n) * 0.004, xp.arange(n) * 10.0, xp.arange(n) * 1e-6
    # The engine for NumPy makes a table of 8 GB.
    return FourierRadon2D(t, h, p, n, engine="cuda" if LIBRARY == "cupy" else "numba", dtype=FLOAT)


OPERATORS = {
    "Identity": identity,
    "Zero": lambda: pylops.Zero(LENGTH, dtype=FLOAT),
    "Diagonal": diagonal,
    "Conj": lambda: pylops.basicoperators.Conj(SHAPE, dtype="complex64"),
    "MatrixMult": lambda: pylops.MatrixMult(numbers(SHAPE[0], SHAPE[0]), otherdims=(SHAPE[1],), dtype=FLOAT),
    "MatrixMult_sparse": sparse,
    "Transpose": lambda: pylops.Transpose(SHAPE, axes=(1, 0), dtype=FLOAT),
    "Flip": lambda: pylops.Flip(SHAPE, axis=0, dtype=FLOAT),
    "Flip_ax1": lambda: pylops.Flip(SHAPE, axis=1, dtype=FLOAT),
    "Pad": lambda: pylops.Pad(SHAPE, ((10, 10), (10, 10)), dtype=FLOAT),
    "Symmetrize": lambda: pylops.Symmetrize(SHAPE, axis=0, dtype=FLOAT),
    "Symmetrize_ax1": lambda: pylops.Symmetrize(SHAPE, axis=1, dtype=FLOAT),
    "Roll": lambda: pylops.Roll(SHAPE, axis=0, shift=min(1000, SHAPE[0] // 8), dtype=FLOAT),
    "Restriction": lambda: pylops.Restriction(LENGTH, half(), dtype=FLOAT),
    "Sum": lambda: pylops.Sum(SHAPE, axis=0, dtype=FLOAT),
    "Sum_ax1": lambda: pylops.Sum(SHAPE, axis=1, dtype=FLOAT),
    "Interp_linear": lambda: Interp(SHAPE, between(), axis=0, kind="linear", dtype=FLOAT)[0],
    "Regression": lambda: pylops.Regression(line(), order=4, dtype=FLOAT),
    "LinearRegression": lambda: pylops.LinearRegression(line(), dtype=FLOAT),
    "CausalIntegration": lambda: pylops.CausalIntegration(SHAPE, axis=0, sampling=0.1, kind="trapezoidal", dtype=FLOAT),
    "CausalIntegration_ax1": lambda: pylops.CausalIntegration(SHAPE, axis=1, sampling=0.1, kind="trapezoidal", dtype=FLOAT),
    # On NumPy alone.
    "Spread": lambda: spread() if LIBRARY == "numpy" else None,
    "FirstDerivative": lambda: pylops.FirstDerivative(SHAPE, axis=0, edge=True, dtype=FLOAT),
    "FirstDerivative_ax1": lambda: pylops.FirstDerivative(SHAPE, axis=1, edge=True, dtype=FLOAT),
    "FirstDerivative5_ax1": lambda: pylops.FirstDerivative(SHAPE, axis=1, order=5, dtype=FLOAT),
    "SecondDerivative": lambda: pylops.SecondDerivative(SHAPE, axis=0, dtype=FLOAT),
    "Laplacian": laplacian,
    "Gradient": lambda: pylops.Gradient(SHAPE, dtype=FLOAT),
    "Gradient3D": lambda: pylops.Gradient(CUBE, dtype=FLOAT),
    "FirstDirectionalDerivative": lambda: pylops.FirstDirectionalDerivative(SHAPE, numbers(2, *SHAPE), dtype=FLOAT),
    "SecondDirectionalDerivative": lambda: pylops.SecondDirectionalDerivative(SHAPE, numbers(2, *SHAPE), dtype=FLOAT),
    "Convolve1D_short": lambda: convolution(),
    "Convolve1D_long": lambda: Convolve1D(SHAPE, numbers(min(1001, SHAPE[0])), offset=min(1001, SHAPE[0]) // 2, axis=0, dtype=FLOAT),
    "Convolve1D_line": lambda: Convolve1D(int(np.prod(SHAPE)), numbers(1001), offset=500, dtype=FLOAT),
    "Convolve2D": lambda: Convolve2D(SHAPE, numbers(15, 15), offset=(7, 7), dtype=FLOAT),
    "Convolve2D_small": lambda: Convolve2D(SHAPE, numbers(3, 3), offset=(1, 1), dtype=FLOAT),
    "ConvolveND": lambda: ConvolveND(CUBE, numbers(7, 7, 7), offset=(3, 3, 3), axes=None, dtype=FLOAT),
    "NonStationaryConvolve1D": lambda: non_stationary(1),
    "NonStationaryConvolve2D": lambda: non_stationary(2),
    "NonStationaryConvolve3D": lambda: non_stationary(3),
    "NonStationaryFilters1D": lambda: NonStationaryFilters1D(
        numbers(min(LENGTH, 1_000_000)), 41, places(min(LENGTH, 1_000_000), 10), dtype=FLOAT
    ),
    "NonStationaryFilters2D": lambda: filters2d() if LIBRARY == "numpy" else None,
    "Fredholm1": fredholm,
    "ChirpRadon2D": lambda: chirp(2),
    "ChirpRadon3D": lambda: chirp(3),
    "FourierRadon2D": fourier_radon,
    "Radon2D": on_numpy(lambda: radon("linear", 1.0)),
    "Radon2D_hyperbolic": on_numpy(lambda: radon("hyperbolic", 2.0)),
    "Radon3D": on_numpy(radon3d),
    "CT2D": lambda: ct("parallel"),
    "CT2D_fan": lambda: ct("fanflat", source_origin_dist=1000.0, origin_detector_dist=300.0),
    "Bilinear": lambda: Bilinear(
        xp.asarray(random.uniform(0, 1, (2, LENGTH // 2)) * (np.array(SHAPE)[:, None] - 1.01)), SHAPE, dtype=FLOAT
    ),
    "FFT": lambda: FFT(SHAPE, axis=-1, real=True, dtype=FLOAT),
    "FFT_ax0": lambda: FFT(SHAPE, axis=0, real=True, dtype=FLOAT),
    "FFT_complex": lambda: FFT(SHAPE, axis=-1, dtype="complex64"),
    "FFT2D": lambda: FFT2D(SHAPE, real=True, dtype=FLOAT),
    "FFTND": lambda: FFTND(CUBE, axes=(0, 1, 2), real=True, dtype=FLOAT),
    "Shift": lambda: Shift(SHAPE, 10.5, axis=0, real=True, dtype=FLOAT),
    "DCT": on_numpy(lambda: DCT(SHAPE, axes=(-1,), dtype=FLOAT)),
    "DCT2D": on_numpy(lambda: DCT(SHAPE, axes=(-2, -1), dtype=FLOAT)),
    "DWT_db4": on_numpy(lambda: DWT(SHAPE, axis=0, wavelet="db4", dtype=FLOAT)),
    "DWT_db4_levels3": on_numpy(lambda: DWT(SHAPE, axis=0, wavelet="db4", level=3, dtype=FLOAT)),
    "DWT2D_haar": on_numpy(lambda: DWT2D(SHAPE, axes=(0, 1), dtype=FLOAT)),
    "DWT2D_haar_levels4": on_numpy(lambda: DWT2D(SHAPE, axes=(0, 1), level=4, dtype=FLOAT)),
    "DWTND_db2": on_numpy(lambda: DWTND(CUBE, axes=(0, 1, 2), wavelet="db2", dtype=FLOAT)),
    "DTCWT": on_numpy(lambda: DTCWT((SHAPE[0] // 2 * 2, SHAPE[1]), axis=0, dtype=FLOAT)),
    "UDCT": on_numpy(lambda: UDCT([min(extent, 4000) // 4 * 4 for extent in SHAPE], dtype=FLOAT)),
    "Seislet_64x128": on_numpy(
        lambda: Seislet(random.uniform(-1, 1, (64, 128)), level=5, kind="linear", dtype=FLOAT)
    ),
    "PWSprayer2D": on_numpy(lambda: plane_waves(PWSprayer2D)),
    "PWSmoother2D": on_numpy(lambda: plane_waves(PWSmoother2D)),
    "Sliding1D": lambda: windows(Sliding1D, (LENGTH,), (64,), (16,)),
    "Sliding2D": lambda: windows(Sliding2D, SHAPE, (64,), (16,)),
    "Sliding3D": lambda: windows(Sliding3D, CUBE, (SIDE,) * 2, (SIDE // 4,) * 2),
    "Patch2D": lambda: windows(Patch2D, SHAPE, (64,) * 2, (16,) * 2),
    "Patch3D": lambda: windows(Patch3D, CUBE, (SIDE,) * 3, (SIDE // 4,) * 3),
    "Smoothing2D": lambda: pylops.Smoothing2D((11, 11), SHAPE, dtype=FLOAT),
    "VStack": lambda: pylops.VStack([diagonal(), identity()], dtype=FLOAT),
    "HStack": lambda: pylops.HStack([diagonal(), identity()], dtype=FLOAT),
    "BlockDiag": lambda: pylops.BlockDiag([diagonal(), diagonal()], dtype=FLOAT),
    "Poststack2D": poststack,
    "VStack_derivative_Laplacian": lambda: pylops.VStack(
        [pylops.FirstDerivative(SHAPE, axis=0, edge=True, dtype=FLOAT), laplacian()], dtype=FLOAT
    ),
}


def milliseconds(work, repetitions=REPETITIONS):
    work()
    wait()
    begin = time.perf_counter()
    work()
    wait()
    repetitions = max(1, min(repetitions, int(0.25 / (time.perf_counter() - begin))))
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(repetitions):
            work()
        wait()
        times.append((time.perf_counter() - begin) / repetitions * 1e3)
    return statistics.median(times)


def row(name, forward, adjoint):
    print(f"{name},{SIZE},{forward:.5f},{adjoint:.5f}", flush=True)


def operator(name, make):
    a = make()
    if a is None:
        return
    def vector(n, dtype):
        return numbers(n) + 1j * numbers(n) if np.dtype(dtype).kind == "c" else numbers(n)

    x, y = vector(a.shape[1], a.dtype), vector(a.shape[0], a.dtype)
    row(name, milliseconds(lambda: a.matvec(x)), milliseconds(lambda: a.rmatvec(y)))


def solvers():
    shape = (4000, 4000) if SIZE == "64m" else SHAPE
    a = poststack(shape)
    start = xp.zeros(a.shape[1], dtype=FLOAT)
    y = a @ numbers(a.shape[1])
    limits = dict(niter=50, tol=0) if LIBRARY == "cupy" else dict(iter_lim=50, atol=0, btol=0)
    yield "cgls50_poststack", lambda: cgls(a, y, x0=start, niter=50, tol=0)
    yield "lsqr50_poststack", lambda: lsqr(a, y, x0=start, niter=50, atol=0, btol=0, conlim=1e30)
    yield "reginv50_poststack", lambda: regularized_inversion(a, y, [laplacian(shape)], x0=start, epsRs=[1.0], **limits)
    c = convolution(shape)
    z = c @ numbers(c.shape[1])
    normal = c.H @ c
    yield "cg50_normal", lambda: cg(normal, z, x0=start, niter=50, tol=0)
    yield "fista50_deconv", lambda: fista(c, z, niter=50, eps=0.1, alpha=0.1, tol=0)


def main():
    print("name,size,forward_ms,adjoint_ms", flush=True)
    rows = [(name, lambda make=make, name=name: operator(name, make)) for name, make in OPERATORS.items()]
    rows += [(name, lambda run=run, name=name: row(name, milliseconds(run, 1), float("nan"))) for name, run in solvers()]
    for name, work in rows:
        if not any(part in name for part in PART.split("|")):
            continue
        try:
            work()
        except Exception as error:  # One row that fails must not keep the others from running.
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        if LIBRARY == "cupy":
            xp.get_default_memory_pool().free_all_blocks()


main()
