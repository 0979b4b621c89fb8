"""Operators as functions of tensors that torch differentiates."""

import copy
import gc
import threading

import arrayspan
import numpy as np
import pytest
from arrayspan import operators as ops

torch = pytest.importorskip("torch", exc_type=ImportError)

from arrayspan.torch import Operator  # noqa: E402

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def twice(x):
    """Of what a function of Python is given: an array of NumPy on the host, elsewhere one that speaks DLPack."""
    return 2 * (x if isinstance(x, np.ndarray) else torch.from_dlpack(x))


def complex_step(shape=(4, 3)):
    return (0.5 - 2j) * ops.FirstDerivative(shape, scheme="forward", dtype="complex128")


def cases():
    """Operators between all kinds of spaces."""
    real = ops.FirstDerivative((5, 4), scheme="forward", dtype="float64")
    within = (3, 2)
    yield "real", real
    yield "rectangular", ops.Restriction((5, 4), [3, 0, 3], axis=0, dtype="float64") @ real
    yield "complex", complex_step()
    yield "real part", ops.Real(within, dtype="complex128") @ complex_step(within)
    yield "imaginary part", ops.Imag(within, dtype="complex128")
    yield "from real", ops.Real(within, dtype="complex128").H
    yield "conjugate", ops.Conj(within, dtype="complex128")
    yield "python", ops.from_functions(arrayspan.Space(3, "float64"), arrayspan.Space(3, "float64"), twice, twice)
    yield "numbers", 3 * ops.Identity((), dtype="float64")


CASES = dict(cases())
every = pytest.mark.parametrize("name", CASES)
on_all = pytest.mark.parametrize("device", DEVICES)


def random(space, *batch, device="cpu", grad=True):
    dtype = getattr(torch, space.dtype)
    return torch.randn((*batch, *space.shape), dtype=dtype, device=device).requires_grad_(grad)


@every
@on_all
def test_gradients_are_those_of_differences_in_all_modes(name, device):
    layer = Operator(CASES[name])
    for function, space in [(layer, layer.domain), (layer.adjoint, layer.range)]:
        for batch in [(), (2,), (2, 1)]:
            x = random(space, *batch, device=device)
            assert torch.autograd.gradcheck(
                function, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True
            )
            assert torch.autograd.gradgradcheck(function, x, check_fwd_over_rev=True)


@every
@on_all
def test_results_are_those_of_the_operator(name, device):
    a = CASES[name]
    layer = Operator(a)
    x, y = random(a.domain, device=device, grad=False), random(a.range, device=device, grad=False)
    # Devices add products in one operation or in two.
    rtol = 0 if device == "cpu" else 1e-14
    np.testing.assert_allclose(layer(x).cpu().numpy(), a @ x.cpu().numpy(), rtol, rtol)
    np.testing.assert_allclose(layer.adjoint(y).cpu().numpy(), a.H @ y.cpu().numpy(), rtol, rtol)
    assert layer.H(y).equal(layer.adjoint(y)) and layer(x).device == x.device
    many = random(a.domain, 3, 2, device=device, grad=False)
    one_by_one = torch.stack([torch.stack([layer(x) for x in row]) for row in many])
    assert torch.allclose(layer(many), one_by_one, rtol=1e-14, atol=1e-14)
    assert layer(many[:0]).shape == (0, 2, *a.range.shape)


@on_all
def test_tensors_have_any_strides(device):
    layer = Operator(ops.FirstDerivative((4, 3), dtype="float64"))
    whole = torch.randn(2, 6, 8, 5, dtype=torch.float64, device=device)
    for x in [
        whole[0, 0, ::2, 1:4],
        whole[..., :4, :3].transpose(0, 1),
        whole[0, :4, :3, 0],
        whole[:, 0, 0, :3].unsqueeze(1).expand(2, 4, 3),
        torch.ones((), dtype=torch.float64, device=device).expand(4, 3),
    ]:
        assert layer(x).equal(layer(x.contiguous()))


def test_a_result_has_memory_of_its_own():
    for layer in [Operator(ops.Identity(3)), Operator(ops.Transpose((3, 1), [1, 0]))]:
        x = torch.ones(layer.domain.shape)
        y = layer(x)
        y.add_(1)
        assert x.eq(1).all() and y.is_contiguous()


def test_lazy_conjugates_are_resolved():
    layer = Operator(complex_step())
    x = random(layer.domain, grad=False)
    assert layer(x.conj()).equal(layer(x.conj().resolve_conj()))
    imaginary = Operator(ops.FirstDerivative((4, 3), dtype="float64"))
    assert imaginary(x.conj().imag).equal(imaginary(x.conj().imag.contiguous().clone()))


