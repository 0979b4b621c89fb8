"""Nothing leaks, threads work side by side, and the import is light."""

import gc
import os
import subprocess
import sys
import threading
import time

import arrayspan
import numpy as np
from arrayspan import memory, solvers
from arrayspan.operators import FirstDerivative, from_functions

REPEATS = int(os.environ.get("ARRAYSPAN_HANDOVERS", "100000"))


def resident():
    """Bytes of the process that are in memory."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def flat(work, times, slack=4 << 20):
    """Runs something so often that one forgotten object each time would show."""
    for _ in range(max(times // 10, 100)):
        work()
    before, held = resident(), memory.statistics()
    for _ in range(times):
        work()
    assert resident() < before + slack
    now = memory.statistics()
    assert (now["live_bytes"], now["foreign_bytes"]) == (held["live_bytes"], held["foreign_bytes"])


def test_hand_overs_leave_nothing_behind():
    x = np.arange(256.0)
    a = FirstDerivative(256, dtype="float64")
    before, buffer = sys.getrefcount(x), bytearray(x.tobytes())

    def work():
        a @ memoryview(buffer).cast("d")
        array = arrayspan.asarray(x)
        np.from_dlpack(a @ array)
        a @ x
        array.__dlpack__()
        array.__dlpack__(max_version=(1, 0))

    flat(work, REPEATS)
    assert sys.getrefcount(x) == before
    buffer.append(0)  # Nobody holds it.


def test_errors_leave_nothing_behind():
    a = FirstDerivative(4, dtype="float64")
    wrong = [np.zeros(5), np.zeros(4, "float32"), [1.0], np.zeros(4, object), None, "x"]

    def fail(_):
        raise ValueError("no")

    broken = from_functions(a.domain, a.range, fail, fail)

    def work():
        for x in wrong:
            try:
                a @ x
            except arrayspan.Error:
                pass
        try:
            a.forward(np.zeros(4), out=wrong[0])
        except arrayspan.Error:
            pass
        try:
            broken @ np.zeros(4)
        except ValueError:
            pass

    flat(work, REPEATS // 20)
    assert all(sys.getrefcount(x) < 100 for x in wrong[:2])


def test_solvers_leave_nothing_behind():
    a = FirstDerivative(64, scheme="forward", edge="reduced", dtype="float64")
    y = np.ones(64)
    flat(lambda: solvers.cgls(a, y, iterations=20, callback=lambda progress: None), REPEATS // 200)


def test_operators_leave_nothing_behind():
    def work():
        a = FirstDerivative(16, dtype="float64")
        (2 * a.H @ a + a).forward(np.ones(16))
        from_functions(a.domain, a.range, lambda x: x) @ np.ones(16)

    flat(work, REPEATS // 50)


def test_two_threads_hand_arrays_over():
    a = FirstDerivative(20_000, dtype="float64")
    shared = np.random.default_rng(0).normal(size=20_000)
    expected = a @ shared
    wrong = []

    def work(seed):
        own = np.random.default_rng(seed).normal(size=20_000)
        mine = a @ own
        for _ in range(200):
            if not (np.array_equal(a @ shared, expected) and np.array_equal(a @ own, mine)):
                wrong.append(seed)
            if not np.array_equal(np.from_dlpack(a @ arrayspan.asarray(own)), mine):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_call_functions_of_python_at_once():
    lock = threading.Lock()

    def forward(x):
        with lock:
            time.sleep(0.0001)
            return 2 * x

    domain = arrayspan.Space(5000, "float64")
    a = from_functions(domain, domain, forward, forward)
    results = []
    threads = [threading.Thread(target=lambda: results.append(a @ np.ones(5000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(results) == 8 and all((result == 2).all() for result in results)


def test_arrays_are_given_back_by_threads_that_end():
    before = memory.statistics()["live_bytes"]
    threads = [threading.Thread(target=lambda: FirstDerivative(5000) @ np.ones(5000, "float32")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    memory.drain()
    assert memory.statistics()["live_bytes"] == before


IMPORT = """
import sys, time
begin = time.process_time()
import arrayspan
took = time.process_time() - begin
maps = open("/proc/self/maps").read()
loaded = [name for name in ("libcuda.", "libOpenCL", "libnvrtc", "libpocl", "libnvidia") if name in maps]
print(took, loaded, "numpy" in sys.modules, "torch" in sys.modules)
"""


def test_the_import_is_quick_and_loads_no_other_library():
    run = lambda: subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    # Of the processor: the machine may do something else meanwhile.
    words = [run().stdout.split() for _ in range(5)]
    assert {tuple(line[1:]) for line in words} == {("[]", "False", "False")}
    assert min(float(line[0]) for line in words) < 0.05


END = """
import arrayspan, numpy
x = arrayspan.asarray(numpy.arange(1000.0))
y = numpy.from_dlpack(x)
capsule = x.__dlpack__()
a = arrayspan.operators.from_functions(arrayspan.Space(3), arrayspan.Space(3), lambda x: x)
a @ numpy.ones(3, "float32")
scope = arrayspan.memory.Scope("end").__enter__()
held = arrayspan.zeros(10)
class Cycle: pass
cycle = Cycle(); cycle.self = cycle; cycle.parts = (x, y, capsule, a)
"""


def test_an_interpreter_ends_with_arrays_in_it():
    ended = subprocess.run([sys.executable, "-c", END], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
