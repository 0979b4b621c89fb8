"""Functions that declare which library's arrays they take: they are given those, whatever they are called with.

>>> from arrayspan import declared
>>> @declared.numpy
... def halve(x):
...     return x / 2

``halve(tensor)`` of a torch tensor is given an array of NumPy, over the same memory where that is possible, and its result comes back as
a torch tensor on the device where the argument was. With ``output`` results are of the library that is named, and with ``dtype`` their elements of
the dtype that is named, or (``"preserve"``) of that of the argument:

>>> @declared.numpy(dtype="preserve")
... def brighter(image):
...     return 1.5 * image.astype("float32")
>>> import numpy
>>> brighter(numpy.array([3, 5, 200], "uint8"))  # to the nearest, of two the even one, and to the largest that there is
array([  4,   8, 255], dtype=uint8)
"""

import functools

from arrayspan._native import asarray, convert, kind_of, zeros
from arrayspan._native import memory as _memory

__all__ = ["arrayspan", "cupy", "jax", "memory_types", "numpy", "pyclesperanto", "tensorflow", "torch"]


def _converted(value, kind, gpu_id):
    return value if kind_of(value) is None else convert(value, kind, gpu_id)


def _returned(value, kind, place):
    """The result, or each of a tuple or list, as an array of the library, or of its own: where and as `place` says.

    Other containers, and classes derived from these that are made of something else, are returned as they are.
    """
    named = isinstance(value, tuple) and hasattr(value, "_make")
    if named or type(value) in (tuple, list):
        each = [_returned(one, kind, place) for one in value]
        return value._make(each) if named else type(value)(each)
    own = kind_of(value)
    return value if own is None else convert(value, kind or own, **place)


def _dtype_of(array):
    """By a name, or an object that `convert` takes for one."""
    dtype = getattr(array, "dtype", None)
    return asarray(array).dtype if dtype is None else dtype


def memory_types(
    input,
    output=None,
    *,
    gpu_id=None,
    retry=False,
    dtype=None,
    overflow="saturate",
    rounding="nearest-even",
    scale=None,
):
    """Declares that a function takes arrays of the library `input`.

    Parameters
    ----------
    input : str
        The library whose arrays the function is given: ``"numpy"``, ``"cupy"``, ``"torch"``, ``"jax"``, ``"tensorflow"``, ``"pyclesperanto"`` or ``"arrayspan"``.
    output : str, optional
        The library whose arrays it returns; by default that of its first argument that is an array, on the device of that.
    gpu_id : int, optional
        The GPU where it runs; by default where its arguments are, or the first one.
    retry : bool, optional
        Whether it is run again after it has run out of memory and some was found.
    dtype : str or dtype, optional
        Of the elements of results that are arrays, also within tuples and lists (numbers stay as they are): ``"preserve"`` is that of the
        first argument that is an array; by default they stay as the function made them.
    overflow : {"saturate", "wrap", "exact"}
        What becomes of numbers that the dtype cannot hold: see `arrayspan.convert`.
    rounding : {"nearest-even", "nearest-away", "toward-zero", "down", "up"}
        Which integer stands for a number with a fraction.
    scale : "minmax" or (float, float), optional
        How results are scaled before: from the least and the largest element, or from a range, to all the integers of the dtype, or to 0 and 1.
    """
    preserve = isinstance(dtype, str) and dtype == "preserve"
    policy = {"overflow": overflow, "rounding": rounding, "scale": scale}
    # What makes no sense is an error here, not when the function is called.
    zeros(0).astype(None if preserve else dtype, **policy)

    def declare(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            arrays = [value for value in (*args, *kwargs.values()) if kind_of(value) is not None]
            own = _dtype_of(arrays[0]) if preserve and arrays else None
            given = [_converted(value, input, gpu_id) for value in args]
            named = {name: _converted(value, input, gpu_id) for name, value in kwargs.items()}
            call = functools.partial(function, *given, **named)
            result = _memory.with_retry(call) if retry else call()
            place = {"dtype": own if preserve else dtype, **policy}
            kind = output
            if output is None and arrays:
                kind = kind_of(arrays[0])
                if kind != "pyclesperanto":
                    place["device"] = _device_of(arrays[0])
            elif output is None and dtype is None and scale is None:
                return result
            return _returned(result, kind, place)

        wrapped.input_memory_type = input
        wrapped.output_memory_type = output
        return wrapped

    return declare


def _device_of(array):
    """The device by the name that `convert` takes."""
    kind, number = array.__dlpack_device__()
    names = {1: "cpu", 3: "cpu", 2: f"cuda:{number}", 13: f"cuda:{number}", 4: f"opencl:{number}"}
    return names.get(int(kind))


def _of(kind):
    def decorator(function=None, *, output=None, **options):
        declare = memory_types(kind, output, **options)
        return declare if function is None else declare(function)

    decorator.__name__ = kind
    decorator.__doc__ = f"Declares that a function takes arrays of {kind}: see `memory_types`."
    return decorator


arrayspan = _of("arrayspan")
cupy = _of("cupy")
jax = _of("jax")
numpy = _of("numpy")
pyclesperanto = _of("pyclesperanto")
tensorflow = _of("tensorflow")
torch = _of("torch")
