"""What is no array, or none that can be used, is an exception that says what came."""

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

a = ops.FirstDerivative(4, dtype="float64")


class Claims:
    """Says that it is an array."""

    def __init__(self, dlpack, device=(1, 0)):
        self.dlpack, self.device = dlpack, device

    def __dlpack__(self, **_):
        if isinstance(self.dlpack, BaseException):
            raise self.dlpack
        return self.dlpack

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize(
    "x",
    [[1.0, 2, 3, 4], (1.0,), "1234", b"12345678", None, 7, 7.5, {}, range(4), object(), np.float64(3), np.ndarray, int],
    ids=repr,
)
def test_what_is_no_array_is_refused_by_name(x):
    with pytest.raises(arrayspan.DTypeError, match="expected an array"):
        a @ x
    with pytest.raises(arrayspan.DTypeError, match="expected an array"):
        arrayspan.asarray(x)


@pytest.mark.parametrize(
    "x",
    [
        np.array([1, "a", None, 4.0], dtype=object),
        np.array(["a", "b", "c", "d"]),
        np.array(["a", "b", "c", "d"], dtype="S1"),
        np.zeros(4, "datetime64[s]"),
        np.zeros(4, "timedelta64[s]"),
        np.zeros(4, "float64,int32"),
        np.zeros(4, np.longdouble),
        np.zeros(4, ">f8"),
        np.zeros(4, ">c16"),
    ],
    ids=lambda x: str(x.dtype),
)
def test_elements_that_cannot_be_used_are_refused_by_name(x):
    with pytest.raises(arrayspan.DTypeError, match="x: elements of dtype"):
        a @ x
    out = np.array(x, copy=True)
    with pytest.raises(arrayspan.DTypeError, match="out: elements of dtype"):
        a.forward(np.ones(4), out=out)


def test_bytes_that_are_no_elements_in_a_row_are_refused():
    records = np.zeros(4, np.dtype([("a", "i4"), ("b", "f8")], align=False))
    with pytest.raises(arrayspan.ForeignArrayError, match="strides"):
        a @ records["b"]
    bytes_ = np.zeros(33, "uint8")
    with pytest.raises(arrayspan.ForeignArrayError, match="aligned"):
        a @ bytes_[1:].view("float64")


def test_a_mask_is_not_lost():
    with pytest.raises(arrayspan.DTypeError, match="mask"):
        a @ np.ma.masked_array(np.ones(4), [0, 1, 0, 0])


def test_arrays_of_derived_classes_are_arrays():
    class Derived(np.ndarray):
        pass

    x = np.arange(4.0)
    assert np.array_equal(a @ x.view(Derived), a @ x)


def test_out_that_cannot_be_written_is_refused():
    x = np.arange(4.0)
    fixed = np.zeros(4)
    fixed.flags.writeable = False
    for out in [fixed, np.broadcast_to(np.zeros(1), 4), arrayspan.asarray(fixed)]:
        with pytest.raises(arrayspan.ParameterError, match="out: it cannot be written"):
            a.forward(x, out=out)
    shared = np.lib.stride_tricks.as_strided(np.zeros(4), (4,), (0,))
    with pytest.raises(arrayspan.ParameterError, match="out"):
        a.forward(x, out=shared)
    assert not fixed.any()


def test_out_shares_no_memory_with_the_argument():
    whole = np.arange(9.0)
    for x, out in [(whole[:4], whole[:4]), (whole[:4], whole[3:7]), (whole[:4], whole[6:2:-1])]:
        with pytest.raises(arrayspan.ParameterError, match="shares memory"):
            a.forward(x, out=out)
        with pytest.raises(arrayspan.ParameterError, match="shares memory"):
            a.forward(arrayspan.asarray(x), out=out)
    assert whole.tolist() == list(range(9))
    assert a.forward(whole[:4], out=whole[4:8]) is not None


def test_empty_arrays_and_scalars_are_arrays():
    empty = ops.Identity((0, 3), dtype="float64")
    assert (empty @ np.zeros((0, 3))).shape == (0, 3)
    out = np.zeros((0, 3))
    assert empty.forward(np.zeros((0, 3)), out=out) is out
    scalar = ops.Identity((), dtype="float64")
    y = scalar @ np.array(7.0)
    assert y.shape == () and y == 7
    assert (2 * scalar).forward(np.array(7.0), out=np.array(0.0)) == 14


@pytest.mark.parametrize("error", [BufferError("no"), RuntimeError("no"), KeyboardInterrupt()])
def test_what_a_producer_raises_is_raised(error):
    with pytest.raises(type(error)):
        arrayspan.asarray(Claims(error))


@pytest.mark.parametrize("device", [(2, 99), ("cpu", 0), None, (1,)])
def test_a_device_that_is_none_is_refused(device):
    with pytest.raises((arrayspan.Error, TypeError, ValueError)):
        arrayspan.asarray(Claims(np.zeros(3).__dlpack__(), device))


@pytest.mark.parametrize("device", [(1, 7), (99, 0), (-1, 0)])
def test_where_a_tensor_is_the_tensor_says(device):
    array = arrayspan.asarray(Claims(np.zeros(3).__dlpack__(), device))
    assert array.shape == (3,) and str(array.device) == "cpu"


def test_truth_values_are_zero_or_one():
    with pytest.raises(arrayspan.ForeignArrayError, match="bool"):
        arrayspan.asarray(np.array([0, 1, 2], "uint8").view("bool"))


@pytest.mark.parametrize("shape", ["34", -1, (3, -1), 2.5, (2.5,), None, 1 << 70, {}])
def test_shapes_that_are_none_are_refused(shape):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        ops.Identity(shape)


def test_more_than_can_be_addressed_is_refused():
    with pytest.raises(arrayspan.ParameterError, match="more bytes than can be addressed"):
        ops.Identity((1 << 40, 1 << 40))
    with pytest.raises((arrayspan.OutOfMemory, MemoryError)):
        arrayspan.empty((1 << 55,))
    with pytest.raises(MemoryError):
        ops.Pad((4,), [(0, 1 << 55)], dtype="float64") @ np.zeros(4)


def test_what_elements_are_is_not_asked_of_a_derived_class():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16

    class Lies(np.ndarray):
        dtype = property(lambda self: np.dtype("complex128"))

    x = np.arange(3).astype(bfloat16).view(Lies)
    with pytest.raises(arrayspan.DTypeError, match="BFloat16"):
        ops.Identity(3, dtype="complex128") @ x
