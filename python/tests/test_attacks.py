"""Objects that lie, raise, vanish and come back; threads, forks and interpreters within the interpreter."""

import gc
import os
import subprocess
import sys
import threading

import arrayspan
import numpy as np
import pytest
from arrayspan import memory, solvers
from arrayspan import operators as ops

x = np.arange(4.0)
a = ops.FirstDerivative(4, dtype="float64")
expected = a @ x


class Producer:
    """An array by the protocol."""

    def __dlpack__(self, **_):
        return x.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_a_capsule_that_comes_twice_is_taken_once():
    class Again(Producer):
        capsule = x.__dlpack__()

        def __dlpack__(self, **_):
            return self.capsule

    again = Again()
    np.testing.assert_array_equal((a @ again).numpy(), expected)
    for _ in range(3):
        with pytest.raises(arrayspan.ForeignArrayError, match="consumed before"):
            a @ again
    assert isinstance(again.capsule, object) and x[3] == 3


def test_a_producer_may_vanish_while_it_is_asked():
    class Vanishes(Producer):
        def __dlpack__(self, **_):
            del type(self).__dlpack__, held[:]
            gc.collect()
            return np.arange(4.0).__dlpack__()

    held = [Vanishes()]
    np.testing.assert_array_equal((a @ held[0]).numpy(), expected)


def test_a_producer_that_asks_for_itself_ends():
    class Recurses(Producer):
        def __dlpack__(self, **_):
            return np.from_dlpack(a @ self).__dlpack__()

    with pytest.raises(RecursionError):
        a @ Recurses()


def raises(error):
    def method(*_, **__):
        raise error

    return method


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("what", ["__dlpack__", "__dlpack_device__", "__array_namespace__", "attribute", "interface"])
def test_what_ends_a_program_is_not_swallowed(error, what):
    if what == "attribute":
        odd = type("Odd", (), {"__dlpack__": property(raises(error))})()
    elif what == "interface":
        odd = type("Odd", (), {"__cuda_array_interface__": property(raises(error))})()
    else:
        odd = type("Odd", (Producer,), {what: raises(error)})()
    with pytest.raises(error):
        a @ odd
    if what != "__array_namespace__":
        with pytest.raises(error):
            arrayspan.asarray(odd)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, StopIteration, RecursionError])
def test_whatever_a_function_raises_is_that_very_exception(error):
    thrown = error("mine")
    space = arrayspan.Space(4, "float64")
    broken = ops.from_functions(space, space, raises(thrown), raises(thrown))
    for call in (lambda: broken @ x, lambda: broken.H @ x, lambda: solvers.cgls(broken, x)):
        with pytest.raises(error) as caught:
            call()
        assert caught.value is thrown
    with pytest.raises(error) as caught:
        solvers.cgls(a, x, callback=raises(thrown))
    assert caught.value is thrown


def test_solvers_run_within_callbacks_of_solvers():
    def nested(progress):
        inner.append(solvers.cgls(a, x, iterations=3).x)
        gc.collect()

    inner = []
    outer = solvers.cgls(a, x, iterations=3, callback=nested, check_every=1)
    assert len(inner) == outer.iterations + 1
    assert all(np.array_equal(each, inner[0]) for each in inner)


def test_what_a_callback_keeps_is_harmless():
    kept = []
    solvers.cgls(a, x, iterations=3, callback=kept.append)
    with pytest.raises(arrayspan.Error, match="only while"):
        kept[0].solution()
    assert kept[0].iteration == 0 and kept[-1].residuals


def test_arguments_go_while_results_live():
    before = memory.statistics()["live_bytes"]
    z = arrayspan.asarray(np.arange(100_000.0))
    big = ops.FirstDerivative(100_000, scheme="forward", dtype="float64")
    y = big @ z
    view = np.from_dlpack(y)[10:20]
    del z, y, big
    gc.collect()
    np.testing.assert_array_equal(view, 1)
    del view
    gc.collect()
    memory.drain()
    assert memory.statistics()["live_bytes"] == before


def test_threads_apply_solve_and_raise_at_once():
    errors, big = [], ops.FirstDerivative(50_000, dtype="float64")

    def work(seed):
        rng = np.random.default_rng(seed)
        try:
            for _ in range(30):
                z = rng.normal(size=50_000)
                y = big @ arrayspan.asarray(z)
                reference = big @ z
                del z
                assert np.array_equal(y.numpy(), reference)
                with pytest.raises(ZeroDivisionError):
                    solvers.cgls(a, x, callback=lambda _: 1 / 0)
                with pytest.raises(arrayspan.ShapeError):
                    big @ x
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


FORK = """
import os, signal, sys
import arrayspan, numpy
big = arrayspan.operators.FirstDerivative(1 << 20, dtype="float32")
z = numpy.ones(1 << 20, "float32")
reference = big @ z
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if numpy.array_equal(big @ z, reference) else 1)
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_process_computes():
    # In a process of its own: JAX, which other tests import, bears no fork.
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORK]).returncode == 0


INTERPRETERS = """
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
script = '''
try:
    import arrayspan
    print("imported", flush=True)
except ImportError as error:
    print(error, flush=True)
'''
run(interpreters.create(), script)
import arrayspan
print((arrayspan.ones(3).numpy() + 1).tolist(), flush=True)
run(interpreters.create(), script)
"""


def test_an_interpreter_within_the_program_does_not_keep_the_library_from_it():
    ran = subprocess.run([sys.executable, "-c", INTERPRETERS], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    refused = "arrayspan can be imported in the main interpreter of a program only"
    assert ran.stdout.splitlines() == [refused, "[2.0, 2.0, 2.0]", refused]
