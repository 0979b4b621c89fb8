"""Arrays go in and out without a copy, whatever library they are of."""

import gc
import sys

import arrayspan
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (0,), (3, 0, 2), (5, 7), (2, 3, 5, 7, 1)])
def test_every_dtype_comes_in_and_goes_out_in_the_same_memory(dtype, shape):
    x = np.arange(int(np.prod(shape)), dtype="int64").reshape(shape).astype(dtype)
    array = arrayspan.asarray(x)
    assert (array.shape, array.dtype, str(array.device)) == (shape, dtype, "cpu")
    assert (array.ndim, array.size, array.nbytes) == (x.ndim, x.size, x.nbytes)
    back = np.asarray(array)
    assert back.dtype == x.dtype and back.shape == shape and np.array_equal(back, x)
    if x.size:
        assert np.shares_memory(back, x)
    again = np.from_dlpack(array)
    assert np.array_equal(again, x) and (not x.size or np.shares_memory(again, x))


@pytest.mark.parametrize("take", [np.s_[::2, ::-1], np.s_[1:, 2], np.s_[:, None, ::3], np.s_[3:3]])
def test_strides_of_every_kind_are_taken_as_they_are(take):
    x = np.arange(35.0).reshape(5, 7)[take]
    array = arrayspan.asarray(x)
    assert np.array_equal(np.asarray(array), x)
    if x.size:
        assert np.shares_memory(np.asarray(array), x)
        assert tuple(s * 8 for s in array.strides) == x.strides
    assert np.array_equal(array.copy().numpy(), x)


def test_axes_in_another_order_and_repeated_elements_are_read():
    x = np.arange(12.0).reshape(3, 4).T
    assert np.array_equal(np.asarray(arrayspan.asarray(x)), x)
    wide = np.broadcast_to(np.arange(3.0), (4, 3))
    array = arrayspan.asarray(wide)
    assert not array.writable
    assert np.array_equal(array.copy().numpy(), wide)


def test_what_is_read_only_stays_so():
    x = np.arange(3.0)
    x.flags.writeable = False
    array = arrayspan.asarray(x)
    assert not array.writable
    assert not np.asarray(array).flags.writeable
    assert not np.from_dlpack(array).flags.writeable
    assert array.copy().writable


def test_what_is_written_on_one_side_is_seen_on_the_other():
    x = np.zeros(3)
    array = arrayspan.asarray(x)
    x[1] = 5
    assert array.tolist() == [0, 5, 0]
    np.asarray(array)[2] = 7
    assert x[2] == 7


def test_memory_lives_as_long_as_any_array_over_it():
    array = arrayspan.asarray(np.arange(100_000.0))
    view = np.asarray(array)[::2]
    tensor = np.from_dlpack(array)
    del array
    gc.collect()
    assert view[-1] == 99_998 and tensor[-1] == 99_999


def test_arrays_are_given_back_when_the_last_one_is_gone():
    x = np.arange(1000.0)
    before = sys.getrefcount(x)
    array = arrayspan.asarray(x)
    capsule = array.__dlpack__(max_version=(1, 0))
    assert sys.getrefcount(x) > before
    del array, capsule
    gc.collect()
    assert sys.getrefcount(x) == before


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3), (2, 0)])
def test_capsules_are_of_the_version_that_is_asked_for(version):
    capsule = arrayspan.asarray(np.arange(3.0)).__dlpack__(max_version=version)
    name = "dltensor_versioned" if version and version[0] >= 1 else "dltensor"
    assert f'"{name}"' in repr(capsule)


class Once:
    """An array whose capsule is always the same one."""

    def __init__(self, x, **options):
        self.capsule = x.__dlpack__(**options)
        self.device = x.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("options", [{}, {"max_version": (1, 0)}])
def test_a_capsule_is_consumed_once(options):
    once = Once(np.arange(3.0), **options)
    assert arrayspan.asarray(once).tolist() == [0, 1, 2]
    with pytest.raises(arrayspan.ForeignArrayError, match="consumed before"):
        arrayspan.asarray(once)


def test_what_is_no_capsule_is_refused():
    once = Once(np.arange(3.0))
    once.capsule = "capsule"
    with pytest.raises(arrayspan.ForeignArrayError, match="returned a str"):
        arrayspan.asarray(once)


