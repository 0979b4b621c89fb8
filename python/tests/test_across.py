"""Batches over several devices."""

import gc
import signal
import subprocess
import sys
import threading
import time
import weakref

import arrayspan
import numpy as np
import pytest
from arrayspan.operators import FirstDerivative


def slope(n=5):
    return FirstDerivative((n,), scheme="forward", dtype="float64")


def batches(count, n=5):
    return [np.arange(n, dtype="float64") ** 2 + k for k in range(count)]


def devices():
    """The host twice, and what else there is."""
    return ["cpu", "cpu", *(device for device in arrayspan.devices() if device.kind != "cpu")]


@pytest.mark.parametrize("assign", ["least_loaded", "round_robin"])
def test_results_come_in_order(assign):
    given = batches(23)
    run = arrayspan.across(devices(), given, slope(), assign=assign)
    for x, y in zip(given, run, strict=True):
        assert isinstance(y, np.ndarray)
        np.testing.assert_array_equal(y, slope() @ x)
    assert sum(report["batches"] for report in run.report()) == 23
    assert [report["device"] for report in run.report()][:2] == ["cpu", "cpu"]


def test_functions_have_arrays_of_their_own():
    def double(x):
        array = x.numpy() if isinstance(x, arrayspan.Array) else x
        array *= 2
        return arrayspan.asarray(array).to(x.device) if isinstance(x, arrayspan.Array) else array

    given = batches(9)
    for k, y in enumerate(arrayspan.across(devices(), given, double)):
        np.testing.assert_array_equal(y, 2 * (np.arange(5.0) ** 2 + k))
        np.testing.assert_array_equal(given[k], np.arange(5.0) ** 2 + k)


def test_kinds_of_batches_are_those_of_results():
    given = [np.ones(5), arrayspan.ones(5, "float64"), np.ones(5)]
    kinds = [type(y) for y in arrayspan.across(["cpu"], iter(given), slope())]
    assert kinds == [np.ndarray, arrayspan.Array, np.ndarray]


def test_progress_is_told():
    told = []

    class Progress:
        def __init__(self, total):
            told.append(total)

        def update(self, count):
            told.append(count)

        def close(self):
            told.append("closed")

    assert len(list(arrayspan.across(["cpu"], batches(3), slope(), progress=Progress))) == 3
    assert told == [3, 1, 1, 1, "closed"]
    told.clear()
    with arrayspan.across(["cpu"], iter(batches(3)), slope(), progress=Progress) as run:
        next(run)
    assert told == [None, 1, "closed"]
    assert list(run) == []


def test_what_is_raised_comes_after_the_results_before():
    class Own(Exception):
        pass

    def raising():
        yield from batches(2)
        raise Own("of the input")

    def failing(x):
        if x[0] == 1:
            raise Own("of the function")
        return x

    for run, message in [
        (arrayspan.across(["cpu"], raising(), slope()), "of the input"),
        (arrayspan.across(["cpu"], batches(5), failing), "of the function"),
    ]:
        results = []
        with pytest.raises(Own, match=message):
            results.extend(run)
            for y in run:
                results.append(y)
        assert list(run) == []


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: arrayspan.across([], batches(1), slope()), arrayspan.ParameterError, "no devices"),
        (lambda: arrayspan.across(["cpu"], batches(1), slope(), in_flight=0), arrayspan.ParameterError, "in_flight"),
        (lambda: arrayspan.across(["cpu"], batches(1), 5), arrayspan.ParameterError, "function, not int"),
        (lambda: arrayspan.across(["cpu"], 5, slope()), TypeError, "iterable"),
        (lambda: arrayspan.across(["gpu:x"], batches(1), slope()), arrayspan.Error, "gpu:x"),
        (lambda: arrayspan.across(["cpu"], batches(1), slope(), assign="none"), arrayspan.ParameterError, "assign"),
        (lambda: list(arrayspan.across(["cpu"], ["text"], slope())), arrayspan.DTypeError, "not str"),
        (lambda: list(arrayspan.across(["cpu"], [np.ones(6)], slope())), arrayspan.ShapeError, "6"),
        (lambda: list(arrayspan.across(["cpu"], batches(1), lambda _x: None)), arrayspan.DTypeError, "NoneType"),
    ],
)
def test_bad_input_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_a_run_that_is_dropped_ends():
    class Batch(list):
        pass

    begun, taken = threading.active_count(), []

    def endless():
        while True:
            taken.append(1)
            yield np.ones(5)

    run = arrayspan.across(["cpu", "cpu"], endless(), lambda x: x, ahead=3)
    next(run)
    held = weakref.ref(run)
    del run
    gc.collect()
    assert held() is None
    count = len(taken)
    time.sleep(0.05)
    assert len(taken) == count and count <= 6
    assert threading.active_count() <= begun


def test_what_is_left_open_does_not_keep_the_interpreter():
    code = """
import arrayspan, itertools, numpy
def work(x):
    numpy.linalg.norm(x)
    return x
run = arrayspan.across(["cpu", "cpu"], itertools.repeat(numpy.ones(100)), work)
next(run)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0


def test_a_wait_can_be_interrupted():
    def slow():
        time.sleep(0.3)
        yield np.ones(5)
        time.sleep(3)

    run = arrayspan.across(["cpu"], slow(), slope())
    next(run)
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        next(run)
    assert time.monotonic() - begun < 2.5
