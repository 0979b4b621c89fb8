"""What CUDA's libraries do on their streams, and what is done here, comes in the order of the program."""

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

if not any(device.kind == "cuda" for device in arrayspan.devices()):
    pytest.skip("no device of CUDA", allow_module_level=True)

N = 1 << 24
SLEEP = 200_000_000


class Torch:
    """What the tests need of torch."""

    def __init__(self):
        self.xp = pytest.importorskip("torch", exc_type=ImportError)
        if not self.xp.cuda.is_available():
            pytest.skip("torch has no device of CUDA")

    def full(self, value):
        return self.xp.full((N,), float(value), device="cuda")

    def noise(self):
        return self.xp.randn(N, device="cuda")

    def copy(self, x):
        return x.clone()

    def fill(self, x, value):
        x.fill_(value)

    def equal(self, x, y):
        return bool((x == y).all())

    def stream(self, own):
        return self.xp.cuda.stream(self.xp.cuda.Stream() if own else self.xp.cuda.default_stream())

    def wait(self):
        self.xp.cuda.synchronize()

    def derived(self, x):
        # By its module it is known whose it is.
        return x.as_subclass(type("Derived", (self.xp.Tensor,), {"__module__": "torch"}))


class CuPy:
    """What they need of CuPy."""

    def __init__(self):
        self.xp = pytest.importorskip("cupy", exc_type=ImportError)

    def full(self, value):
        return self.xp.full(N, value, "float32")

    def noise(self):
        return self.xp.random.standard_normal(N, dtype="float32")

    def copy(self, x):
        return x.copy()

    def fill(self, x, value):
        x.fill(value)

    def equal(self, x, y):
        return bool((x == y).all())

    def stream(self, own):
        return self.xp.cuda.Stream(non_blocking=True) if own else self.xp.cuda.Stream.null

    def wait(self):
        self.xp.cuda.Device().synchronize()


@pytest.fixture(params=[Torch, CuPy])
def library(request):
    return request.param()


@pytest.fixture(params=[False, True], ids=["default", "own"])
def stream(request, library):
    with library.stream(request.param):
        yield
    library.wait()


@pytest.fixture(scope="module")
def slow():
    """An operator that takes long enough for whoever does not wait for it."""
    step = ops.FirstDerivative(N, scheme="forward")
    product = step
    for _ in range(40):
        product = step @ product
    return product


def test_out_is_written_before_its_owner_reads_it(library, stream, slow):
    x, out = library.noise(), library.full(0)
    expected = library.copy(slow @ x)
    for _ in range(5):
        library.fill(out, 0)
        slow.forward(x, out=out)
        assert library.equal(library.copy(out), expected)


def test_an_argument_is_read_before_its_owner_writes_it(library, stream, slow):
    noise, out = library.noise(), library.full(0)
    expected = library.copy(slow @ noise)
    for _ in range(5):
        x = library.copy(noise)
        slow.forward(x, out=out)
        library.fill(x, 0)
        assert library.equal(library.copy(out), expected)


def test_an_array_that_is_shared_is_written_before_others_read_it(library, stream, slow):
    x, theirs = library.noise(), library.full(0)
    expected = library.copy(slow @ x)
    ours = arrayspan.asarray(theirs)
    slow.forward(x, out=ours)
    assert library.equal(library.copy(theirs), expected)
    ours = arrayspan.zeros(N, device="cuda:0")
    theirs = library.xp.from_dlpack(ours)
    slow.forward(x, out=ours)
    assert library.equal(library.copy(theirs), expected)


def test_an_array_that_is_shared_is_read_before_others_write_it(library, stream, slow):
    noise = library.noise()
    expected = library.copy(slow @ noise)
    x = library.copy(noise)
    y = slow @ arrayspan.asarray(x)
    library.fill(x, 0)
    assert library.equal(library.xp.from_dlpack(y), expected)