def test_a_producer_from_before_version_1_is_asked_without_one():
    class Old:
        def __init__(self):
            self.x = np.arange(4.0)

        def __dlpack__(self, stream=None):
            return self.x.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    assert arrayspan.asarray(Old()).tolist() == [0, 1, 2, 3]


def test_a_copy_is_one_and_no_copy_is_none():
    x = np.arange(3.0)
    assert not np.shares_memory(np.asarray(arrayspan.asarray(x, copy=True)), x)
    array = arrayspan.asarray(x)
    assert not np.shares_memory(np.from_dlpack(array, copy=True), x)
    assert np.shares_memory(np.from_dlpack(array, copy=False), x)
    assert not np.shares_memory(np.array(array), x)
    with pytest.raises(arrayspan.CopyRefused):
        arrayspan.asarray(x, "float32", copy=False)
    with pytest.raises(BufferError):
        np.asarray(array, dtype="float32", copy=False)
    assert np.asarray(array, dtype="float32").dtype == np.float32


def test_a_stream_of_the_cpu_is_refused():
    array = arrayspan.asarray(np.arange(3.0))
    with pytest.raises(arrayspan.ParameterError, match="stream 7"):
        array.__dlpack__(stream=7)


def test_arrays_are_made_and_converted():
    assert arrayspan.zeros((2, 3)).tolist() == [[0] * 3] * 2
    assert arrayspan.ones(2, "complex128").numpy().dtype == np.complex128
    assert arrayspan.empty((0, 4), "int8").shape == (0, 4)
    array = arrayspan.asarray(np.array([1.5, -2.5]), "float32", "cpu")
    assert array.dtype == "float32" and array.astype(np.float64).tolist() == [1.5, -2.5]
    assert array.astype(np.dtype("float16")).dtype == "float16"
    assert array.to("cpu") is array
    assert arrayspan.asarray(np.array(7)).item() == 7
    assert "Float32" in repr(array) or "float32" in repr(array)


def test_bfloat16_goes_both_ways():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1.5, -2.0], dtype=ml_dtypes.bfloat16)
    roll = arrayspan.operators.Roll(2, dtype="bfloat16")
    y = roll @ x
    assert y.dtype == x.dtype and y.tolist() == [-2.0, 1.5]
    assert (roll @ x[::-1]).tolist() == [1.5, -2.0]


def test_jax_goes_in_and_comes_out():
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(6.0, dtype="float32").reshape(2, 3)
    slope = arrayspan.operators.FirstDerivative((2, 3), axis=1, scheme="forward")
    y = slope @ x
    assert isinstance(y, jax.Array) and y.shape == (2, 3)
    assert np.array_equal(y, slope @ np.asarray(x))
    with pytest.raises(arrayspan.ParameterError, match="out"):
        slope.forward(x, out=jax.numpy.zeros((2, 3)))
    array = arrayspan.asarray(jax.device_put(x, jax.devices("cpu")[0]))
    assert not array.writable and not np.asarray(array).flags.writeable


def test_torch_goes_in_and_comes_out():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    x = torch.arange(6.0).reshape(2, 3)
    slope = arrayspan.operators.FirstDerivative((2, 3), axis=1, scheme="forward")
    y = slope @ x
    assert isinstance(y, torch.Tensor) and np.array_equal(y.numpy(), slope @ x.numpy())
    out = torch.zeros(2, 3)
    assert slope.forward(x, out=out) is out and torch.equal(out, y)
    y += 1
    assert arrayspan.asarray(x.T).tolist() == x.T.tolist()


def test_devices_have_names():
    cpu = arrayspan.Device("cpu")
    assert cpu in arrayspan.devices() and (cpu.kind, cpu.gpu_id) == ("cpu", 0)
    assert arrayspan.Device(cpu) == cpu and hash(arrayspan.Device("cpu:0")) == hash(cpu)
    assert repr(cpu) == "Device('cpu')" and cpu.info()["memory_bytes"] > 0
    cpu.synchronize()
    with pytest.raises(arrayspan.ParameterError):
        arrayspan.Device("gpu")
    with pytest.raises(arrayspan.DeviceUnavailable):
        arrayspan.Device("cuda:99")
    with pytest.raises(arrayspan.ParameterError):
        arrayspan.zeros(3, device=7)
    arrayspan.best_device()
