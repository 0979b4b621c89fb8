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