def test_parameters_are_read_before_their_owner_writes_them(library, stream, slow):
    busy = arrayspan.zeros(N, device="cuda:0")
    for _ in range(5):
        w = library.full(2)
        slow @ busy
        diagonal = ops.Diagonal(w)
        library.fill(w, 7)
        assert library.equal(diagonal @ library.full(1), library.full(2))


def test_what_is_copied_is_read_before_its_owner_writes_it(library, stream, slow):
    busy = arrayspan.zeros(N, device="cuda:0")
    for copy in [
        lambda x: arrayspan.asarray(x, copy=True),
        lambda x: arrayspan.asarray(x, "float64"),
        lambda x: arrayspan.convert(x, "arrayspan", dtype="float64"),
        lambda x: arrayspan.asarray(x, device="cpu"),
    ]:
        x = library.full(2)
        slow @ busy
        copied = copy(x)
        library.fill(x, 7)
        assert (copied.numpy() == 2).all()


def test_what_is_read_only_or_lies_backwards_is_copied(library):
    x = np.arange(6.0)
    x.flags.writeable = False
    for given in [x, x[::-1]]:
        name = type(library).__name__.lower()
        y = arrayspan.convert(given, name, gpu_id=0)
        assert np.array_equal(arrayspan.asarray(y).numpy(), given)
    back = arrayspan.unstack_slices(np.arange(6.0).reshape(2, 3)[:, ::-1], name, gpu_id=0)
    assert arrayspan.asarray(back[0]).tolist() == [2, 1, 0]


@pytest.mark.parametrize("bare", [False, True], ids=["result", "capsule"])
def test_a_result_stays_until_torch_has_read_it_on_its_stream(bare):
    library = Torch()
    torch = library.xp
    twice = 2 * ops.FirstDerivative(N, scheme="forward")
    x, other = library.noise(), arrayspan.asarray(library.full(3)).copy()
    expected = 2 * (twice @ x)
    library.wait()
    for _ in range(5):
        with torch.cuda.stream(torch.cuda.Stream()):
            # Not by the way on torch's own stream.
            y = torch.from_dlpack(twice @ arrayspan.asarray(x)) if bare else twice @ library.derived(x)
            torch.cuda._sleep(SLEEP)
            z = 2 * y
            del y
        held = [twice @ other for _ in range(4)]
        library.wait()
        assert library.equal(z.as_subclass(torch.Tensor), expected)
        del held


def test_managed_memory_is_ready_before_it_is_read():
    cupy = CuPy().xp
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.ndarray((N,), "float32", cupy.cuda.malloc_managed(4 * N))
        assert x.__dlpack_device__()[0] == 13
        for value in range(1, 6):
            for _ in range(50):
                x.fill(0)
            x.fill(value)
            assert (arrayspan.asarray(x).numpy() == value).all()
        stream.synchronize()


def test_positions_on_the_gpu_are_those_of_the_host():
    """By PyLops's names: what an operator takes on the host may be given as an array of CuPy, and comes back as one."""
    cupy = CuPy().xp
    import numpy as np

    import arrayspan.pylops as names

    positions = np.array([0.5, 3.0, 7.25])
    x = cupy.arange(10, dtype="float64")
    for kind, given in (("linear", positions), ("nearest", positions), ("sinc", positions), ("cubic_spline", positions)):
        there, back = names.signalprocessing.Interp(10, cupy.asarray(given), kind=kind)
        here, expected = names.signalprocessing.Interp(10, given, kind=kind)
        assert isinstance(back, cupy.ndarray)
        np.testing.assert_array_equal(cupy.asnumpy(back), expected)
        np.testing.assert_allclose(cupy.asnumpy(there @ x), here @ cupy.asnumpy(x), rtol=1e-12, atol=1e-12)
    matrix = names.MatrixMult(cupy.arange(12.0).reshape(3, 4))
    some = matrix.apply_columns(cupy.asarray([2, 0]))
    assert cupy.asnumpy(some @ cupy.ones(2)).tolist() == [2.0, 10.0, 18.0]
