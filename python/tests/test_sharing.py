"""What is shared with other libraries, and what they may do with it when a call has returned."""

import sys
import threading
import time

import arrayspan
import numpy as np
import pytest
from arrayspan import convert, memory, solvers, unstack_slices
from arrayspan import operators as ops

OPENCL = [str(device) for device in arrayspan.devices() if device.kind == "opencl"]
on_opencl = pytest.mark.skipif(not OPENCL, reason="no device of OpenCL")


@pytest.fixture
def writes(monkeypatch):
    """Stands for a library whose arrays are written whatever ours say: what it was given."""

    class Library:
        given = []

        @classmethod
        def from_dlpack(cls, x):
            cls.given.append(x)
            return np.from_dlpack(x)

    monkeypatch.setitem(sys.modules, "cupy", Library)
    return Library.given


def test_what_lies_backwards_is_copied_for_other_libraries(writes):
    x = np.arange(6.0).reshape(2, 3)[:, ::-1]
    y, copies = convert(x, "cupy", device="cpu", report=True)
    assert np.array_equal(y, x) and not np.shares_memory(y, x)
    assert copies == ["copied 48 bytes (strides)"]
    slices = unstack_slices(x, "cupy", device="cpu")
    assert [y.tolist() for y in slices] == x.tolist()
    assert all(stride >= 0 for given in writes for stride in given.strides)
    with pytest.raises(arrayspan.CopyRefused, match="strides"):
        convert(x, "cupy", device="cpu", zero_copy=True)
    assert np.shares_memory(convert(x, "numpy", zero_copy=True), x)
    forwards = np.arange(6.0).reshape(2, 3).T
    assert np.shares_memory(convert(forwards, "cupy", device="cpu", zero_copy=True), forwards)


def test_a_capsule_never_has_strides_below_zero():
    x = np.arange(4.0)[::-1]
    ours = arrayspan.asarray(x)
    y = np.from_dlpack(ours)
    assert np.array_equal(y, x) and not np.shares_memory(y, x) and y.strides == (8,)
    for version in [None, (1, 0)]:
        with pytest.raises(BufferError, match="below zero"):
            ours.__dlpack__(copy=False, max_version=version)
    assert np.shares_memory(np.asarray(ours), x)
    one = np.arange(1.0)[::-1]
    assert np.shares_memory(np.from_dlpack(arrayspan.asarray(one)), one)


def test_what_is_read_only_is_copied_for_who_writes_all_the_same(writes):
    x = np.arange(6.0)
    x.flags.writeable = False
    y, copies = convert(x, "cupy", device="cpu", report=True)
    assert copies == ["copied 48 bytes (read-only source)"] and not np.shares_memory(y, x)
    y += 1
    assert x.tolist() == list(range(6))
    with pytest.raises(arrayspan.CopyRefused, match="read-only"):
        convert(x, "cupy", device="cpu", zero_copy=True)
    (part,) = unstack_slices(x[None], "cupy", device="cpu")
    assert not np.shares_memory(part, x)
    assert np.shares_memory(convert(x, "numpy", zero_copy=True), x)


@on_opencl
@pytest.mark.parametrize("how", ["asarray", "to", "convert", "unstack_slices", "dlpack"])
def test_the_source_of_an_upload_may_be_written_at_once(how):
    device = arrayspan.Device(OPENCL[0])

    def upload(a):
        if how == "asarray":
            return arrayspan.asarray(a, device=device)
        if how == "to":
            return arrayspan.asarray(a).to(device)
        if how == "convert":
            return convert(a, "arrayspan", device=device)
        if how == "unstack_slices":
            return unstack_slices(a[None], "arrayspan", device=device)[0]

        class Elsewhere:
            def __dlpack__(self, **asked):
                where = arrayspan.zeros(1, device=device).__dlpack_device__()
                return arrayspan.asarray(a).__dlpack__(dl_device=where, max_version=(1, 0))

            def __dlpack_device__(self):
                return arrayspan.zeros(1, device=device).__dlpack_device__()

        return arrayspan.asarray(Elsewhere())

    for _ in range(30):
        a = np.full(900_000, 1, "f4")
        b = upload(a)
        a[:] = 0
        assert b.numpy().all()


def test_managed_memory_is_asked_for_on_a_stream():
    class Managed:
        asked = []

        def __dlpack_device__(self):
            return (13, 0)

        def __dlpack__(self, *, stream=None, **_):
            self.asked.append(stream)
            return np.arange(3.0).__dlpack__()

    if any(device.kind == "cuda" for device in arrayspan.devices()):
        arrayspan.asarray(Managed())
        assert Managed.asked and None not in Managed.asked
    else:
        with pytest.raises(arrayspan.DeviceUnavailable):
            arrayspan.asarray(Managed())
        assert not Managed.asked


@pytest.fixture
def ticks():
    """Counts as long as other threads get the interpreter, and only where they are let."""
    count, ended = [0], threading.Event()

    def work():
        while not ended.is_set():
            count[0] += 1
            time.sleep(0)

    before = sys.getswitchinterval()
    sys.setswitchinterval(100)
    thread = threading.Thread(target=work)
    thread.start()
    yield count
    ended.set()
    thread.join()
    sys.setswitchinterval(before)


def lets_others_run(count, work):
    """Whether other threads run while something does, in one of some tries."""
    for _ in range(20):
        before = count[0]
        work()
        if count[0] != before:
            return True
    return False


def test_other_threads_run_while_parameters_are_copied(ticks):
    w = np.ones(3_000_000)
    assert lets_others_run(ticks, lambda: ops.Diagonal(w))


def test_other_threads_run_while_a_solution_is_copied(ticks):
    seen = []

    def watch(progress):
        seen.append(lets_others_run(ticks, progress.solution))

    n = 3_000_000
    solvers.cgls(2 * ops.Identity(n, dtype="float64"), np.ones(n), iterations=3, callback=watch)
    assert any(seen)


def test_other_threads_run_while_memory_is_looked_for(ticks):
    a, x = ops.FirstDerivative(64, dtype="float64"), np.ones(64)
    a @ x
    assert not lets_others_run(ticks, lambda: a @ x)

    def short():
        with memory.Faults("allocation", count=1000), pytest.raises(arrayspan.OutOfMemory):
            a @ x

    assert lets_others_run(ticks, short)
