"""From any kind of array to any other."""

import arrayspan
import numpy as np
import pytest
from arrayspan import convert, declared, kind_of, memory, stack_slices, unstack_slices


def test_arrays_become_those_of_another_library_without_a_copy():
    x = np.arange(6.0).reshape(2, 3)
    ours, copies = convert(x, "arrayspan", report=True)
    assert isinstance(ours, arrayspan.Array) and copies == []
    back = convert(ours, "numpy", zero_copy=True)
    assert np.shares_memory(back, x) and convert(x, "numpy") is not None
    jax = pytest.importorskip("jax")
    y = convert(x.astype("float32"), "jax")
    assert isinstance(y, jax.Array) and kind_of(y) == "jax"
    assert np.array_equal(convert(y, "numpy"), x)


def test_copies_are_told_or_refused():
    x = np.arange(6.0)
    y, copies = convert(x, "numpy", dtype="float32", report=True)
    assert y.dtype == np.float32 and copies == ["copied 24 bytes (other dtype)"]
    with pytest.raises(arrayspan.CopyRefused):
        convert(x, "numpy", dtype="float32", zero_copy=True)


def test_kinds_have_names():
    assert kind_of(np.zeros(2)) == "numpy" and kind_of(arrayspan.zeros(2)) == "arrayspan"
    assert kind_of([1, 2]) is None and kind_of(np.float32(1)) is None
    with pytest.raises(arrayspan.ParameterError, match="'lists'"):
        convert(np.zeros(2), "lists")
    with pytest.raises(arrayspan.ParameterError, match="GPU 3"):
        convert(np.zeros(2), "numpy", gpu_id=3)
    with pytest.raises(arrayspan.DTypeError, match="expected an array"):
        convert([1.0], "numpy")


def test_slices_become_one_array_and_come_apart():
    slices = [np.full((2, 3), k, "float32") for k in range(4)]
    whole = stack_slices(slices, "numpy")
    assert whole.shape == (4, 2, 3) and np.array_equal(whole, np.stack(slices))
    assert np.array_equal(stack_slices(slices, "numpy", axis=-1), np.stack(slices, -1))
    mixed = stack_slices([slices[0], arrayspan.asarray(slices[1])], "arrayspan")
    assert mixed.tolist() == np.stack(slices[:2]).tolist()
    parts = unstack_slices(whole, "numpy")
    assert len(parts) == 4 and np.shares_memory(parts[2], whole) and (parts[2] == 2).all()
    assert unstack_slices(whole, "numpy", axis=1)[1].shape == (4, 3)
    with pytest.raises(arrayspan.Error, match="array 1"):
        stack_slices([np.zeros(2), np.zeros(3)], "numpy")
    with pytest.raises(arrayspan.Error):
        stack_slices([], "numpy")


def test_a_declared_function_gets_what_it_declares_and_gives_back_what_came():
    seen = []

    @declared.numpy
    def halve(x, scale=1, y=None):
        seen.append((type(x), type(y)))
        return x * (0.5 * scale)

    ours = arrayspan.asarray(np.array([2.0, 4.0]))
    result = halve(ours, y=ours)
    assert isinstance(result, arrayspan.Array) and result.tolist() == [1, 2]
    assert seen == [(np.ndarray, np.ndarray)]
    assert halve.input_memory_type == "numpy" and halve.__name__ == "halve"
    assert isinstance(halve(np.ones(2), 4), np.ndarray)

    @declared.arrayspan(output="numpy", retry=True)
    def both(x):
        with pytest.raises(arrayspan.Error):
            memory.Faults("x")
        return x, "text", [x]

    first, text, (second,) = both(np.ones(3))
    assert isinstance(first, np.ndarray) and text == "text" and isinstance(second, np.ndarray)


