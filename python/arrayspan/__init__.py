"""Arrays of every library on every device, linear operators and solvers.

What comes in goes out: operators take arrays of NumPy, torch, CuPy, JAX and of all libraries that speak DLPack, without
copying them, and give results as the same kind of array on the same device.

>>> import arrayspan, numpy
>>> slope = arrayspan.operators.FirstDerivative((5,), scheme="forward")
>>> slope @ numpy.array([0, 1, 4, 9, 16], dtype="float32")
array([1., 3., 5., 7., 0.], dtype=float32)

``arrayspan.jax``, ``arrayspan.torch`` and ``arrayspan.pylops`` are imported when they are used first: they load those libraries.
"""

from arrayspan import _main  # noqa: F401, I001  (first: it looks whether the others can be imported)
from arrayspan import declared, errors, memory, operators, solvers, tools
from arrayspan._across import Across, across
from arrayspan._native import (
    Array,
    Device,
    Operator,
    Space,
    __version__,
    asarray,
    best_device,
    convert,
    devices,
    empty,
    kind_of,
    ones,
    stack_slices,
    unstack_slices,
    zeros,
)
from arrayspan._namespace import __array_namespace_info__
from arrayspan.errors import (
    CopyRefused,
    DeviceUnavailable,
    DTypeError,
    Error,
    ForeignArrayError,
    NoAdjoint,
    OutOfMemory,
    ParameterError,
    ShapeError,
    WrongDevice,
)

__all__ = [
    "Across",
    "Array",
    "CopyRefused",
    "DTypeError",
    "Device",
    "DeviceUnavailable",
    "Error",
    "ForeignArrayError",
    "NoAdjoint",
    "Operator",
    "OutOfMemory",
    "ParameterError",
    "ShapeError",
    "Space",
    "WrongDevice",
    "__array_namespace_info__",
    "__version__",
    "across",
    "asarray",
    "best_device",
    "convert",
    "declared",
    "devices",
    "empty",
    "errors",
    "kind_of",
    "memory",
    "ones",
    "operators",
    "solvers",
    "stack_slices",
    "tools",
    "unstack_slices",
    "zeros",
]

#: Modules that load what not every program needs, and those without which they cannot be.
_LATER = {"jax": "jax", "pylops": "numpy", "torch": "torch"}

# Checkers of types do not run it, and would take any name for one that there is.
TYPE_CHECKING = False
if not TYPE_CHECKING:

    def __getattr__(name):
        if name in _LATER:
            from importlib import import_module

            # What keeps it from being imported is raised: it is no lack of an attribute.
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        from importlib.util import find_spec

        def is_there(library):
            try:
                return find_spec(library) is not None
            except (ImportError, ValueError):  # a module that was put in place of it
                return True

        return sorted({*globals(), *(name for name, library in _LATER.items() if is_there(library))})
