"""Hand-overs without end, with flat memory."""

import gc
import os
import time

from binding import CPU
from case import case, content, equal

# Six bytes a hand-over in a million of them. What leaks takes at least 32.
MOST_GROWTH = 3 << 20


def resident():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def free(them, device):
    """Free bytes of a GPU, by whoever can tell."""
    if device == CPU:
        return 0
    try:
        import cupy
    except ImportError:
        import torch

        return torch.cuda.mem_get_info(device[1])[0]
    with cupy.cuda.Device(device[1]):
        return cupy.cuda.runtime.memGetInfo()[0]


def loop(ours, them, device, what, once):
    """Repeats `once`, and compares memory after the first half, when all caches are full, with memory at the end."""
    count = ours.handovers // 2
    before = ours.statistics(device)

    def state():
        them.fence(device)
        ours.settle(device)
        gc.collect()
        return resident(), free(them, device)

    def repeat():
        for done in range(count):
            once()
            # JAX puts off giving back for as long as nobody waits.
            if done % 10_000 == 0:
                them.fence(device)

    repeat()
    # Who tells free memory may be loaded for that.
    state()
    (host, gpu), begin = state(), time.perf_counter()
    repeat()
    seconds = time.perf_counter() - begin
    host_after, gpu_after = state()
    growth, taken = host_after - host, gpu - gpu_after
    print(f"{them.name} {what}: {2 * count} hand-overs, {seconds / count * 1e6:.2f} us each, host {growth:+} bytes, device {taken:+} bytes")
    equal(ours.statistics(device), before)
    if growth > MOST_GROWTH:
        raise AssertionError(f"host memory grew by {growth} bytes")
    if taken > MOST_GROWTH:
        raise AssertionError(f"device memory shrank by {taken} bytes")


@case
def memory_is_flat_while_they_take_ours(ours, them, device):
    block = content("Float32", (4, 4))
    array = ours.make("Float32", (4, 4), block, device, exclusive=False)
    # JAX asks for the struct without flags, so that each hand-over of a lent array is a copy.
    if them.name == "jax":
        once = lambda: them.take(ours.make("Float32", (4, 4), block, device))
    else:
        once = lambda: them.take(array)
    loop(ours, them, device, "takes ours", once)


@case
def memory_is_flat_while_we_take_theirs(ours, them, device):
    theirs = them.give("Float32", (4, 4), content("Float32", (4, 4)), device)
    loop(ours, them, device, "gives us its own", lambda: ours.take(theirs))
