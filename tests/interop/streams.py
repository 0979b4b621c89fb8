"""Work that is queued when an array crosses: the other side sees its result, and no host waits."""

import time

from case import case, equal, gpu

LENGTH = 1 << 24
# Enough launches over that length to keep any GPU busy for a while.
TIMES = 4000
VALUE = 1.0 / 1024


def busy(ours, device):
    """An array of ours whose final content is still being computed, and the seconds that takes."""
    array = ours.make("Float32", (LENGTH,), bytes(4 * LENGTH), device)
    array.add(0.0)
    ours.settle(device)
    begin = time.perf_counter()
    array.add(0.0, TIMES)
    ours.settle(device)
    whole = time.perf_counter() - begin
    array.add(VALUE, TIMES)
    return array, whole


def side_stream(them, device):
    """A stream of the library's own that the default one does not wait for, as a context."""
    if them.name == "torch":
        return them.module.cuda.stream(them.module.cuda.Stream(device[1]))
    return them.module.cuda.Stream(non_blocking=True)


def total(them, array):
    """The sum of a library's array, on its current stream."""
    return float(array.sum())


@case(where=gpu)
def a_consumer_on_a_side_stream_waits_for_our_queued_work(ours, them, device):
    array, whole = busy(ours, device)
    begin = time.perf_counter()
    if them.name == "jax":
        theirs = them.take(array)
        waited = time.perf_counter() - begin
        sum_of_all = total(them, theirs)
    else:
        with side_stream(them, device):
            theirs = them.take(them.fit(array))
            waited = time.perf_counter() - begin
            sum_of_all = total(them, theirs)
    equal(sum_of_all, LENGTH * TIMES * VALUE)
    if waited > whole / 2:
        raise AssertionError(f"the host waited {waited:.3f} s for {whole:.3f} s of work")


def slow_ones(them, device):
    """An array full of ones, once a long time on the GPU has passed."""
    if them.name == "torch":
        theirs = them.module.zeros(LENGTH, device=them.place(device))
        them.module.cuda._sleep(1_000_000_000)
        theirs += 1
        return theirs
    if them.name == "cupy":
        theirs = them.module.zeros(LENGTH, dtype="float32")
        sleep = them.module.RawKernel(
            'extern "C" __global__ void sleep() { long long end = clock64() + 1000000000; while (clock64() < end); }',
            "sleep",
        )
        sleep((1,), (1,), ())
        theirs += 1
        return theirs
    jax = them.module
    gpu = jax.devices("cuda")[device[1]]
    x = jax.device_put(them.np.zeros(LENGTH, dtype="float32"), gpu)
    long = jax.jit(lambda x: jax.lax.fori_loop(0, TIMES, lambda i, x: x + VALUE, x) * (1024 / TIMES))
    long(x).block_until_ready()
    return long(x)


@case(where=gpu)
def we_wait_for_a_producers_queued_work_on_a_side_stream(ours, them, device):

    def take():
        theirs = slow_ones(them, device)
        begin = time.perf_counter()
        return theirs, ours.take(theirs), time.perf_counter() - begin

    if them.name == "jax":
        _theirs, array, waited = take()
    else:
        with side_stream(them, device):
            _theirs, array, waited = take()
    begin = time.perf_counter()
    equal(array.sum(), float(LENGTH))
    rest = time.perf_counter() - begin
    # JAX may wait itself before it hands over; the others record an event.
    if them.name != "jax" and waited > rest:
        raise AssertionError(f"the host waited {waited:.3f} s to take it and {rest:.3f} s for the sum")


@case(where=lambda them, device: gpu(them, device) and them.lends_writable)
def work_of_both_sides_goes_on_in_turns(ours, them, device):
    with side_stream(them, device):
        theirs = them.take(them.fit(ours.make("Float32", (LENGTH,), bytes(4 * LENGTH), device)))
        for _ in range(20):
            theirs += 1
            array = ours.take(theirs)
            array.add(1.0, 5)
            theirs = them.take(them.fit(array))
        equal(total(them, theirs), float(LENGTH * 120))
