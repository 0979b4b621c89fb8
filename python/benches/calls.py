"""What a call from Python costs, beside PyLops.

    python calls.py {numpy|cupy|torch|torch-cpu}

Prints CSV: the name of a row, microseconds here, by PyLops's names here, and by PyLops 2.8.0 where it is installed; the median over 7
batches of back-to-back calls, a GPU waited for once at the end of a batch. `cupy` and `torch` need a GPU; the peer of `torch` and of
`torch-cpu` is PyLops's `TorchOperator`.
"""

import statistics
import sys
import time

import arrayspan
import arrayspan.pylops as names
import numpy as np
from arrayspan import operators, solvers

if not hasattr(np, "row_stack"):  # NumPy 2.5 dropped the name, which PyLops 2.8.0 calls.
    np.row_stack = np.vstack
try:
    import pylops
except ImportError:
    pylops = None

LIBRARY = sys.argv[1]
if LIBRARY in ("numpy", "torch-cpu"):
    xp = np
else:
    import cupy as xp
FLOAT = "float32"
TIME = np.arange(21) * 0.004


def wait():
    if xp is not np:
        xp.cuda.Device().synchronize()


def microseconds(work):
    work()
    work()
    wait()
    begin = time.perf_counter()
    work()
    wait()
    calls = max(1, min(5000, int(0.1 / (time.perf_counter() - begin))))
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        wait()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(times)


def row(name, *works):
    times = []
    for work in works:
        try:
            times.append(f"{microseconds(work()):.2f}")
        except Exception as error:  # One that fails must not keep the others from running.
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            times.append("")
    print(",".join([name, *times]), flush=True)


def applied():
    """`op @ x` and `op.H @ x`."""
    for n in (1000, 1_000_000):
        x = xp.arange(n, dtype=FLOAT)
        native = operators.FirstDerivative((n,), dtype=FLOAT)
        of_names = names.FirstDerivative((n,), dtype=FLOAT)
        peer = pylops and pylops.FirstDerivative((n,), dtype=FLOAT)
        row(f"first_derivative_{n}", *(lambda a=a: lambda: a @ x for a in (native, of_names, peer) if a))
        turned = [a.H for a in (native, of_names, peer) if a]
        row(f"first_derivative_adjoint_{n}", *(lambda a=a: lambda: a @ x for a in turned))
        row(f"first_derivative_H_{n}", *(lambda a=a: lambda: a.H @ x for a in (native, of_names, peer) if a))


def solved():
    """50 iterations of CGLS on post-stack data, beside the main job of PyLops's users."""
    shape = (1000, 1000)
    wavelet = names.utils.wavelets.ricker(TIME, 20)[0].astype(FLOAT)
    native = operators.PoststackLinearModelling(shape, wavelet, dtype=FLOAT)
    of_names = names.avo.poststack.PoststackLinearModelling(wavelet, nt0=shape[0], spatdims=shape[1:])
    model = xp.asarray(np.random.default_rng(0).standard_normal(shape).astype(FLOAT))
    y = native @ model
    limits = dict(iterations=50, residual=0, gradient=0, check_every=50)
    flat, start = y.ravel(), xp.zeros(model.size, FLOAT)
    workspace = solvers.Workspace()
    row("cgls50_poststack_1m_in_a_workspace", lambda: lambda: solvers.cgls(native, y, workspace=workspace, **limits))
    works = [lambda: lambda: solvers.cgls(native, y, **limits)]
    works += [lambda: lambda: names.cgls(of_names, flat, x0=start, niter=50, tol=0)]
    if pylops:
        peer = pylops.avo.poststack.PoststackLinearModelling(xp.asarray(wavelet), nt0=shape[0], spatdims=shape[1:])
        works += [lambda: lambda: pylops.optimization.basic.cgls(peer, flat, x0=start, niter=50, tol=0)]
    row("cgls50_poststack_1m", *works)


def differentiated():
    """There and back through a layer of torch."""
    import torch
    from arrayspan.torch import Operator

    device = "cuda" if LIBRARY == "torch" else "cpu"
    options = dict(device=device, devicetorch=device)
    for n in (1000, 1_000_000):
        x = torch.randn(n, device=device, requires_grad=True)

        def there_and_back(layer, x=x):
            def work():
                (gradient,) = torch.autograd.grad(layer(x).sum(), x)
                return gradient

            return work

        native, of_names = operators.FirstDerivative((n,), dtype=FLOAT), names.FirstDerivative((n,), dtype=FLOAT)
        layers = [Operator(native), names.TorchOperator(of_names, **options).apply]
        if pylops:
            layers += [pylops.TorchOperator(pylops.FirstDerivative((n,), dtype=FLOAT), **options).apply]
        row(f"torch_there_and_back_{n}", *(lambda layer=layer: there_and_back(layer) for layer in layers))
        # What torch itself takes for as many steps.
        row(f"torch_alone_{n}", lambda: there_and_back(lambda x: 2 * x))


print("name,arrayspan_us,names_us,pylops_us")
print(f"# arrayspan {arrayspan.__version__}, {LIBRARY}", file=sys.stderr)
if LIBRARY.startswith("torch"):
    differentiated()
else:
    applied()
    solved()
