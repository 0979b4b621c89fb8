"""Arrayspan's test library through ctypes: arrays of ours that any library takes, and theirs that we take."""

import ctypes
import itertools
import threading
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_int32, c_int64, c_size_t, c_ssize_t, c_uint8, c_uint64, c_void_p, py_object, pythonapi

CPU = (1, 0)
CUDA_HOST = (3, 0)

# Name, DLDataTypeCode, bits. Elements below a byte take a whole one.
DTYPES = {
    name: (code, bits)
    for name, code, bits in [
        ("Bool", 6, 8), ("Int8", 0, 8), ("Int16", 0, 16), ("Int32", 0, 32), ("Int64", 0, 64),
        ("UInt8", 1, 8), ("UInt16", 1, 16), ("UInt32", 1, 32), ("UInt64", 1, 64),
        ("Float16", 2, 16), ("BFloat16", 4, 16), ("Float32", 2, 32), ("Float64", 2, 64),
        ("Complex32", 5, 32), ("Complex64", 5, 64), ("Complex128", 5, 128),
        ("Float8E3M4", 7, 8), ("Float8E4M3", 8, 8), ("Float8E4M3B11Fnuz", 9, 8), ("Float8E4M3Fn", 10, 8),
        ("Float8E4M3Fnuz", 11, 8), ("Float8E5M2", 12, 8), ("Float8E5M2Fnuz", 13, 8), ("Float8E8M0Fnu", 14, 8),
        ("Float6E2M3Fn", 15, 6), ("Float6E3M2Fn", 16, 6), ("Float4E2M1Fn", 17, 4),
    ]
}
NAMES = {pair: name for name, pair in DTYPES.items()}


