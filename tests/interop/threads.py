"""Two threads at once."""

import gc
import threading

from binding import CPU
from case import case, content, equal, given_back

ROUNDS = 500


def at_once(them, device, *functions):
    """Runs functions on threads of their own from the same moment, and raises what any of them raises.

    A new thread has the first GPU as its current device, and torch exports from the current device only.
    """
    barrier, failures = threading.Barrier(len(functions)), []

    def run(function):
        barrier.wait()
        try:
            with them.on(device):
                function()
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=run, args=[function]) for function in functions]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]


@case
def two_threads_hand_over_both_ways(ours, them, device):
    def there(seed):
        block = content("Float32", (11, 5), seed)
        for _ in range(ROUNDS):
            theirs = them.take(them.fit(ours.make("Float32", (11, 5), block, device)))
            equal(them.bytes(theirs), block)

    def here(seed):
        block = content("Float32", (11, 5), seed)
        theirs = them.give("Float32", (11, 5), block, device)
        for _ in range(ROUNDS):
            equal(ours.take(theirs).bytes(), block)

    gc.collect()
    ours.settle(device)
    before = ours.statistics(device)
    back = [lambda: here(3), lambda: here(4)]
    if device != CPU and not them.gives_on_threads:
        print(f"skipped: {them.name} cannot give arrays of a GPU on several threads")
        back = []
    at_once(them, device, lambda: there(1), lambda: there(2), *back)
    given_back(ours, them, device, before)
    after = ours.statistics(device)
    # What an earlier case has left may go meanwhile; of this one nothing may stay.
    equal((after[0] <= before[0], after[1] <= before[1]), (True, True), f"{after} after {before}")


@case
def two_threads_borrow_one_array(ours, them, device):
    block = content("Float32", (64,))
    shared = ours.make("Float32", (64,), block, device, exclusive=False)

    def borrow():
        for _ in range(ROUNDS):
            equal(them.bytes(them.take(them.fit(shared))), block)

    at_once(them, device, borrow, borrow)
    equal(shared.bytes(), block)


@case
def of_two_threads_that_want_one_array_one_gets_it(ours, them, device):
    block = content("Float32", (64,))
    for _ in range(50):
        array = ours.make("Float32", (64,), block, device)
        got = []

        def want():
            try:
                got.append(them.take(them.fit(array)))
            except BufferError:
                got.append(None)

        at_once(them, device, want, want)
        (theirs,) = [one for one in got if one is not None]
        equal((len(got), them.bytes(theirs)), (2, block))