@on_all
def test_single_precision_and_half_precision(device):
    for dtype in ["float32", "complex64"]:
        layer = Operator(ops.FirstDerivative((7, 5), dtype=dtype))
        x = random(layer.domain, 3, device=device)
        w = random(layer.range, 3, device=device, grad=False)
        (layer(x) * w.conj()).sum().real.backward()
        assert torch.allclose(x.grad, layer.adjoint(w))
    for dtype in ["float16", "bfloat16"]:
        layer = Operator(ops.Flip((4,), [0], dtype=dtype))
        x = torch.arange(4, dtype=getattr(torch, dtype), device=device, requires_grad=True)
        y = layer(x)
        (y * y).sum().backward()
        assert y.tolist() == [3, 2, 1, 0] and x.grad.tolist() == [0, 2, 4, 6]


def test_a_graph_is_recorded_where_it_is_needed_only():
    layer = Operator(ops.FirstDerivative(5, dtype="float64"))
    x = random(layer.domain)
    assert layer(x).requires_grad and not layer(x.detach()).requires_grad
    with torch.no_grad():
        assert not layer(x).requires_grad
    with torch.inference_mode():
        assert layer(x).shape == (5,)


def test_a_kept_graph_is_gone_through_again():
    layer = Operator(ops.FirstDerivative(5, dtype="float64"))
    x = random(layer.domain)
    loss = layer(x).square().sum()
    (first,) = torch.autograd.grad(loss, x, retain_graph=True)
    (second,) = torch.autograd.grad(loss, x)
    assert first.equal(second)
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


@every
def test_function_transforms(name):
    layer = Operator(CASES[name])
    x = random(layer.domain, grad=False)
    parts = (lambda y: torch.view_as_real(y)) if layer.range.dtype == "complex128" else (lambda y: y)
    loss = lambda x: parts(layer(x)).square().sum()  # noqa: E731
    leaf = x.clone().requires_grad_()
    loss(leaf).backward()
    assert torch.allclose(torch.func.grad(loss)(x), leaf.grad)
    many = torch.stack([x, 2 * x, -x], dim=-1)
    each = torch.stack([layer(one) for one in many.unbind(-1)], dim=-1)
    assert torch.allclose(torch.func.vmap(layer, in_dims=-1, out_dims=-1)(many), each)
    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=-1, out_dims=-1)(many)
    assert torch.allclose(gradients, torch.stack([leaf.grad, 2 * leaf.grad, -leaf.grad], dim=-1))
    y, tangent = torch.func.jvp(layer, (x,), (2 * x,))
    assert torch.allclose(tangent, 2 * y)
    if layer.domain.dtype == layer.range.dtype == "float64":
        matrix = torch.from_numpy(CASES[name].to_dense())
        for jacobian in (torch.func.jacrev, torch.func.jacfwd):
            assert torch.allclose(jacobian(layer)(x).reshape(matrix.shape), matrix)
        hessian = torch.func.hessian(loss)(x).reshape(2 * (layer.domain.size,))
        assert torch.allclose(hessian, 2 * matrix.T @ matrix)


@every
@on_all
def test_the_custom_operator_is_registered_as_torch_wants_it(name, device):
    layer = Operator(CASES[name])
    for adjoint, space in enumerate([layer.domain, layer.range]):
        for batch in [(), (3,)]:
            x = random(space, *batch, device=device)
            torch.library.opcheck(torch.ops.arrayspan.apply.default, (x, layer._layer.name, bool(adjoint)))


@on_all
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_whole_of_a_function_is_compiled(backend, device):
    torch._dynamo.reset()
    layer = Operator(ops.FirstDerivative((5, 4), scheme="forward", dtype="float64"))
    other = Operator(ops.Laplacian((5, 4), [0, 1], dtype="float64"))

    def loss(x):
        y = layer(x.sin())
        return (other.adjoint(y.tanh()) * layer.adjoint(y)).sum()

    compiled = torch.compile(loss, fullgraph=True, backend=backend)
    for batch in [(), (2,), (3,), (3, 2)]:
        x = random(layer.domain, *batch, device=device)
        (expected,) = torch.autograd.grad(loss(x), x)
        (found,) = torch.autograd.grad(compiled(x), x)
        assert torch.allclose(found, expected)


def test_a_compiled_module_has_operators_of_its_own():
    torch._dynamo.reset()
    same = torch.nn.Sequential(Operator(ops.Flip((3,), [0])), Operator(2 * ops.Identity((3,))))
    compiled = torch.compile(same, fullgraph=True, backend="eager")
    for scale in (1.0, 2.0):
        x = torch.tensor([1.0, 2.0, 3.0]) * scale
        assert compiled(x).equal(same(x))