@pytest.fixture
def pyclesperanto(monkeypatch):
    """A library with the functions of pyclesperanto, on the host: the real one needs a device of OpenCL."""
    import sys
    import types

    module = types.ModuleType("pyclesperanto")

    class Array:
        def __init__(self, array):
            self._array, self.mtype, self.dtype, self.shape = array.copy(), "buffer", array.dtype, array.shape

        def get(self):
            return self._array.copy()

    Array.__module__ = "pyclesperanto._pyclesperanto"
    module.Array, module.push = Array, Array
    monkeypatch.setitem(sys.modules, "pyclesperanto", module)
    return module


def test_arrays_of_pyclesperanto_are_copies_and_say_so(pyclesperanto):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    image, copies = convert(x, "pyclesperanto", report=True)
    assert isinstance(image, pyclesperanto.Array) and kind_of(image) == "pyclesperanto"
    assert copies == ["copied 24 bytes (other device)"]
    back, copies = convert(image, "numpy", report=True)
    assert np.array_equal(back, x) and copies == ["copied 24 bytes (other device)"]
    assert convert(image, "pyclesperanto") is image
    half, copies = convert(np.ones(3), "pyclesperanto", dtype="float32", report=True)
    assert half.dtype == "float32" and len(copies) == 2
    for wrong in (np.ones(3), np.ones(3, "complex64"), np.ones((1, 1, 1, 1), "float32")):
        with pytest.raises(arrayspan.DTypeError, match="pyclesperanto"):
            convert(wrong, "pyclesperanto")
    with pytest.raises(arrayspan.CopyRefused):
        convert(x, "pyclesperanto", zero_copy=True)
    with pytest.raises(arrayspan.ParameterError, match="select_device"):
        convert(x, "pyclesperanto", 1)


def test_a_function_may_declare_pyclesperanto(pyclesperanto):
    @declared.pyclesperanto
    def blur(image):
        assert isinstance(image, pyclesperanto.Array)
        return pyclesperanto.push(image.get() * 2)

    assert np.array_equal(blur(np.ones(3, "float32")), np.full(3, 2))
    assert isinstance(blur(pyclesperanto.push(np.ones(3, "float32"))), pyclesperanto.Array)


def test_jax_is_given_nothing_that_it_would_narrow_without_a_word():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(False):
        for dtype in ("float64", "complex128", "int64", "uint64"):
            x = np.ones(3, dtype)
            for take in (
                lambda x: convert(x, "jax"),
                lambda x: stack_slices([x, x], "jax"),
                lambda x: unstack_slices(x, "jax"),
                declared.jax(lambda x: x),
            ):
                with pytest.raises(arrayspan.DTypeError, match="jax_enable_x64"):
                    take(x)
        assert convert(np.ones(3), "jax", dtype="float32").dtype == "float32"
        assert convert(np.ones(3, "int32"), "jax").dtype == "int32"
    with jax.enable_x64(True):
        assert convert(np.array([2**40, 3]), "jax").tolist() == [2**40, 3]


def test_what_jax_does_not_share_is_copied_and_told():
    jax = pytest.importorskip("jax")
    whole = np.zeros(64 + 16, "float32")
    first = -whole.ctypes.data // 4 % 16
    x = np.arange(48, dtype="float32").reshape(6, 8)
    aligned = whole[first : first + 48].reshape(6, 8)
    aligned[:] = x
    shared, copies = convert(aligned, "jax", zero_copy=True, report=True)
    assert copies == [] and shared.unsafe_buffer_pointer() == aligned.ctypes.data
    assert np.array_equal(convert(aligned.T, "jax", zero_copy=True), x.T)
    apart = whole[first + 1 : first + 49].reshape(6, 8)
    apart[:] = x
    for given, why in ((apart, "alignment"), (aligned[::2], "strides"), (aligned[:, ::2], "strides"), (aligned[::-1], "strides")):
        y, copies = convert(given, "jax", report=True)
        assert np.array_equal(y, given) and why in copies[0]
        with pytest.raises(arrayspan.CopyRefused, match=why):
            convert(given, "jax", zero_copy=True)
        assert all(np.array_equal(*pair) for pair in zip(unstack_slices(given, "jax", axis=1), given.T))
    assert isinstance(y, jax.Array)
