"""Which dtype results have: NumPy's promotion of what an operator holds with what it is given."""

from functools import lru_cache

import numpy as np

_FLOAT = np.dtype(np.float64)


@lru_cache(maxsize=None)
def inexact(dtype):
    """The dtype, or ``float64`` for booleans and integers, as NumPy divides them."""
    dtype = np.dtype(dtype)
    if dtype.kind in "OSUMm":
        raise TypeError(f"arrays of dtype {dtype} are no numbers to compute with")
    return dtype.newbyteorder("=") if dtype.kind in "fc" else _FLOAT


@lru_cache(maxsize=None)
def real(dtype):
    """The dtype of the real part."""
    return np.empty(0, dtype).real.dtype


@lru_cache(maxsize=None)
def complex_of(dtype):
    """The complex dtype of the same precision."""
    return np.result_type(dtype, np.complex64)


@lru_cache(maxsize=None)
def within(own, given):
    """``own``, or the complex dtype of its precision where ``given`` is complex: nothing imaginary is dropped."""
    return complex_of(own) if inexact(given).kind == "c" else np.dtype(own)


@lru_cache(maxsize=None)
def promoted(*dtypes):
    """The dtype that holds all of these, for computing."""
    dtype = inexact(np.result_type(*dtypes))
    # What is stored in 16 bits is computed with in 32; what is longer than 64 bits in 64.
    if dtype.itemsize <= 2:
        return np.dtype(np.float32)
    if dtype.char in "gG":
        return np.dtype(np.complex128 if dtype.kind == "c" else np.float64)
    return dtype


def cast(x, dtype):
    """``x`` in the dtype, which takes the real part where the dtype is real."""
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real
    return x.astype(dtype)