def test_an_operator_by_pylopss_name_is_one_too():
    from arrayspan import pylops

    for dtype in ["float32", "float64", "complex128"]:
        slope = pylops.FirstDerivative((5, 4), axis=0, kind="forward", dtype=dtype)
        Op = slope.H @ (2 * slope)
        layer = Operator(Op)
        x = random(layer.domain, 3, grad=False)
        each = torch.stack([torch.from_numpy(Op @ one.numpy().ravel()).reshape(layer.range.shape) for one in x])
        assert torch.allclose(layer(x), each)

    class Mine(pylops.LinearOperator):
        def _matvec(self, x):
            return 2 * x

    with pytest.raises(TypeError, match="not Mine: arrayspan.operators.from_functions"):
        Operator(Mine(dtype="float64", shape=(3, 3)))


def test_wrong_arguments_are_refused():
    layer = Operator(ops.FirstDerivative((5, 4), dtype="float64"))
    for shape in [(4,), (4, 5), (2, 5), (5, 4, 2), ()]:
        with pytest.raises(arrayspan.ShapeError, match=r"FirstDerivative: x has shape .*expected \(\.\.\., 5, 4\)"):
            layer(torch.zeros(shape, dtype=torch.float64))
    for dtype in [torch.float32, torch.int64, torch.complex128, torch.bool]:
        with pytest.raises(arrayspan.DTypeError, match="FirstDerivative: y is torch.*expected torch.float64"):
            layer.adjoint(torch.zeros(5, 4, dtype=dtype))
    with pytest.raises(TypeError, match="expected a torch.Tensor"):
        layer(np.zeros((5, 4)))
    with pytest.raises(TypeError, match="expected an arrayspan.Operator"):
        Operator(lambda x: x)
    with pytest.raises((arrayspan.Error, RuntimeError, TypeError, ValueError)):
        layer(torch.zeros(5, 4, dtype=torch.float64).to_sparse())


def test_what_a_function_raises_arrives_unchanged_from_either_way():
    class Mine(Exception):
        pass

    def fail(_):
        raise Mine("torn")

    space = arrayspan.Space(3, "float64")
    there = Operator(ops.from_functions(space, space, fail, lambda y: y))
    back = Operator(ops.from_functions(space, space, lambda x: x, fail))
    x = random(space)
    with pytest.raises(Mine, match="torn"):
        there(x)
    with pytest.raises(Mine, match="torn"):
        back(x).sum().backward()
    without = Operator(ops.from_functions(space, space, lambda x: x))
    with pytest.raises(arrayspan.NoAdjoint):
        without(x).sum().backward()
    assert x.grad is None


def test_an_operator_that_is_gone_is_named():
    layer = Operator(ops.Identity(3))
    name = layer._layer.name
    del layer
    gc.collect()
    with pytest.raises(arrayspan.ParameterError, match="Identity#.* is gone"):
        torch.ops.arrayspan.apply(torch.zeros(3), name, False)


def test_layers_are_copied_moved_and_printed():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), Operator(ops.FirstDerivative(3)))
    twin = copy.deepcopy(model).to("cpu").eval()
    x = torch.randn(2, 3)
    assert twin(x).equal(model(x)) and twin[1].operator is model[1].operator
    assert list(model[1].state_dict()) == [] and "FirstDerivative" in repr(model)
    with pytest.raises(TypeError, match="pickled"):
        copy.copy(model[1]).__reduce__()


def test_threads_share_a_layer():
    layer = Operator(ops.FirstDerivative((50, 3), dtype="float64"))
    failures = []

    def work():
        try:
            for batch in range(1, 30):
                x = random(layer.domain, batch % 11 + 1)
                layer(x).square().sum().backward()
                assert torch.allclose(x.grad, 2 * layer.adjoint(layer(x.detach())))
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []


def test_nothing_leaks():
    layer = Operator(ops.FirstDerivative(10_000, dtype="float64"))

    def cycle():
        x = random(layer.domain)
        loss = layer(x).square().sum()
        (gradient,) = torch.autograd.grad(loss, x, create_graph=True)
        gradient.square().sum().backward()
        layer(x)

    def resident():
        with open("/proc/self/statm") as file:
            return 4096 * int(file.read().split()[1])

    for _ in range(200):
        cycle()
    gc.collect()
    before = resident()
    for _ in range(1000):
        cycle()
    gc.collect()
    assert resident() - before < 8 << 20


def test_an_optimiser_trains_through_an_operator():
    torch.manual_seed(0)
    layer = Operator(ops.Smoothing((8, 8), [(0, 3), (1, 3)]))
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1), layer, torch.nn.Tanh(), torch.nn.Conv2d(4, 1, 1))
    x = torch.randn(4, 1, 8, 8)
    target = layer(x).tanh()
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for _ in range(100):
        optimiser.zero_grad()
        loss = (model(x) - target).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]


