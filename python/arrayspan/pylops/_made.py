"""Operators of the engine that are made of attributes, which may change: by assignment, or by writing an array.

PyLops reads the attributes of an operator whenever it is applied. What the engine's operator was made of is noted while it is
made, so that it is made anew after a change.
"""

import threading

import numpy as np

from arrayspan import _native

_making = threading.local()

# Methods that an operator of the engine stands for.
METHODS = frozenset(name + what for name in ("mat", "rmat") for what in ("vec", "mat"))
METHODS = METHODS | {"_" + name for name in METHODS}
# Attributes that say nothing of what an operator does.
_APART = {"matvec_count", "rmatvec_count", "matmat_count", "rmatmat_count", "name", "_name", "_shape"}


class Made:
    """An operator of the engine (or `None`), the operators that it is made of, and the arrays that it has copies of."""

    __slots__ = ("native", "version", "parts", "arrays", "in_place")

    def __init__(self, version):
        self.native, self.version = None, version
        self.parts, self.arrays, self.in_place = [], [], []

    def holds(self):
        """Whether nothing that it is made of has changed, but for the attributes of its own operator."""
        for part, version in self.parts:
            if part._version != version:
                return False
        for array, before, unchanged in self.arrays:
            if not unchanged(array, before):
                return False
        return True

    def _watch(self, array):
        if type(array) is not np.ndarray or array.dtype.hasobject or any(array is each for each in self.in_place):
            return
        plain = array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative and array.dtype.char in "?bBhHiIlLqQefdFD"
        self.arrays.append((array, array.copy(), _native._unchanged if plain else np.array_equal))


def in_place(array, attribute):
    """`array`, for the engine to read it where it is, if it is the memory of an `attribute`."""
    now = getattr(_making, "now", None)
    if now is None or type(array) is not np.ndarray or type(attribute) is not np.ndarray:
        return array
    if not array.flags.c_contiguous or not np.may_share_memory(array, attribute):
        return array
    try:
        shared = _native._in_place(array)
    except (RuntimeError, TypeError, ValueError, BufferError):
        return array
    now.in_place.append(attribute)
    return shared


def make(op, dtype, like):
    """What an operator builds."""
    made = Made(op._version)
    outer = getattr(_making, "now", None)
    _making.now = made
    try:
        made.native = op._build(dtype, like)
    finally:
        _making.now = outer
    if made.native is not None:
        for value in list(vars(op).values()):
            made._watch(value)
            if hasattr(value, "tocsr"):
                made._watch(getattr(value, "data", None))
    return made


def note(op, made=None):
    """Tells what is being made, if something is, that it is made of an operator."""
    now = getattr(_making, "now", None)
    if now is None:
        return
    now.parts.append((op, op._version if made is None else made.version))
    if made is not None:
        now.parts.extend(made.parts)
        now.arrays.extend(made.arrays)


class Changing:
    """Notices that attributes change."""

    _version = 0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        self._noticed(name)

    def __delattr__(self, name):
        object.__delattr__(self, name)
        self._noticed(name)

    def _noticed(self, name):
        own = self.__dict__
        if name in _APART or ("_natives" not in own and "_known_dtypes" not in own):
            return
        # First the version, so that what another thread makes of the attribute as it was is not taken for new.
        kept = list(own.get("_natives", {}).values())
        if not kept or any(made.native is not None for made in kept):
            own["_version"] = self._version + 1
        for each in ("_natives", "_known_dtypes", "_ready"):
            own.pop(each, None)
