"""Functions that declare which library's arrays they take: they are given those, whatever they are called with.

>>> from arrayspan import declared
>>> @declared.numpy
... def halve(x):
...     return x / 2

``halve(tensor)`` of a torch tensor is given an array of NumPy, over the same memory where that is possible, and its result comes back as
a torch tensor on the device where the argument was. With ``output`` results are of the library that is named.
"""

import functools

from arrayspan._native import convert, kind_of
from arrayspan._native import memory as _memory

__all__ = ["arrayspan", "cupy", "jax", "memory_types", "numpy", "pyclesperanto", "tensorflow", "torch"]


def _converted(value, kind, gpu_id):
    return value if kind_of(value) is None else convert(value, kind, gpu_id)


def _returned(value, kind, device):
    """The result, or the results of a tuple or list, in the library and where they belong."""
    if isinstance(value, (tuple, list)):
        return type(value)(_returned(each, kind, device) for each in value)
    return value if kind_of(value) is None else convert(value, kind, device=device)


def memory_types(input, output=None, *, gpu_id=None, retry=False):
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
    """

    def declare(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            arrays = [value for value in (*args, *kwargs.values()) if kind_of(value) is not None]
            given = [_converted(value, input, gpu_id) for value in args]
            named = {name: _converted(value, input, gpu_id) for name, value in kwargs.items()}
            call = functools.partial(function, *given, **named)
            result = _memory.with_retry(call) if retry else call()
            if output is not None:
                return _returned(result, output, None)
            if not arrays:
                return result
            kind = kind_of(arrays[0])
            return _returned(result, kind, None if kind == "pyclesperanto" else _device_of(arrays[0]))

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
    def decorator(function=None, *, output=None, gpu_id=None, retry=False):
        declare = memory_types(kind, output, gpu_id=gpu_id, retry=retry)
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
