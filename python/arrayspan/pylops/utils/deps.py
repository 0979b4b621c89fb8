"""Which optional packages are there, without importing any."""

import os
from importlib import import_module, util

__all__ = [
    "cupy_enabled",
    "jax_enabled",
    "astra_enabled",
    "curvelets_enabled",
    "devito_enabled",
    "dtcwt_enabled",
    "mkl_fft_enabled",
    "numba_enabled",
    "pyfftw_enabled",
    "pytensor_enabled",
    "pywt_enabled",
    "skfmm_enabled",
    "spgl1_enabled",
    "sympy_enabled",
    "torch_enabled",
]


def _there(package, switch=None):
    """Whether the package can be found, and is not switched off by an environment variable."""
    if switch is not None and int(os.getenv(switch, "1")) != 1:
        return False
    return util.find_spec(package) is not None


cupy_enabled = _there("cupy", "CUPY_PYLOPS")
jax_enabled = _there("jax", "JAX_PYLOPS")
astra_enabled = _there("astra")
curvelets_enabled = _there("curvelets")
devito_enabled = _there("devito")
dtcwt_enabled = _there("dtcwt")
mkl_fft_enabled = _there("mkl_fft")
numba_enabled = _there("numba")
pyfftw_enabled = _there("pyfftw")
pytensor_enabled = _there("pytensor")
pywt_enabled = _there("pywt")
skfmm_enabled = _there("skfmm")
spgl1_enabled = _there("spgl1")
sympy_enabled = _there("sympy")
torch_enabled = _there("torch")


def _import(package):
    """A function that says why a package cannot be used: nothing if it can."""

    def why(message=None):
        if not _there(package):
            return f"{package} is not installed: it is needed for {message or 'this'}."
        try:
            import_module(package)
        except Exception as error:  # noqa: BLE001  (whatever a package raises that does not work)
            return f"Failed to import {package} (error: {error})."
        return None

    why.__name__ = why.__qualname__ = package + "_import"
    return why


cupy_import = _import("cupy")
jax_import = _import("jax")
astra_import = _import("astra")
udct_import = _import("curvelets")
devito_import = _import("devito")
dtcwt_import = _import("dtcwt")
numba_import = _import("numba")
pyfftw_import = _import("pyfftw")
pywt_import = _import("pywt")
skfmm_import = _import("skfmm")
spgl1_import = _import("spgl1")
sympy_import = _import("sympy")
pytensor_import = _import("pytensor")
mkl_fft_import = _import("mkl_fft")
