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
