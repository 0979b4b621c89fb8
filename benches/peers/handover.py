"""What hand-overs, conversions, strided copies and stacks cost in Python's libraries.

    python handover.py [--place cpu|cuda] [--only NAME ...] [PART]

Prints CSV with the columns of our own benchmarks (`handover` and `copies` of the bridge): name, value, unit. A
hand-over is timed as ours: median over batches of a thousand, of an array that exists. Copies are timed on
arrays that exist too, median over batches, the host waiting once at the end of each; bytes are those read and
written. Libraries that are missing are named on standard error.
"""

import argparse
import importlib
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

BATCH, BATCHES = 1000, 51
CONVERSIONS = [
    ("float32", "float16"), ("float16", "float32"), ("float32", "float64"), ("float64", "float32"),
    ("float32", "uint8"), ("uint8", "float32"), ("int64", "float32"), ("complex64", "complex128"),
]


def row(name, value, unit):
    print(f"{name},{value:.4g},{unit}", flush=True)


def hand_over(name, work):
    """Nanoseconds of one call."""
    for _ in range(BATCH):
        work()
    times = []
    for _ in range(BATCHES):
        begin = time.perf_counter()
        for _ in range(BATCH):
            work()
        times.append((time.perf_counter() - begin) / BATCH * 1e9)
    row(name, statistics.median(times), "ns")


def rate(name, count, wait, work):
    """Gigabytes a second of a call that reads and writes `count` bytes."""
    for _ in range(3):
        work()
    wait()
    repeats, times = (20 if PLACE == "cuda" else 3), []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(repeats):
            work()
        wait()
        times.append((time.perf_counter() - begin) / repeats)
    row(name, count / statistics.median(times) / 1e9, "GB/s")


class NumPy:
    name = "numpy"
    place = "cpu"

    def __init__(self):
        self.module = importlib.import_module(self.name)

    def array(self, shape, dtype):
        return self.module.ones(shape, dtype)

    def take(self, producer):
        return self.module.from_dlpack(producer)

    def copy(self, source, target):
        self.module.copyto(target, source, casting="unsafe")

    def stack(self, parts, axis, target):
        self.module.stack(parts, axis=axis, out=target)

    def wait(self):
        pass


class CuPy(NumPy):
    name = "cupy"
    place = "cuda"

    def __init__(self):
        super().__init__()
        if self.module.cuda.runtime.getDeviceCount() == 0:
            raise ImportError("no CUDA device")

    def wait(self):
        self.module.cuda.runtime.deviceSynchronize()


class Torch(NumPy):
    name = "torch"

    def __init__(self):
        super().__init__()
        self.place = PLACE
        if PLACE == "cuda" and not self.module.cuda.is_available():
            raise ImportError("no CUDA device")

    def array(self, shape, dtype):
        return self.module.ones(shape, dtype=getattr(self.module, dtype), device=PLACE)

    def copy(self, source, target):
        target.copy_(source)

    def stack(self, parts, axis, target):
        self.module.stack(parts, dim=axis, out=target)

    def wait(self):
        if PLACE == "cuda":
            self.module.cuda.synchronize()


class Jax(NumPy):
    """For hand-overs only: its arrays cannot be written."""

    name = "jax"

    def __init__(self):
        super().__init__()
        self.place = PLACE
        self.dlpack = importlib.import_module("jax.dlpack")
        try:
            self.device = self.module.devices(PLACE)[0]
        except RuntimeError as error:
            raise ImportError("no CUDA device") from error

    def array(self, shape, dtype):
        numpy = importlib.import_module("numpy")
        return self.module.device_put(numpy.ones(shape, dtype), self.device).block_until_ready()

    def take(self, producer):
        return self.dlpack.from_dlpack(producer)


def hand_overs(libraries):
    """Every library gives an array to every other; giving alone and taking with it."""
    for producer in libraries:
        array = producer.array((4, 4), "float32")
        name = f"{PLACE} {producer.name} dlpack out"
        if PART in name:
            hand_over(name, array.__dlpack__)
        for consumer in libraries:
            name = f"{PLACE} {consumer.name} from {producer.name}"
            if consumer is not producer and PART in name:
                hand_over(name, lambda: consumer.take(array))


def moves(library):
    """Copies of every kind on the library's device."""
    edge, count = (8000, 64_000_000) if PLACE == "cuda" else (2000, 4_000_000)

    def timed(what, elements, sizes, work):
        name = f"{PLACE} {library.name} {what}"
        if PART in name:
            rate(name, elements * sum(sizes), library.wait, work)

    def size(array):
        return array.itemsize if hasattr(array, "itemsize") else array.element_size()

    x, y = library.array((edge, edge), "float32"), library.array((edge, edge), "float32")
    half = library.array((edge, edge // 2), "float32")
    timed("copy", edge * edge, (4, 4), lambda: library.copy(x, y))
    timed("transpose", edge * edge, (4, 4), lambda: library.copy(x.T, y))
    timed("every second column", edge * edge // 2, (4, 4), lambda: library.copy(x[:, ::2], half))
    del x, y, half
    for source, target in CONVERSIONS:
        a, b = library.array((count,), source), library.array((count,), target)
        timed(f"{source} to {target}", count, (size(a), size(b)), lambda: library.copy(a, b))
        del a, b
    parts = [library.array((count // 16,), "float32") for _ in range(16)]
    for axis, shape in [(0, (16, count // 16)), (1, (count // 16, 16))]:
        out = library.array(shape, "float32")
        timed(f"stack axis {axis}", count, (4, 4), lambda: library.stack(parts, axis, out))
    rows = [part.reshape(-1, 1000) for part in parts]
    for axis, shape in [(1, (count // 16_000, 16, 1000)), (2, (count // 16_000, 1000, 16))]:
        out = library.array(shape, "float32")
        what = f"stack of sections axis {axis}"
        timed(what, count, (4, 4), lambda: library.stack(rows, axis, out))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", default="", help="only names that contain this")
    parser.add_argument("--place", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", nargs="*", default=["numpy", "torch", "cupy", "jax"])
    return parser.parse_args()


def main():
    libraries = []
    for kind in (NumPy, Torch, CuPy, Jax):
        if kind.name not in CHOSEN.only or kind.place != PLACE and kind in (NumPy, CuPy):
            continue
        try:
            libraries.append(kind())
        except Exception as error:
            print(f"skipped: no {kind.name}: {error}", file=sys.stderr)
    print("name,value,unit")
    hand_overs(libraries)
    for library in libraries:
        if not isinstance(library, Jax):
            moves(library)


CHOSEN = arguments()
PLACE, PART = CHOSEN.place, CHOSEN.part

if __name__ == "__main__":
    main()
