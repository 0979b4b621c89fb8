"""How cases are named, collected and refused; what several of them use."""

import gc
import math
import random
import time

from binding import CPU, size

CASES = []
# Seconds; far longer than a busy machine needs.
PATIENCE = 120.0


def case(function=None, *, only=None, where=lambda them, device: True):
    """A case that is run for every library, or only one, on every device it has: `function(ours, them, device)`."""
    if function is None:
        return lambda function: case(function, only=only, where=where)
    function.applies = lambda them, device: only in (None, them.name) and where(them, device)
    CASES.append(function)
    return function


def gpu(them, device):
    """Where work is queued."""
    return device != CPU


def writable(them, device):
    """Where the library's own arrays can be written by who takes them."""
    return them.lends_writable


def strided(them, device):
    """Where the library's own arrays have strides."""
    return them.has_strides


def content(dtype, shape, seed=1):
    """Bytes for that many elements; truth values are 0 or 1."""
    length = size(dtype) * math.prod(shape)
    numbers = random.Random(seed)
    if dtype == "Bool":
        return bytes(numbers.randrange(2) for _ in range(length))
    return numbers.randbytes(length)


def floats(values):
    """Float32 elements."""
    import struct

    values = list(values)
    return struct.pack(f"={len(values)}f", *values)


def equal(found, expected, what=""):
    """Asserts that two values are the same, and says which they are."""
    if found != expected:
        shown = [text if len(text := repr(value)) < 200 else text[:200] + "…" for value in (found, expected)]
        raise AssertionError(f"{what}: {shown[0]} is not {shown[1]}")


def refuses(kinds, function, *arguments):
    """Asserts that a call raises one of some exceptions; its text."""
    try:
        function(*arguments)
    except kinds as error:
        return str(error)
    raise AssertionError(f"{function} was not refused")


def given_back(ours, them, device, before):
    """Waits until we hold no more than `before`: a library may let go on a thread of its own, when it likes."""

    def held():
        ours.settle(device)
        return ours.statistics(device)

    no_more(them, device, "(bytes, blocks) of ours", held, before)


def let_go(them, device, before):
    """Waits until the library holds no more bytes of its own on a GPU than `before`."""
    no_more(them, device, f"bytes of {them.name}", lambda: (them.held(device),), (before,))


def no_more(them, device, what, held, before):
    """Waits until no number that `held` tells is more than the one in `before`."""
    until = time.monotonic() + PATIENCE
    pause = 0.0
    while True:
        them.fence(device)
        now = held()
        if all(number <= most for number, most in zip(now, before)):
            return
        if time.monotonic() > until:
            raise AssertionError(f"{what} alive are {now} after {PATIENCE} s, and were {before}")
        gc.collect()
        time.sleep(pause)
        pause = min(0.1, 2 * pause + 0.0005)