def test_it_is_a_linear_physics_of_deepinv():
    deepinv = pytest.importorskip("deepinv", exc_type=ImportError)
    layer = Operator(ops.Smoothing((16, 16), [(0, 5), (1, 3)]))
    physics = layer.deepinv(noise_model=deepinv.physics.GaussianNoise(0.0))
    x = torch.rand(2, 1, 16, 16)
    y = physics(x)
    assert torch.allclose(y, layer(x))
    assert abs(float(physics.adjointness_test(x))) < 1e-3
    assert torch.allclose(physics.A_adjoint(y), layer.adjoint(y))
    fidelity = deepinv.optim.L2()
    gradient = fidelity.grad(x, y + 1, physics)
    assert torch.allclose(gradient, layer.adjoint(layer(x) - y - 1), atol=1e-5)
    damped = physics.prox_l2(x, y, gamma=10.0)
    residual = layer.adjoint(layer(damped) - y) * 10.0 + damped - x
    assert residual.norm() < 1e-2 * x.norm()


def test_the_example_makes_a_blurred_picture_better(tmp_path):
    import os
    import pathlib
    import subprocess
    import sys

    example = pathlib.Path(__file__).parents[1] / "examples" / "plug_and_play.py"
    few = ["--steps", "60", "--iterations", "4", "--out", str(tmp_path / "picture.png")]
    ran = subprocess.run([sys.executable, str(example), *few], capture_output=True, text=True, env=os.environ)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    value = {line[:20].strip(): float(line.split()[-2]) for line in ran.stdout.splitlines() if line.endswith("dB")}
    assert value["plug and play"] > value["blurred, with noise"] + 1


def test_the_example_of_a_data_loader_learns():
    import os
    import pathlib
    import subprocess
    import sys

    example = pathlib.Path(__file__).parents[1] / "examples" / "data_loader.py"
    few = ["--devices", "cpu", "--batches", "6", "--epochs", "2"]
    ran = subprocess.run([sys.executable, str(example), *few], capture_output=True, text=True, env=os.environ)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    first, last = (float(word.split()[-1]) for word in ran.stdout.splitlines()[-1].split(","))
    assert last < first and "'batches': 6" in ran.stdout


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("flatten", [False, True])
def test_operators_by_pylopss_names_are_functions_of_tensors(batch, flatten):
    import arrayspan.pylops as names

    op = names.FirstDerivative((5, 4), axis=0, dtype="float64", edge=True)
    function = names.TorchOperator(op, batch=batch, flatten=flatten)
    shape = ((3,) if batch else ()) + ((20,) if flatten else (5, 4))
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    y = function.apply(x)
    assert y.shape == shape
    expected = np.stack([(op @ each).reshape(shape[batch:]) for each in x.detach().numpy().reshape(-1, 20)])
    np.testing.assert_allclose(y.detach().numpy(), expected.reshape(shape), rtol=1e-12)
    weights = torch.randn(shape, dtype=torch.float64)
    (gradient,) = torch.autograd.grad((y * weights).sum(), x)
    np.testing.assert_allclose(gradient.numpy(), function.adjoint(weights).numpy(), rtol=1e-12)
    assert torch.autograd.gradcheck(function.apply, x) and torch.autograd.gradgradcheck(function.apply, x)
    # What is assigned, and what a subclass does instead, counts.
    weight = names.Diagonal(np.full(20, 2.0))
    doubled = names.TorchOperator(weight)
    z = torch.ones(20, dtype=torch.float64)
    assert (doubled.apply(z) == 2).all()
    weight.diag = np.full(20, 3.0)
    assert (doubled.apply(z) == 3).all()
    weight._matvec = lambda x: -x
    assert (names.TorchOperator(weight).apply(z) == -1).all()


def test_what_torch_cannot_share_is_copied_for_it():
    a = np.arange(6.0)
    back = a[::-1]
    for given in [arrayspan.convert(back, "torch"), torch.from_dlpack(arrayspan.asarray(back))]:
        assert given.tolist() == back.tolist()
    parts = arrayspan.unstack_slices(a.reshape(2, 3)[:, ::-1], "torch")
    assert [part.tolist() for part in parts] == [[2, 1, 0], [5, 4, 3]]
    a.flags.writeable = False
    arrayspan.convert(a, "torch").add_(1)
    assert a.tolist() == list(range(6))
    for refused in [a, back]:
        with pytest.raises(arrayspan.CopyRefused):
            arrayspan.convert(refused, "torch", zero_copy=True)
