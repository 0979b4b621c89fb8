"""The names that annotations of PyLops programs use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "IntNDArray",
    "NDArray",
    "ArrayLike",
    "InputDimsLike",
    "SamplingLike",
    "ShapeLike",
    "DTypeLike",
    "TensorTypeLike",
]

NDArray = npt.NDArray[np.number]
IntNDArray = npt.NDArray[np.integer]
ArrayLike = npt.ArrayLike
InputDimsLike = Sequence[int] | IntNDArray
SamplingLike = Sequence[float] | npt.NDArray[np.floating]
ShapeLike = tuple[int, ...]
DTypeLike = npt.DTypeLike
TensorTypeLike = Any
