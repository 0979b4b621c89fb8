"""Whether operators take arrays of the shape ``dims``, for the whole process."""

from contextlib import contextmanager

__all__ = [
    "get_ndarray_multiplication",
    "set_ndarray_multiplication",
    "enabled_ndarray_multiplication",
    "disabled_ndarray_multiplication",
]

_enabled = True


def get_ndarray_multiplication():
    """Whether ``Op @ x`` takes an ``x`` of shape ``Op.dims`` and returns one of shape ``Op.dimsd``."""
    return _enabled


def set_ndarray_multiplication(val):
    """Sets whether ``Op @ x`` takes an ``x`` of shape ``Op.dims``."""
    global _enabled
    _enabled = bool(val)


@contextmanager
def _within(value):
    before = get_ndarray_multiplication()
    set_ndarray_multiplication(value)
    try:
        yield before
    finally:
        set_ndarray_multiplication(before)


def enabled_ndarray_multiplication():
    """A context in which ``Op @ x`` takes an ``x`` of shape ``Op.dims``."""
    return _within(True)


def disabled_ndarray_multiplication():
    """A context in which ``Op @ x`` takes vectors and matrices only."""
    return _within(False)
