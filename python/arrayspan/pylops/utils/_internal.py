"""Arguments that are one value or one for each axis."""

from collections.abc import Sized

import numpy as np

from .backend import to_numpy


def _value_or_sized_to_array(value_or_sized, repeat=1):
    if isinstance(value_or_sized, Sized):
        return np.asarray(to_numpy(value_or_sized))
    return np.array([value_or_sized] * repeat)


def _value_or_sized_to_tuple(value_or_sized, repeat=1):
    return tuple(_value_or_sized_to_array(value_or_sized, repeat).tolist())


def _raise_on_wrong_dtype(arr, dtype, name):
    if not np.issubdtype(arr.dtype, dtype):
        raise TypeError(f"Wrong input type for `{name}`. Must be {dtype}, but received to {arr.dtype}.")


def _expect_indices(indices):
    """Refuses what are no indices: NumPy would take masks for the indices 0 and 1, and cut off fractions."""
    kind = np.dtype(indices.dtype).kind
    if kind == "b":
        raise IndexError("indices are a mask: give the places where it is true, np.flatnonzero(mask)")
    if kind not in "iu" and indices.size:
        raise IndexError(f"arrays used as indices must be of integers, not of {indices.dtype}")
