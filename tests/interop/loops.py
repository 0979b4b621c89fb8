"""Hand-overs without end, with flat memory.

What counts is what the allocators of C and of Python have given out and not got back. Memory that is resident also
holds what was given back and what other threads of a library keep for themselves, which depends on who was
scheduled when. On a GPU it is what arrayspan and the library themselves hold: what is free there depends on whoever
else uses it.
"""

import ctypes
import gc
import os
import sys
import time

from case import case, content, equal, given_back, let_go

# What one hand-over may leave behind on average: half of the smallest block there is.
MOST_BYTES_EACH = 16
# What caches and lists of a library may take meanwhile, whatever the number of hand-overs.
SLACK = 256 << 10
# Of memory that is resident: what is mapped past the allocators shows here.
MOST_GROWTH = 32 << 20
# Blocks that the control loses: enough that they exceed what is allowed by far, however short the loops are.
LOST = 100_000
# Hand-overs of which a library may not yet have let go.
UNDER_WAY = 500


class Usage(ctypes.Structure):
    """`struct mallinfo2` of glibc 2.33."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


def in_use():
    """Bytes that the C library's allocator has given out; None where it cannot tell."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        return None
    mallinfo.restype = Usage
    usage = mallinfo()
    return usage.uordblks + usage.hblkhd


def resident():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def loop(ours, them, device, what, once):
    """Repeats `once`, and compares memory after the first half, when all caches are full, with memory at the end."""
    count = ours.handovers // 2
    before = ours.statistics(device)

    def state():
        given_back(ours, them, device, before)
        gc.collect()
        return in_use(), sys.getallocatedblocks(), resident()

    def repeat():
        for done in range(count):
            once()
            if done % UNDER_WAY == 0:
                given_back(ours, them, device, before)

    repeat()
    given_back(ours, them, device, before)
    held = them.held(device)
    (used, objects, host), begin = state(), time.perf_counter()
    repeat()
    seconds = time.perf_counter() - begin
    used_after, objects_after, host_after = state()
    kept = None if used is None else used_after - used
    growth = host_after - host
    print(
        f"{them.name} {what}: {2 * count} hand-overs, {seconds / count * 1e6:.2f} us each, "
        f"kept {kept} bytes, host {growth:+} bytes"
    )
    equal(ours.statistics(device), before)
    if held is None:
        print(f"skipped: {them.name} cannot tell what it holds on that device")
    else:
        let_go(them, device, held)
    if kept is None:
        print("skipped: the C library cannot tell what is in use")
    elif kept > SLACK + MOST_BYTES_EACH * count:
        raise AssertionError(f"{kept} bytes more are in use after {count} hand-overs")
    if objects_after - objects > count // 2:
        raise AssertionError(f"{objects_after - objects} blocks more of Python's after {count} hand-overs")
    if growth > MOST_GROWTH:
        raise AssertionError(f"host memory grew by {growth} bytes")


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


@case
def a_block_that_is_lost_at_each_hand_over_would_be_noticed(ours, them, device):
    if in_use() is None:
        print("skipped: the C library cannot tell what is in use")
        return
    allocate = ctypes.CDLL(None).malloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    release = ctypes.CDLL(None).free
    release.argtypes = [ctypes.c_void_p]
    before = in_use()
    lost = (ctypes.c_void_p * LOST)(*(allocate(24) for _ in range(LOST)))
    kept = in_use() - before - ctypes.sizeof(lost)
    for block in lost:
        release(block)
    if kept <= SLACK + MOST_BYTES_EACH * LOST:
        raise AssertionError(f"{LOST} blocks show as {kept} bytes only")
