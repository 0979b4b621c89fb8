"""Arrays by other protocols than DLPack, and what arrays say of themselves."""

import array
import ctypes
import mmap

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

slope = ops.FirstDerivative(4, dtype="float32")
NUMBERS = [0.0, 1, 4, 9]
EXPECTED = slope @ np.array(NUMBERS, "float32")


def buffers():
    mapped = mmap.mmap(-1, 16)
    mapped[:] = np.array(NUMBERS, "float32").tobytes()
    yield "array", array.array("f", NUMBERS)
    yield "memoryview", memoryview(np.array(NUMBERS, "float32").tobytes()).cast("f")
    yield "bytearray", memoryview(bytearray(np.array(NUMBERS, "float32").tobytes())).cast("f")
    yield "mmap", memoryview(mapped).cast("f")
    yield "ctypes", (ctypes.c_float * 4)(*NUMBERS)
    yield "strided", memoryview(np.repeat(np.array(NUMBERS, "float32"), 3))[::3]
    yield "reversed", memoryview(np.array(NUMBERS[::-1], "float32"))[::-1]


@pytest.mark.parametrize("x", [x for _, x in buffers()], ids=[name for name, _ in buffers()])
def test_buffers_are_arrays(x):
    y = slope @ x
    assert isinstance(y, arrayspan.Array)
    np.testing.assert_array_equal(y.numpy(), EXPECTED)
    taken = arrayspan.asarray(x)
    np.testing.assert_array_equal(taken.numpy(), NUMBERS)
    assert taken.report()["copies"] == [] and taken.report()["foreign"]


@pytest.mark.parametrize("letter", "bBhHiIlLqQfd")
def test_letters_are_dtypes(letter):
    x = array.array(letter, [1, 2, 3])
    taken = arrayspan.asarray(x)
    assert taken.dtype == np.asarray(x).dtype.name
    assert taken.tolist() == [1, 2, 3]


def test_a_buffer_is_the_same_memory_and_held_as_long():
    x = array.array("d", [1, 2, 3])
    taken = arrayspan.asarray(x)
    x[1] = 7
    assert taken.tolist() == [1, 7, 3]
    with pytest.raises(BufferError):
        x.append(4)
    del taken
    x.append(4)
    assert x.tolist() == [1, 7, 3, 4]


def test_results_go_into_buffers():
    out = array.array("f", [0.0] * 4)
    assert slope.forward(np.array(NUMBERS, "float32"), out=out) is out
    np.testing.assert_array_equal(out, EXPECTED)
    with pytest.raises(arrayspan.ParameterError, match="read-only"):
        slope.forward(np.array(NUMBERS, "float32"), out=memoryview(bytes(16)).cast("f"))


@pytest.mark.parametrize(
    "x, error",
    [
        (b"0123456789abcdef", arrayspan.DTypeError),
        ("0123", arrayspan.DTypeError),
        (memoryview(np.zeros(4, ">f4")), arrayspan.DTypeError),
        (memoryview(np.zeros(4, "f4,i4")), arrayspan.DTypeError),
        (memoryview(b"\0\1\2\3").cast("?"), arrayspan.ForeignArrayError),
        (memoryview(bytearray(17))[1:].cast("f"), arrayspan.ForeignArrayError),
    ],
    ids=["bytes", "text", "byte order", "records", "truth values", "alignment"],
)
def test_buffers_that_are_no_arrays_are_refused(x, error):
    with pytest.raises(error, match="x: "):
        arrayspan.asarray(x)
    with pytest.raises(arrayspan.Error):
        slope @ x


class Interface:
    """What says that it is an array of CUDA's."""

    def __init__(self, **told):
        self.__cuda_array_interface__ = dict(shape=(4,), typestr="<f4", data=(1 << 40, False), version=3) | told


@pytest.mark.parametrize(
    "told, error, match",
    [
        (dict(typestr=">f4"), arrayspan.DTypeError, "typ?e >f4"),
        (dict(typestr="|O"), arrayspan.DTypeError, "cannot be used"),
        (dict(mask=object()), arrayspan.DTypeError, "mask"),
        (dict(data=(3, False)), arrayspan.ForeignArrayError, "address"),
        (dict(data=(0, False)), arrayspan.ForeignArrayError, "address"),
        (dict(strides=(3,)), arrayspan.ForeignArrayError, "strides"),
        (dict(strides=(4, 4)), arrayspan.ForeignArrayError, "strides"),
        (dict(shape=(1 << 62,)), arrayspan.ForeignArrayError, "bytes"),
        (dict(shape=(0,)), arrayspan.ForeignArrayError, "no elements"),
        (dict(data=None), arrayspan.ForeignArrayError, "'data'"),
        (dict(shape=(-1,)), (OverflowError, TypeError, ValueError), None),
        (dict(data="there"), (TypeError, ValueError), None),
    ],
    ids=lambda told: str(told) if isinstance(told, dict) else "",
)
def test_a_cuda_array_interface_that_makes_no_sense_is_refused(told, error, match):
    with pytest.raises(error, match=match):
        slope @ Interface(**told)


def test_a_cuda_array_interface_without_memory_of_cuda_is_refused():
    # Without a driver the device is unavailable; with one, it does not know the address.
    with pytest.raises((arrayspan.DeviceUnavailable, arrayspan.ForeignArrayError)):
        slope @ Interface()
    with pytest.raises(arrayspan.ForeignArrayError, match="dictionary"):
        slope @ type("Odd", (), {"__cuda_array_interface__": 7})()


def test_arrays_report_what_they_are():
    x = np.ones((3, 4), "float32")
    taken = arrayspan.asarray(x.T)
    report = taken.report()
    assert report["shape"] == (4, 3) and report["strides"] == (1, 4) and not report["contiguous"]
    assert report["device"] == arrayspan.Device("cpu") and report["bytes"] == 48
    assert report["foreign"] and report["writable"] and report["copies"] == []
    wide = taken.astype("float64")
    assert wide.report()["copies"] == ["copied 96 bytes (other dtype)"]
    twice = wide.copy()
    assert twice.report()["copies"] == ["copied 96 bytes (other dtype)", "copied 96 bytes (asked for)"]
    assert arrayspan.asarray(twice).report() == twice.report()
    assert arrayspan.asarray(x, "float64").report()["copies"] == ["copied 96 bytes (other dtype)"]
    assert arrayspan.zeros(3).report()["copies"] == [] and not arrayspan.zeros(3).report()["foreign"]


def test_the_namespace_says_what_there_is():
    info = arrayspan.__array_namespace_info__()
    assert info.default_device() == arrayspan.Device("cpu") and info.default_device() in info.devices()
    assert info.best_device() in info.devices()
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"}
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", "complex64", "complex128"}
    assert set(info.dtypes()) >= {"bool", "int8", "uint64", "float32", "complex128"}
    assert info.default_dtypes()["real floating"] == arrayspan.zeros(1).dtype
    assert info.capabilities()["max dimensions"] == 64
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="odd")
