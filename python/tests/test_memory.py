"""Memory is counted, limited and found again."""

import gc
import json
import threading

import arrayspan
import numpy as np
import pytest
from arrayspan import memory
from arrayspan.operators import FirstDerivative


def live():
    gc.collect()
    memory.drain()
    return memory.statistics()["live_bytes"]


def test_what_is_held_is_counted():
    before = live()
    x = arrayspan.zeros(1000, "float64")
    y = FirstDerivative(1000, dtype="float64") @ np.zeros(1000)
    assert live() == before + 16000
    view = y[::2]
    del x, y
    assert live() == before + 8000
    del view
    assert live() == before
    assert "cpu" in memory.summary() and "cpu" in memory.summary("cpu")
    assert json.loads(memory.report_json())
    memory.reset_peak()
    assert memory.statistics("cpu")["peak_bytes"] <= before + 8000


def test_a_scope_counts_and_refuses():
    with memory.Scope("test", limit=10_000) as scope:
        x = arrayspan.zeros(1000, "float64")
        assert scope.statistics("cpu")["live_bytes"] == 8000
        with pytest.raises(arrayspan.OutOfMemory, match="scope 'test'") as raised:
            arrayspan.zeros(1000, "float64")
        assert raised.value.bytes == 8000 and raised.value.device == "cpu"
        with pytest.raises(MemoryError):
            FirstDerivative(1000, dtype="float64") @ np.zeros(1000)
    assert arrayspan.zeros(1000, "float64").size == 1000
    del x
    assert scope.statistics()["live_bytes"] == 0 and scope.name == "test"


def test_scopes_are_of_threads_and_may_be_entered_again():
    scope = memory.Scope("again", limits={"cpu": "1MiB"})
    with pytest.raises(arrayspan.Error, match="never entered"):
        scope.statistics()
    with scope, scope:
        pass
    seen = []

    def work():
        with scope:
            seen.append(arrayspan.zeros(10))
        try:
            scope.__exit__(None, None, None)
        except arrayspan.Error as error:
            seen.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert scope.statistics()["live_bytes"] == 40 and isinstance(seen[1], arrayspan.Error)
    with pytest.raises(arrayspan.ParameterError), memory.Scope("none", limit=0):
        pass
    with pytest.raises(arrayspan.ParameterError):
        memory.Scope("share", limit="50%")


def test_a_limit_holds_until_it_is_taken_away():
    memory.set_limit("cpu", live() + 4000)
    try:
        assert memory.limit() is not None
        with pytest.raises(arrayspan.OutOfMemory):
            arrayspan.zeros(10_000, "float64")
    finally:
        memory.set_limit("cpu", None)
    assert memory.limit() is None and arrayspan.zeros(10_000, "float64").size == 10_000
    memory.set_limit("cpu", "90%")
    memory.set_limit("cpu", None)
    with pytest.raises(arrayspan.ParameterError, match="not a size"):
        memory.set_limit("cpu", "much")
    memory.trim()
    assert memory.clear_caches("cpu") >= 0


def test_failures_come_on_purpose():
    # One alone is recovered from: memory is looked for, and asked for again.
    with memory.Faults("allocation", skip=1, count=1) as faults:
        assert arrayspan.zeros(10).size == arrayspan.zeros(10).size
        assert faults.hits == 1
    with memory.Faults("allocation", count=1000) as faults:
        with pytest.raises(arrayspan.OutOfMemory):
            arrayspan.zeros(10)
        assert faults.hits > 1
    hits = faults.hits
    arrayspan.zeros(10)
    assert faults.hits == hits
    with memory.Faults("allocation", how="lost"), pytest.raises(arrayspan.Error, match="lost"):
        arrayspan.zeros(10)
    with pytest.raises(arrayspan.ParameterError, match="kind 'everything'"):
        memory.Faults("everything")


def test_a_function_is_run_again_after_memory_ran_out():
    calls = []

    def work():
        calls.append(1)
        return arrayspan.zeros(10)

    with memory.Faults("allocation", count=100, only_protected=True) as faults:
        with pytest.raises(arrayspan.OutOfMemory):
            memory.with_retry(work, attempts=2)
        assert len(calls) == 2 and faults.hits > 1

    def raises():
        calls.append(1)
        raise MemoryError("mine") if len(calls) < 5 else KeyError("other")

    calls.clear()
    with pytest.raises(KeyError):
        memory.with_retry(raises, attempts=10)
    assert len(calls) == 5
    assert memory.with_retry(lambda: 7) == 7