def size(dtype):
    """Bytes of one element."""
    return -(-DTYPES[dtype][1] // 8)


def compact(shape):
    """Row-major strides, in elements."""
    reversed_strides = itertools.accumulate(reversed(shape[1:]), lambda step, extent: step * extent, initial=1)
    return tuple(reversed(list(reversed_strides)))[-len(shape):] if shape else ()


class Refused(RuntimeError):
    """A refusal of ours that Python has no name for."""


# The codes of `Code` in error.rs, by what Python's consumers expect.
FAILURES = {1: BufferError, 2: ValueError, 3: BufferError, 4: Refused, 5: BufferError, 6: ValueError, 7: SystemError}


class Wanted(ctypes.Structure):
    _fields_ = [
        ("device", c_int32 * 2), ("dtype", c_uint8 * 2), ("exclusive", c_bool), ("rank", c_size_t),
        ("shape", POINTER(c_size_t)), ("strides", POINTER(c_ssize_t)), ("offset", c_size_t),
        ("block", c_void_p), ("bytes", c_size_t),
    ]


class Manner(ctypes.Structure):
    _fields_ = [("versioned", c_bool), ("copy", c_int32), ("stream", c_int64)]


class Handed(ctypes.Structure):
    _fields_ = [("managed", c_void_p), ("copied", c_bool)]


class Origin(ctypes.Structure):
    _fields_ = [("versioned", c_bool), ("exclusive", c_bool), ("ordered", c_bool), ("device", c_int32 * 2)]


class Description(ctypes.Structure):
    _fields_ = [
        ("device", c_int32 * 2), ("dtype", c_uint8 * 2), ("exclusive", c_bool), ("rank", c_size_t),
        ("shape", c_size_t * 64), ("strides", c_ssize_t * 64), ("address", c_uint64),
    ]


class Python(ctypes.Structure):
    _fields_ = [("is_valid", c_void_p), ("pointer", c_void_p)]


class Library:
    """The test library."""

    def __init__(self, path):
        self.path = str(path)
        # CDLL gives up the interpreter's lock during calls, as a binding that other threads like does.
        self.c = ctypes.CDLL(self.path)
        self.c.interop_error.restype = ctypes.c_char_p
        self.c.interop_capsule_name.restype = c_void_p
        for name, arguments in {
            "make": [POINTER(Wanted), POINTER(c_void_p)],
            "release": [c_void_p],
            "describe": [c_void_p, POINTER(Description)],
            "read": [c_void_p, c_void_p, c_size_t],
            "copy": [c_void_p, c_int32, c_int32, POINTER(c_void_p)],
            "export": [c_void_p, POINTER(Manner), POINTER(Handed)],
            "import": [c_void_p, POINTER(Origin), POINTER(c_void_p)],
            "add": [c_void_p, c_double, c_size_t],
            "sum": [c_void_p, POINTER(c_double)],
            "stream": [c_int32, c_int32, POINTER(c_uint64)],
            "statistics": [c_int32, c_int32, POINTER(c_uint64)],
            "settle": [c_int32, c_int32],
            "python": [Python],
            "capsule_name": [c_bool, c_bool],
        }.items():
            getattr(self.c, f"interop_{name}").argtypes = arguments
        address = lambda function: ctypes.cast(function, c_void_p).value
        self.c.interop_python(Python(address(pythonapi.PyCapsule_IsValid), address(pythonapi.PyCapsule_GetPointer)))
        self._end = address(self.c.interop_capsule_end)
        self._name = {pair: self.c.interop_capsule_name(*pair) for pair in itertools.product((False, True), repeat=2)}
        # A capsule is looked at and renamed by several calls; another thread must not come between.
        self._consuming = threading.Lock()
        self._streams = {}
        pythonapi.PyCapsule_New.restype = py_object
        pythonapi.PyCapsule_New.argtypes = [c_void_p, c_void_p, c_void_p]
        pythonapi.PyCapsule_IsValid.restype = c_int
        pythonapi.PyCapsule_IsValid.argtypes = [py_object, c_void_p]
        pythonapi.PyCapsule_GetPointer.restype = c_void_p
        pythonapi.PyCapsule_GetPointer.argtypes = [py_object, c_void_p]
        pythonapi.PyCapsule_SetName.restype = c_int
        pythonapi.PyCapsule_SetName.argtypes = [py_object, c_void_p]

    def call(self, name, *arguments):
        """Calls a function and raises what it says."""
        code = getattr(self.c, f"interop_{name}")(*arguments)
        if code != 0:
            raise FAILURES[code](self.c.interop_error().decode())

    def make(self, dtype, shape, block, device=CPU, strides=None, offset=0, exclusive=True):
        """An array over a block with that content; strides and offset in elements."""
        strides = compact(shape) if strides is None else strides
        rank = len(shape)
        wanted = Wanted(
            (c_int32 * 2)(*device), (c_uint8 * 2)(*DTYPES[dtype]), exclusive, rank,
            (c_size_t * rank)(*shape), (c_ssize_t * rank)(*strides), offset,
            ctypes.cast(ctypes.c_char_p(block), c_void_p), len(block),
        )
        handle = c_void_p()
        self.call("make", byref(wanted), byref(handle))
        return Array(self, handle.value)

    def take(self, producer, exclusive=True, capsule=None):
        """The array of any object with `__dlpack__`, on the producer's device, without a copy."""
        kind, number = producer.__dlpack_device__()
        device = (int(kind), int(number))
        gpu = device[0] == 2
        if capsule is None:
            capsule = producer.__dlpack__(stream=self.stream(device) if gpu else None, max_version=(1, 3))
        with self._consuming:
            for versioned in (True, False):
                if pythonapi.PyCapsule_IsValid(capsule, self._name[versioned, False]):
                    managed = pythonapi.PyCapsule_GetPointer(capsule, self._name[versioned, False])
                    pythonapi.PyCapsule_SetName(capsule, self._name[versioned, True])
                    break
            else:
                raise ValueError("the capsule was consumed before")
        # A legacy struct cannot say that it is read-only, so it is taken to be.
        origin = Origin(versioned, exclusive and versioned, gpu, (c_int32 * 2)(*device))
        handle = c_void_p()
        self.call("import", managed, byref(origin), byref(handle))
        return Array(self, handle.value)

    def capsule(self, managed, versioned):
        """A capsule that owns a managed tensor until somebody consumes it."""
        return pythonapi.PyCapsule_New(managed, self._name[versioned, False], self._end)

    def stream(self, device):
        """The handle of our default stream there."""
        if device not in self._streams:
            raw = c_uint64()
            self.call("stream", *device, byref(raw))
            self._streams[device] = raw.value
        return self._streams[device]

    def has(self, device):
        """Whether there is such a device."""
        try:
            self.stream(device)
        except Refused:
            return False
        return True

    def statistics(self, device):
        """Bytes and blocks of ours that are alive there."""
        numbers = (c_uint64 * 2)()
        self.call("statistics", *device, numbers)
        return tuple(numbers)

    def settle(self, device):
        """Waits for our work there."""
        self.call("settle", *device)


class Array:
    """An array of ours, as the Python Array API wants it."""

    def __init__(self, library, handle):
        self._library = library
        self._handle = handle
        self.copied = None
        description = Description()
        library.call("describe", handle, byref(description))
        rank = description.rank
        self.device = tuple(description.device)
        self.dtype = NAMES[tuple(description.dtype)]
        self.exclusive = description.exclusive
        self.shape = tuple(description.shape[:rank])
        self.strides = tuple(description.strides[:rank])
        self.address = description.address

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None:
            self._library.c.interop_release(handle)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Hands the array over. An exclusive one belongs to the consumer then; a shared one is lent read-only."""
        if dl_device is not None and tuple(map(int, dl_device)) != self.device:
            if copy is False:
                raise BufferError(f"on {self.device}, and a copy was ruled out")
            there = self.to(tuple(map(int, dl_device)))
            capsule = there.__dlpack__(max_version=max_version)
            self.copied = True
            return capsule
        if self.device[0] == 2:
            if stream == 0:
                raise ValueError("stream 0 is ambiguous in CUDA")
            # None stands for the legacy default stream, whose handle is 1.
            number = 1 if stream is None else int(stream)
        elif stream is not None:
            raise ValueError("the CPU has no streams")
        else:
            number = 0
        versioned = max_version is not None and max_version[0] >= 1
        handed = Handed()
        manner = Manner(versioned, {None: 2, False: 0, True: 1}[copy], number)
        self._library.call("export", self._handle, byref(manner), byref(handed))
        self.copied = handed.copied
        return self._library.capsule(handed.managed, versioned)

    def bytes(self):
        """The elements in row-major order. Waits for them."""
        length = size(self.dtype)
        for extent in self.shape:
            length *= extent
        room = ctypes.create_string_buffer(length)
        self._library.call("read", self._handle, room, length)
        return room.raw

    def to(self, device):
        """A copy on a device."""
        handle = c_void_p()
        self._library.call("copy", self._handle, *device, byref(handle))
        return Array(self._library, handle.value)

    def add(self, value, times=1):
        """Adds a number to every element, time and again. Queued; does not wait."""
        self._library.call("add", self._handle, value, times)

    def sum(self):
        """The sum of all elements. Waits for it."""
        total = c_double()
        self._library.call("sum", self._handle, byref(total))
        return total.value


class Legacy:
    """An object whose `__dlpack__` is from before DLPack 1."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)


class ForTorch:
    """An array for a consumer that ignores READ_ONLY, and whose process ends at a negative stride: copied then."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        array = self.array
        unfit = not array.exclusive or any(stride < 0 for stride in array.strides)
        if unfit and copy is False:
            raise BufferError("read-only or with a negative stride, and a copy was ruled out")
        copy = True if unfit else copy
        return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


class Once:
    """An object that gives the same capsule to everybody, ready on the driver's default stream."""

    def __init__(self, producer, **arguments):
        self.device = producer.__dlpack_device__()
        self.capsule = producer.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


class OnceOnDemand:
    """As Once, but the capsule is made for the stream of the first who asks, who may read what it holds at once."""

    def __init__(self, producer, **arguments):
        self.producer, self.arguments = producer, arguments
        self.capsule = None

    def __dlpack_device__(self):
        return self.producer.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **_):
        if self.capsule is None:
            order = {} if stream is None else {"stream": stream}
            self.capsule = self.producer.__dlpack__(**order, **self.arguments)
        return self.capsule
