"""The libraries that hand arrays over and take them, each by the same few functions."""

import contextlib
import importlib
import os

from binding import CPU, ForTorch

# JAX would take most of a GPU's memory at once.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

NUMBERS = [
    "Bool", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float16", "Float32", "Float64", "Complex64", "Complex128",
]
EIGHT_BITS = {
    "Float8E4M3Fn": "float8_e4m3fn", "Float8E4M3Fnuz": "float8_e4m3fnuz", "Float8E5M2": "float8_e5m2",
    "Float8E5M2Fnuz": "float8_e5m2fnuz", "Float8E8M0Fnu": "float8_e8m0fnu",
}


class NumPy:
    """What is said here holds for every library that does not say otherwise."""

    name = "numpy"
    # Dtypes and layouts it must take. Others it may refuse, but not get wrong.
    dtypes = NUMBERS
    layouts = ["row-major", "transposed", "every second", "with an offset", "reversed", "repeated", "axes of one"]
    # Whether it keeps to READ_ONLY.
    heeds_read_only = True
    # Whether its own arrays can be written by who takes them.
    lends_writable = True
    # Whether several threads may have it give arrays of a GPU at once.
    gives_on_threads = True
    has_strides = True
    has_negative_strides = True

    def __init__(self):
        self.module = importlib.import_module(self.name)
        self.np = importlib.import_module("numpy")

    def devices(self):
        """Where it can have arrays, in DLPack's terms."""
        return [CPU]

    def version(self):
        return self.module.__version__

    def dtype(self, name):
        """Its own dtype, or an exception."""
        return self.np.dtype(name.lower())

    def give(self, dtype, shape, block, device):
        """An array of its own with that content."""
        return self.np.frombuffer(bytearray(block), dtype=self.dtype(dtype)).reshape(shape)

    def take(self, producer):
        """What the library makes of any object with `__dlpack__`, without a copy."""
        return self.module.from_dlpack(producer)

    def fit(self, array):
        """One of our arrays as it may be shown to the library."""
        return array

    def bytes(self, array):
        """The elements in row-major order."""
        return self.np.ascontiguousarray(array).tobytes()

    def shape(self, array):
        return tuple(array.shape)

    def address(self, array):
        return array.__array_interface__["data"][0]

    def writable(self, array):
        return array.flags.writeable

    def fill(self, array, value):
        array[...] = value

    def on(self, device):
        """A context in which the library works on that device."""
        return contextlib.nullcontext()

    def fence(self, device):
        """Waits for all its work."""

    def held(self, device):
        """Bytes of a GPU that its arrays take; None where it cannot tell. The CPU has other ways to know."""
        return 0


class Torch(NumPy):
    name = "torch"
    dtypes = [*NUMBERS, "BFloat16", "Complex32", *EIGHT_BITS]
    # A negative stride ends the process, so `fit` copies.
    layouts = ["row-major", "transposed", "every second", "with an offset", "repeated", "axes of one"]
    heeds_read_only = False
    has_negative_strides = False

    def devices(self):
        cuda = self.module.cuda.is_available()
        return [CPU, *((2, number) for number in range(self.module.cuda.device_count() if cuda else 0))]

    def dtype(self, name):
        return getattr(self.module, EIGHT_BITS.get(name, name.lower()))

    def give(self, dtype, shape, block, device):
        if not block:
            return self.module.empty(shape, dtype=self.dtype(dtype), device=self.place(device))
        flat = self.module.frombuffer(bytearray(block), dtype=self.module.uint8)
        return flat.to(self.place(device)).view(self.dtype(dtype)).reshape(shape)

    def place(self, device):
        return "cpu" if device == CPU else f"cuda:{device[1]}"

    def fit(self, array):
        return ForTorch(array)

    def bytes(self, array):
        packed = array.detach().contiguous().cpu().reshape(-1)
        return packed.view(self.module.uint8).numpy().tobytes()

    def address(self, array):
        return array.data_ptr()

    def writable(self, array):
        return True

    def on(self, device):
        return contextlib.nullcontext() if device == CPU else self.module.cuda.device(device[1])

    def fence(self, device):
        if device != CPU:
            self.module.cuda.synchronize(device[1])

    def held(self, device):
        return 0 if device == CPU else self.module.cuda.memory_allocated(device[1])


class CuPy(NumPy):
    name = "cupy"
    heeds_read_only = False
    # It has them, but does not say them right.
    has_negative_strides = False

    def devices(self):
        try:
            count = self.module.cuda.runtime.getDeviceCount()
        except self.module.cuda.runtime.CUDARuntimeError:
            count = 0
        return [(2, number) for number in range(count)]

    def give(self, dtype, shape, block, device):
        with self.on(device):
            return self.module.asarray(super().give(dtype, shape, block, device))

    def bytes(self, array):
        return self.module.asnumpy(array).tobytes()

    def address(self, array):
        return array.data.ptr

    def writable(self, array):
        return True

    def on(self, device):
        return self.module.cuda.Device(device[1])

    def fence(self, device):
        with self.on(device):
            self.module.cuda.runtime.deviceSynchronize()

    def held(self, device):
        with self.on(device):
            return self.module.get_default_memory_pool().used_bytes()


class Jax(NumPy):
    name = "jax"
    # Its buffers end the process ("Non-zero type 1 hold on destruction") when one thread collects what another
    # one's deleter has just let go.
    gives_on_threads = False
    dtypes = [*NUMBERS, "BFloat16"]
    layouts = ["row-major"]
    # It speaks the struct that cannot say so, and never writes anyway.
    heeds_read_only = None
    lends_writable = False
    has_strides = False
    has_negative_strides = False

    def __init__(self):
        super().__init__()
        # Without it 64-bit elements are converted to 32 bits.
        self.module.config.update("jax_enable_x64", True)
        self.dlpack = importlib.import_module("jax.dlpack")
        self.ml_dtypes = importlib.import_module("ml_dtypes")

    def devices(self):
        found = [CPU]
        try:
            gpus = self.module.devices("cuda")
        except RuntimeError:
            return found
        return found + [(2, number) for number in range(len(gpus))]

    def dtype(self, name):
        plain = EIGHT_BITS.get(name, name.lower())
        return self.np.dtype(getattr(self.ml_dtypes, plain, plain))

    def give(self, dtype, shape, block, device):
        array = self.module.device_put(super().give(dtype, shape, block, device), self.place(device))
        return array.block_until_ready()

    def place(self, device):
        return self.module.devices("cpu" if device == CPU else "cuda")[device[1]]

    def take(self, producer):
        return self.dlpack.from_dlpack(producer)

    def bytes(self, array):
        return self.np.asarray(array).tobytes()

    def address(self, array):
        return array.unsafe_buffer_pointer()

    def writable(self, array):
        return False

    def fence(self, device):
        self.module.device_put(self.np.zeros(1, dtype="float32"), self.place(device)).block_until_ready()

    def held(self, device):
        if device == CPU:
            return 0
        # The allocator that leaves all to the driver counts nothing.
        told = self.place(device).memory_stats()
        return told["bytes_in_use"] if told else None


def found(names):
    """The libraries that can be imported, and why the others cannot."""
    libraries, missing = [], {}
    for kind in (NumPy, Torch, CuPy, Jax):
        if names and kind.name not in names:
            continue
        try:
            libraries.append(kind())
        except ImportError as error:
            missing[kind.name] = f"no {kind.name} for Python: {str(error).splitlines()[0]}"
    return libraries, missing
