"""The module that an array belongs to, and functions of it.

An array of a library that is not imported cannot be there, so nothing is imported to find out.
"""

import sys
from importlib import import_module

import numpy as np

__all__ = [
    "get_module",
    "get_module_name",
    "get_array_module",
    "get_normalize_axis_index",
    "get_convolve",
    "get_fftconvolve",
    "get_oaconvolve",
    "get_correlate",
    "get_add_at",
    "get_sliding_window_view",
    "get_block_diag",
    "get_toeplitz",
    "get_gaussian_filter",
    "get_csc_matrix",
    "get_csr_matrix",
    "get_dia_matrix",
    "get_sparse_eye",
    "get_lstsq",
    "get_sp_fft",
    "get_complex_dtype",
    "get_real_dtype",
    "to_cupy",
    "to_numpy",
    "to_cupy_conditional",
    "to_numpy_conditional",
    "inplace_set",
    "inplace_add",
    "inplace_multiply",
    "inplace_divide",
    "randn",
]

_MODULES = {"numpy": "numpy", "cupy": "cupy", "jax": "jax.numpy"}


def _kind(x):
    """The name of the library of an array: ``numpy`` for all that is of none of the others."""
    if type(x) is np.ndarray:
        return "numpy"
    jax, cupy = sys.modules.get("jax"), sys.modules.get("cupy")
    if jax is not None and isinstance(x, jax.Array):
        return "jax"
    if cupy is not None and cupy.get_array_module(x) is cupy:
        return "cupy"
    return "numpy"


def get_module(backend="numpy"):
    """The module ``numpy``, ``cupy`` or ``jax.numpy`` of that name."""
    if backend not in _MODULES:
        raise ValueError(f"The provided backend must be numpy, cupy, or jax, got {backend}")
    return import_module(_MODULES[backend])


def get_module_name(mod):
    """The name that `get_module` takes, of a module."""
    for name, path in _MODULES.items():
        if sys.modules.get(path) is mod:
            return name
    raise ValueError(f"The provided module must be numpy, cupy, or jax, got {mod}")


def get_array_module(x):
    """The module of an array."""
    return get_module(_kind(x))


def _function(host, cupy=None, jax=None):
    """A function of an array that gives the function of its library, named by its path in each."""
    paths = {"numpy": host, "cupy": cupy or "cupyx." + host, "jax": jax or "jax." + host}

    def get(x):
        module, _, name = paths[_kind(x)].rpartition(".")
        return getattr(import_module(module), name)

    get.__doc__ = f"``{host}``, or that of the library of `x`."
    return get


def get_normalize_axis_index():
    """NumPy's ``normalize_axis_index``."""
    try:
        from numpy.lib.array_utils import normalize_axis_index
    except ModuleNotFoundError:  # NumPy 1
        from numpy.core.multiarray import normalize_axis_index
    return normalize_axis_index


get_convolve = _function("scipy.signal.convolve")
get_fftconvolve = _function("scipy.signal.fftconvolve")
get_correlate = _function("scipy.signal.correlate")
get_block_diag = _function("scipy.linalg.block_diag")
get_toeplitz = _function("scipy.linalg.toeplitz")
get_gaussian_filter = _function("scipy.ndimage.gaussian_filter")
get_csc_matrix = _function("scipy.sparse.csc_matrix")
get_csr_matrix = _function("scipy.sparse.csr_matrix")
get_dia_matrix = _function("scipy.sparse.dia_matrix")
get_sparse_eye = _function("scipy.sparse.eye")
get_lstsq = _function("scipy.linalg.lstsq", cupy="cupy.linalg.lstsq")
_WINDOWS = "lib.stride_tricks.sliding_window_view"
get_sliding_window_view = _function("numpy." + _WINDOWS, cupy="cupy." + _WINDOWS)


def get_oaconvolve(x):
    """``scipy.signal.oaconvolve``, or CuPy's; JAX has none."""
    if _kind(x) == "jax":
        raise NotImplementedError("oaconvolve not implemented in jax. Consider using a different option...")
    return _function("scipy.signal.oaconvolve")(x)


def get_add_at(x):
    """The scattered addition of the library of `x`."""
    return get_array_module(x).add.at


def get_sp_fft(x):
    """``scipy.fft``, or CuPy's."""
    return import_module("cupyx.scipy.fft" if _kind(x) == "cupy" else "scipy.fft")


def get_complex_dtype(dtype):
    """The complex dtype of the precision of `dtype`."""
    return (np.ones(1, dtype=dtype) + 1j * np.ones(1, dtype=dtype)).dtype


def get_real_dtype(dtype):
    """The real dtype of the precision of `dtype`."""
    return np.real(np.ones(1, dtype)).dtype


def to_cupy(x):
    """`x` on a GPU, where there is CuPy."""
    from . import deps

    if deps.cupy_enabled and _kind(x) != "cupy":
        return import_module("cupy").asarray(x)
    return x


def to_numpy(x):
    """`x` in the memory of the host."""
    kind = _kind(x)
    if kind == "cupy":
        return sys.modules["cupy"].asnumpy(x)
    return np.array(x) if kind == "jax" else x


def to_cupy_conditional(x, y):
    """`y`, on the GPU of `x` if that is on one."""
    if _kind(x) == "cupy" and _kind(y) != "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(x.device):
            return cupy.asarray(y)
    return y


def to_numpy_conditional(x, y):
    """`y`, in the memory of the host if `x` is there."""
    return to_numpy(y) if _kind(x) == "numpy" else y


def norm2(x):
    """The norm of a vector, whose squares may be beyond its dtype."""
    module = get_array_module(x)
    largest = float(to_numpy(module.abs(x).max())) if x.size else 0.0
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    # By a power of two, which rounds nothing.
    scale = 2.0 ** (int(np.frexp(largest)[1]) - 1)
    part = x.real.dtype.type
    return float(to_numpy(module.linalg.norm((x / part(scale)).reshape(-1)))) * scale


def inplace_set(x, y, idx):
    """`y` with ``y[idx] = x``."""
    if _kind(y) == "jax":
        return y.at[idx].set(x)
    y[idx] = x
    return y


def inplace_add(x, y, idx, accumulate=False):
    """`y` with ``y[idx] += x``, for each of equal indices if they accumulate."""
    if _kind(y) == "jax":
        return y.at[idx].add(x)
    if accumulate:
        get_add_at(y)(y, idx, x)
    else:
        y[idx] += x
    return y


def inplace_multiply(x, y, idx):
    """`y` with ``y[idx] *= x``."""
    if _kind(y) == "jax":
        return y.at[idx].multiply(x)
    y[idx] *= x
    return y


def inplace_divide(x, y, idx):
    """`y` with ``y[idx] /= x``."""
    if _kind(y) == "jax":
        return y.at[idx].divide(x)
    y[idx] /= x
    return y


def randn(*n, backend="numpy"):
    """Normal random numbers of a library."""
    module = get_module(backend)
    if backend == "jax":
        return module.asarray(np.random.randn(*n))
    return module.random.randn(*n)
