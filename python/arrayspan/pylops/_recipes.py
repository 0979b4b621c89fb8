"""How operators of the engine are made of those of PyLops.

An operator of PyLops has no dtype of its own in the engine's sense: what it is given decides, as in NumPy. So each of ours
holds a recipe, `_build`, that makes the engine's operator for a dtype and a device. What was made is kept.
"""

import sys
from functools import lru_cache, reduce

import numpy as np

from . import _dtypes
from ._made import METHODS, Changing, make, note


def device_key(x):
    """What tells arrays of different devices apart; `None` for NumPy's."""
    if x is None or type(x) is np.ndarray:
        return None
    device = getattr(x, "device", None)
    return None if device is None or str(device) == "cpu" else (type(x).__module__, str(device))


def ready_key(x):
    """What tells arrays apart that go to the engine without a detour; `None` for arrays that do not."""
    if type(x) is np.ndarray:
        return x.dtype
    cupy = sys.modules.get("cupy")
    return (x.dtype, x.data.device_id) if cupy is not None and type(x) is cupy.ndarray else None


def placed(array, dtype, like):
    """A parameter in the dtype, on the device of `like`."""
    from .utils.backend import to_cupy_conditional

    array = _dtypes.cast(array, dtype)
    return array if device_key(like) is None else to_cupy_conditional(like, array)


@lru_cache(maxsize=None)
def _of_class(cls):
    """Whether instances are what `_build` says: nobody has overridden what it stands for."""
    order = cls.__mro__
    builder = next((at for at, each in enumerate(order) if "_build" in vars(each)), None)
    if builder is None:
        return False
    return not any(METHODS & vars(each).keys() for each in order[:builder])


class Recipe(Changing):
    """Operators that may be made in the engine."""

    def _build(self, dtype, like):
        """The engine's operator for models of the dtype, beside arrays as `like` (`None`: NumPy's), or `None`."""
        return None

    def _dtype_for(self, given):
        """The dtype in which an array of dtype `given` is computed, or `None` if it is not made in the engine."""
        return None

    def _native(self, dtype, like=None):
        """The engine's operator for a dtype and a device; `None` if there is none, or if a subclass does something else."""
        if self._is_as_built():
            return self._made(dtype, like)
        note(self)
        return None

    def _is_as_built(self):
        """Whether neither a subclass nor the instance has methods of its own."""
        return _of_class(type(self)) and METHODS.isdisjoint(self.__dict__)

    def _made(self, dtype, like):
        """What `_build` makes, kept until what it is made of changes."""
        kept = self.__dict__.setdefault("_natives", {})
        key = (dtype, device_key(like))
        made = kept.get(key)
        if made is None or not made.holds():
            made = kept[key] = make(self, dtype, like)
        note(self, made)
        return made.native

    def _made_for(self, x):
        """What `_build` makes for an array, or `None`."""
        dtype = self._dtype_for(x.dtype)
        return None if dtype is None else self._made(dtype, x)

    def _native_for(self, x):
        """As `_made_for`, unless a subclass does something else."""
        return self._made_for(x) if self._is_as_built() else None

    def _forward(self, x):
        """``A x`` of a vector by the engine, or `None`."""
        native = self._made_for(x)
        if native is None:
            return None
        space = native.domain
        y = native.forward(_dtypes.cast(x, np.dtype(space.dtype)).reshape(space.shape))
        self._tick_parts(False)
        return y.reshape(-1)

    def _adjoint_of(self, y):
        """``A.H y`` of a vector by the engine, or `None`."""
        native = self._made_for(y)
        if native is None:
            return None
        space = native.range
        x = native.adjoint(_dtypes.cast(y, np.dtype(space.dtype)).reshape(space.shape))
        self._tick_parts(True)
        return x.reshape(-1)

    def _forward_columns(self, x):
        """``A X`` of a matrix by the engine, or `None`."""
        native = self._native_for(x)
        if native is None:
            return None
        space = native.domain
        x = _dtypes.cast(x, np.dtype(space.dtype)).reshape((*space.shape, x.shape[1]))
        y = native.matmat(x)
        self._tick_parts(False, many=True)
        return y.reshape((self.shape[0], x.shape[-1]))

    def _adjoint_columns(self, y):
        """``A.H Y`` of a matrix by the engine, or `None`."""
        native = self._native_for(y)
        if native is None:
            return None
        space = native.range
        y = _dtypes.cast(y, np.dtype(space.dtype)).reshape((*space.shape, y.shape[1]))
        x = native.rmatmat(y)
        self._tick_parts(True, many=True)
        return x.reshape((self.shape[1], y.shape[-1]))

    # What arrays meet at once, by what `ready_key` says of them: set by `_keep_ready`.
    _ready = {}

    def _keep_ready(self, x):
        """From now on, arrays of NumPy and of CuPy like `x`, of shape ``dims``, go to the engine without a detour."""
        key = None if self.forceflat else ready_key(x)
        native = None if key is None else self._native_for(x)
        if native is None or native.domain.dtype != x.dtype.name or not x.dtype.isnative:
            return
        if native.domain.shape == self.dims and native.range.shape == self.dimsd:
            made = self.__dict__.get("_natives", {}).get((x.dtype, device_key(x)))
            if made is None or made.native is not native:
                return
            ready = self.__dict__.setdefault("_ready", {})
            changing = made if made.parts or made.arrays else None
            ready[key] = (native.__matmul__, self.dims, bool(self._counted_parts()), changing)
            if made.version != self._version:
                self.__dict__.pop("_ready", None)

    def __getstate__(self):
        # The engine's operators are made again where the copy is used.
        return {name: value for name, value in self.__dict__.items() if name not in ("_natives", "_ready", "_known_dtypes")}


def common(parts, given):
    """The dtype in which all parts compute, or `None` if one is not made in the engine."""
    dtypes = [part._dtype_for(given) for part in parts]
    # Not `None in dtypes`: NumPy takes `None` for the dtype `float64`.
    return None if any(dtype is None for dtype in dtypes) else reduce(np.promote_types, dtypes)


def built(parts, dtype, like):
    """The engine's operators of all parts, or `None`."""
    natives = []
    for part in parts:
        native = part._native(dtype, like)
        if native is None:
            return None
        natives.append(native)
    return natives


def same(*spaces):
    """Whether these spaces of the engine are equal: shape and dtype."""
    first = spaces[0]
    return all(tuple(each.shape) == tuple(first.shape) and each.dtype == first.dtype for each in spaces[1:])
