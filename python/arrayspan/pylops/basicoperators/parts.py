"""Real and imaginary parts, conjugates."""

import numpy as np

from ... import operators as engine
from .. import _dtypes
from .._leaf import Leaf
from ..utils._internal import _value_or_sized_to_tuple

__all__ = ["Real", "Imag", "Conj"]


class _Part(Leaf):
    """Of complex models, real data; real-linear."""

    def __init__(self, dims, dtype, name):
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, clinear=False, name=name)
        self.rdtype = _dtypes.real(self.dtype)

    def _choose_dtype(self, given):
        # Models are complex, in the precision that it was made with.
        return _dtypes.complex_of(_dtypes.promoted(self.dtype))

    def _build(self, dtype, like):
        # What is put together with others has the dtype of its model.
        return getattr(engine, type(self).__name__)(self.dims, dtype=dtype) if dtype.kind == "c" else None

    def _rmatvec(self, x):
        y = self._adjoint_of(x)
        return _dtypes.cast(y, _dtypes.promoted(self.dtype))


class Real(_Part):
    """The real part.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    dtype : str, optional
        The dtype of models.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, dtype="complex128", name="R"):
        super().__init__(dims, dtype, name)


class Imag(_Part):
    """The imaginary part.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    dtype : str, optional
        The dtype of models.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, dtype="complex128", name="I"):
        super().__init__(dims, dtype, name)


class Conj(Leaf):
    """The conjugate.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, dtype="complex128", name="C"):
        dims = _value_or_sized_to_tuple(dims)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, clinear=False, name=name)

    def _build(self, dtype, like):
        return engine.Conj(self.dims, dtype=dtype)
