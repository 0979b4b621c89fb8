"""Estimates of the trace of an operator by its products with random vectors."""

from .backend import get_module

__all__ = ["trace_hutchinson", "trace_hutchpp", "trace_nahutchpp"]


def _gaussian(module, size, count):
    return module.random.randn(size, count)


def _rayleigh(module, size, count):
    """Directions of equal probability. (PyLops scales by the square of what makes the expectation right.)"""
    z = module.random.randn(size, count)
    return z * size**0.5 / module.linalg.norm(z, axis=0)


def _rademacher(module, size, count):
    return 2 * module.random.binomial(1, 0.5, size=(size, count)) - 1


_SAMPLERS = {"gaussian": _gaussian, "rayleigh": _rayleigh, "rademacher": _rademacher}


def _evaluations(Op, neval):
    return round(Op.shape[1] * 0.1) if neval is None else neval


def _samples(Op, sampler, module, count):
    if sampler not in _SAMPLERS:
        raise NotImplementedError(f"sampler {sampler} not available.")
    return _SAMPLERS[sampler](module, Op.shape[1], count).astype(Op.dtype)


def _between(module, z, Az):
    """The trace of ``z.H A z``."""
    return module.vdot(z, Az)


def trace_hutchinson(Op, neval=None, batch_size=None, sampler="rademacher", backend="numpy"):
    """The mean of ``z.H A z`` over random `z`.

    Parameters
    ----------
    Op : LinearOperator
        A square operator.
    neval : int, optional
        How many vectors, by default a tenth of the size.
    batch_size : int, optional
        How many at a time, by default 100.
    sampler : str, optional
        ``"gaussian"``, ``"rayleigh"``, ``"rademacher"``, or ``"unitvector"``, which takes all unit vectors and is exact.
    backend : str, optional
        The library of the vectors.
    """
    module, size = get_module(backend), Op.shape[1]
    neval = _evaluations(Op, neval)
    batch = max(1, min(neval, 100 if batch_size is None else batch_size))
    exact = sampler == "unitvector"
    total = size if exact else neval
    trace = module.zeros((), dtype=Op.dtype)
    for first in range(0, total, batch):
        count = min(batch, total - first)
        if exact:
            z = module.eye(size, count, k=-first, dtype=Op.dtype)
        else:
            z = _samples(Op, sampler, module, count)
        trace = trace + _between(module, z, Op.matmat(z))
    return (trace if exact else trace / neval).astype(Op.dtype)[()]


def trace_hutchpp(Op, neval=None, sampler="rademacher", backend="numpy"):
    """Hutch++: the trace within the range of a sketch, and Hutchinson's estimate of the rest.

    The parameters are those of `trace_hutchinson`; a third of the vectors each is for sketch, range and rest.
    """
    module = get_module(backend)
    neval = _evaluations(Op, neval)
    third = neval // 3
    if third <= 0:
        raise ValueError(f"Sampler '{sampler}' not supported with {neval} samples. Try increasing it.")
    sketch, rest = (_samples(Op, sampler, module, third) for _ in range(2))
    basis, _ = module.linalg.qr(Op.matmat(sketch))
    rest = rest - basis @ (basis.conj().T @ rest)
    trace = _between(module, basis, Op.matmat(basis)) + _between(module, rest, Op.matmat(rest)) / third
    return trace.astype(Op.dtype)[()]


def trace_nahutchpp(Op, neval=None, sampler="rademacher", c1=1.0 / 6.0, c2=1.0 / 3.0, backend="numpy"):
    """NA-Hutch++, which draws all its vectors before the first product.

    The parameters are those of `trace_hutchinson`; `c1` and `c2` are the shares of the vectors for the two sketches.
    The operator need not be self-adjoint.
    """
    module = get_module(backend)
    neval = _evaluations(Op, neval)
    counts = [round(neval * c1), round(neval * c2)]
    counts.append(neval - sum(counts))
    if min(counts) <= 0:
        raise ValueError(f"Sampler '{sampler}' not supported with {neval} samples. Try increasing it.")
    s, r, g = (_samples(Op, sampler, module, count) for count in counts)
    z = Op.matmat(r)
    # ``W.H = S.H A``: PyLops takes ``(A S).T`` for it, which is that of a symmetric operator.
    w = Op.rmatmat(s).conj().T
    low = module.linalg.pinv(w @ r) @ w
    trace = module.trace(low @ z)
    rest = _between(module, g, Op.matmat(g)) - _between(module, g, z @ (low @ g))
    return (trace + rest / counts[2]).astype(Op.dtype)[()]
