"""Whether the adjoint of an operator is its adjoint."""

import numpy as np

from .backend import get_module, randn, to_numpy

__all__ = ["dottest"]


def dottest(
    Op, nr=None, nc=None, rtol=1e-6, atol=1e-21, complexflag=0, raiseerror=True, verb=False, backend="numpy"
):
    """Compares ``<Op u, v>`` with ``<u, Op.H v>`` for random `u` and `v`.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    nr, nc : int, optional
        Its rows and columns, if they are to be checked, too.
    rtol, atol : float, optional
        How far apart the numbers may be, as of ``numpy.isclose``.
    complexflag : int, optional
        0 for real vectors, 1 for a complex model, 2 for complex data, 3 for both.
    raiseerror : bool, optional
        Whether an operator that fails raises `AssertionError`.
    verb : bool, optional
        Whether the numbers are printed.
    backend : str, optional
        The library of the vectors.

    Returns
    -------
    bool
        Whether it passed. Of real-linear operators only the real parts are compared.
    """
    rows, columns = Op.shape
    if (nr not in (None, rows)) or (nc not in (None, columns)):
        raise AssertionError(f"Provided nr and nc do not match the operator shape {Op.shape}.")
    module = get_module(backend)
    dtype = np.empty(0, Op.dtype).real.dtype

    def vector(size, is_complex):
        part = randn(size, backend=backend).astype(dtype)
        return part + 1j * randn(size, backend=backend).astype(dtype) if is_complex else part

    u = vector(columns, complexflag in (1, 3))
    v = vector(rows, complexflag in (2, 3))
    forward, adjoint = module.vdot(Op.matvec(u), v), module.vdot(u, Op.rmatvec(v))
    if not getattr(Op, "clinear", True):
        forward, adjoint = forward.real, adjoint.real
    forward, adjoint = np.asarray(to_numpy(forward))[()], np.asarray(to_numpy(adjoint))[()]
    passed = bool(np.isclose(adjoint, forward, rtol, atol))
    message = f"Dot test {'passed' if passed else 'failed'}, v^H(Opu)={forward} - u^H(Op^Hv)={adjoint}"
    if raiseerror and not passed:
        raise AssertionError(message)
    if verb:
        print(message)
    return passed
