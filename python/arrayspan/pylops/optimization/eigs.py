"""The largest eigenvalue."""

import numpy as np

from ..utils.backend import get_module

__all__ = ["power_iteration"]


def power_iteration(Op, niter=10, tol=1e-5, dtype="float32", backend="numpy"):
    """The eigenvalue of the largest absolute value, by repeated application to a random vector.

    Parameters
    ----------
    Op : LinearOperator
        The operator, square.
    niter : int, optional
        The most iterations.
    tol : float, optional
        The relative change at which it ends.
    dtype : str, optional
        The dtype of the vector.
    backend : str, optional
        Its library.

    Returns
    -------
    maxeig : float
        The eigenvalue.
    b_k : ndarray
        The eigenvector.
    niter : int
        The iterations.
    """
    module = get_module(backend)
    b = module.random.rand(Op.shape[1]).astype(dtype)
    if np.issubdtype(dtype, np.complexfloating):
        b = b + 1j * module.random.rand(Op.shape[1]).astype(b.real.dtype)
    b = b / module.linalg.norm(b)
    value = before = 0.0
    for iteration in range(1, niter + 1):
        product = Op.matvec(b)
        value = module.vdot(b, product)
        b = product / module.linalg.norm(product)
        if abs(value - before) < tol * abs(before):
            break
        before = value
    return value, b, iteration
