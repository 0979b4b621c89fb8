"""Elements at other places: picked, turned round, moved, repeated."""

import logging
from operator import index

import numpy as np

from ... import operators as engine
from .._leaf import Leaf
from ..utils._internal import _expect_indices, _value_or_sized_to_tuple
from ..utils.backend import get_normalize_axis_index, to_numpy

__all__ = ["Restriction", "Flip", "Roll", "Pad", "Symmetrize", "Transpose"]

logger = logging.getLogger(__name__)


class Restriction(Leaf):
    """The elements of some indices of an axis.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    iava : sequence of int
        The indices, which may repeat.
    axis : int, optional
        The axis.
    inplace : bool, optional
        Accepted: results never share memory with their argument.
    forceflat : bool, optional
        Whether results are vectors; of models of at most two axes.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, iava, axis=-1, inplace=True, forceflat=None, dtype="float64", name="R"):
        dims = _value_or_sized_to_tuple(dims)
        self.axis = get_normalize_axis_index()(axis, len(dims))
        self.iava = iava if hasattr(iava, "dtype") else np.asarray(iava)
        _expect_indices(self.iava)
        self.inplace = inplace
        if len(dims) > 2 and forceflat is not None:
            logger.warning("forceflat is not taken for more than two axes: results have the shape of their argument.")
            forceflat = None
        dimsd = list(dims)
        dimsd[self.axis] = len(iava)
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, forceflat=forceflat, name=name)

    def _build(self, dtype, like):
        indices = to_numpy(self.iava).astype(np.int64)
        # As NumPy's, they count from the end where they are negative.
        indices = np.where(indices < 0, indices + self.dims[self.axis], indices)
        return engine.Restriction(self.dims, indices.tolist(), self.axis, dtype=dtype)

    def mask(self, x):
        """An array that is masked everywhere but at the indices, which may not repeat."""
        indices = to_numpy(self.iava)
        if np.unique(indices).size != indices.size:
            raise ValueError("At least one index in iava is repeated, mask is not enabled...")
        x = np.reshape(to_numpy(x), self.dims)
        hidden = np.ones(self.dims, dtype=bool)
        at = (slice(None),) * self.axis + (indices,)
        hidden[at] = False
        y = np.zeros(self.dims, dtype=np.promote_types(self.dtype, x.dtype))
        y[at] = x[at]
        return np.ma.array(y, mask=hidden)


class Flip(Leaf):
    """An axis from its end to its beginning.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, axis=-1, dtype="float64", name="F"):
        dims = _value_or_sized_to_tuple(dims)
        self.axis = axis
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return engine.Flip(self.dims, self.axis, dtype)


class Roll(Leaf):
    """An axis moved round by whole samples.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    shift : int, optional
        How far each sample moves, towards the end where it is positive.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, axis=-1, shift=1, dtype="float64", name="R"):
        dims = _value_or_sized_to_tuple(dims)
        self.axis, self.shift = axis, shift
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dims, name=name)

    def _build(self, dtype, like):
        return engine.Roll(self.dims, index(self.shift), self.axis, dtype)


class Pad(Leaf):
    """Zeros around a model.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    pad : tuple
        How many zeros before and after each axis: a pair for each; of one axis the pair alone.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, pad, dtype="float64", name="P"):
        if np.any(np.array(pad) < 0):
            raise ValueError("Padding must be positive or zero")
        dims = _value_or_sized_to_tuple(dims)
        self.pad = [pad] if len(dims) == 1 and np.ndim(pad) == 1 else list(pad)
        dimsd = [extent + before + after for extent, (before, after) in zip(dims, self.pad, strict=True)]
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _build(self, dtype, like):
        pairs = [(int(before), int(after)) for before, after in self.pad]
        return engine.Pad(self.dims, pairs, dtype=dtype)


class Symmetrize(Leaf):
    """An axis of `n` samples preceded by its mirror image: ``2 n - 1`` samples, the first one in the middle.

    Parameters
    ----------
    dims : int or tuple
        The shape of models.
    axis : int, optional
        The axis.
    dtype : str, optional
        The dtype of results.
    name : str, optional
        What `describe` calls it.
    """

    def __init__(self, dims, axis=-1, dtype="float64", name="S"):
        dims = _value_or_sized_to_tuple(dims)
        self.axis, self.nsym = axis, dims[axis]
        dimsd = list(dims)
        dimsd[axis] = 2 * dims[axis] - 1
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _build(self, dtype, like):
        return engine.Symmetrize(self.dims, self.axis, dtype=dtype)


class Transpose(Leaf):
    """The axes in another order.

    Parameters
    ----------
    dims : tuple
        The shape of models.
    axes : tuple
        The axis of models that each axis of data is.
    dtype : str, optional
        The dtype that it says it has.
    name : str, optional
        What `describe` calls it.
    """

    _rule = "given"

    def __init__(self, dims, axes, dtype="float64", name="T"):
        dims = _value_or_sized_to_tuple(dims)
        normalize = get_normalize_axis_index()
        self.axes = [int(normalize(axis, len(dims))) for axis in axes]
        if sorted(self.axes) != list(range(len(dims))):
            raise ValueError(
                f"axes must contain all dimensions, and each dimension at least once, got {self.axes}, instead"
            )
        self.axesd = [self.axes.index(axis) for axis in range(len(dims))]
        dimsd = [dims[axis] for axis in self.axes]
        super().__init__(dtype=np.dtype(dtype), dims=dims, dimsd=dimsd, name=name)

    def _build(self, dtype, like):
        return engine.Transpose(self.dims, self.axes, dtype=dtype)
