"""Whoever lets go first, the elements live as long as somebody can see them, and no longer."""

import gc
import subprocess
import sys
import threading
from pathlib import Path

from binding import Once
from case import case, equal, floats, given_back

COUNT = 10_000
BLOCK = floats(range(COUNT))


def held(ours, device):
    """Bytes and blocks of ours, once everything that can go is gone."""
    gc.collect()
    ours.settle(device)
    return ours.statistics(device)


@case
def ours_lives_while_the_consumer_does(ours, them, device):
    before = held(ours, device)
    array = ours.make("Float32", (COUNT,), BLOCK, device)
    theirs = them.take(them.fit(array))
    del array
    # Memory that was given back too early would be used again by these.
    others = [ours.make("Float32", (COUNT,), bytes(len(BLOCK)), device) for _ in range(4)]
    equal(them.bytes(theirs), BLOCK)
    del others
    equal(held(ours, device), (before[0] + len(BLOCK), before[1] + 1))
    del theirs
    given_back(ours, them, device, before)
    equal(held(ours, device), before)


@case
def theirs_lives_while_we_hold_it(ours, them, device):
    theirs = them.give("Float32", (COUNT,), BLOCK, device)
    array = ours.take(theirs)
    del theirs
    gc.collect()
    others = [them.give("Float32", (COUNT,), bytes(len(BLOCK)), device) for _ in range(4)]
    equal(array.bytes(), BLOCK)
    del others


@case
def either_may_be_let_go_on_another_thread(ours, them, device):
    before = held(ours, device)
    for _ in range(20):
        kept = [them.take(them.fit(ours.make("Float32", (COUNT,), BLOCK, device)))]
        kept.append(ours.take(them.give("Float32", (COUNT,), BLOCK, device)))
        # On purpose with whatever device is current there.
        thread = threading.Thread(target=kept.clear)
        thread.start()
        thread.join()
    given_back(ours, them, device, before)
    after = held(ours, device)
    # What an earlier case has left may go meanwhile; of this one nothing may stay.
    equal((after[0] <= before[0], after[1] <= before[1]), (True, True), f"{after} after {before}")


@case
def a_capsule_nobody_consumes_gives_back_what_it_holds(ours, them, device):
    before = held(ours, device)
    for version in (None, (1, 0)):
        array = ours.make("Float32", (COUNT,), BLOCK, device)
        once = Once(array, max_version=version)
        del array
        equal(held(ours, device)[1], before[1] + 1)
        del once
        equal(held(ours, device), before)
    theirs = them.give("Float32", (COUNT,), BLOCK, device)
    theirs.__dlpack__()
    equal(them.bytes(theirs), BLOCK)


@case
def a_refused_array_is_given_back(ours, them, device):
    before = held(ours, device)
    dtypes = {"Float6E2M3Fn", "Float4E2M1Fn", "Float8E3M4"} - set(them.dtypes)
    for dtype in dtypes:
        try:
            them.take(ours.make(dtype, (COUNT,), bytes(COUNT), device))
        except Exception:
            pass
    given_back(ours, them, device, before)
    equal(held(ours, device), before)


@case
def the_interpreter_ends_while_arrays_and_capsules_are_alive(ours, them, device):
    script = """
import sys
sys.path.insert(0, sys.argv[2])
from binding import Library, Once
from libraries import found
ours = Library(sys.argv[1])
(them,), _ = found([sys.argv[3]])
device = tuple(map(int, sys.argv[4:6]))
block = bytes(4000)
make = lambda: ours.make("Float32", (1000,), block, device)
give = lambda: them.give("Float32", (1000,), block, device)
# A new process has the first GPU as its current device, and torch exports from the current device only.
with them.on(device):
    alive = [them.take(them.fit(make())), ours.take(give())]
    capsules = [Once(make(), max_version=(1, 0)), Once(make()), Once(give())]
    ring = [make(), give()]
ring.append(ring)
import builtins
builtins.kept = [alive, capsules, ring]
print("here", flush=True)
"""
    words = [ours.path, str(Path(__file__).parent), them.name, *map(str, device)]
    ended = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
    equal((ended.returncode, ended.stdout.strip()), (0, "here"), ended.stderr[-2000:])


