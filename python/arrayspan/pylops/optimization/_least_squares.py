"""Least squares by the engine's `Lsqr`, and positive systems by its `Cg`, with the parameters that SciPy's have.

What PyLops asks SciPy for (``engine="scipy"``) is done here. Runs end by the rules of SciPy, of which that of the
gradient takes what the first one says of the norm of the operator: it is not above it, so that no run ends earlier.
"""

from ..linearoperator import aslinearoperator
from ..utils.backend import norm2
from ._runs import Problem

# Iterations between two looks at residual and gradient.
_LOOK = 10


def lsqr(
    Op,
    y,
    x0=None,
    damp=0.0,
    atol=1e-6,
    btol=1e-6,
    conlim=None,
    iter_lim=None,
    niter=None,
    show=False,
    calc_var=False,
):
    """``(x, istop, itn, r1norm, r2norm)`` of ``min ||y - Op x||**2 + damp**2 ||x - x0||**2``.

    The parameters are those of ``scipy.sparse.linalg.lsqr``; `conlim` and `calc_var` are accepted.
    """
    Op = aslinearoperator(Op)
    y = y.reshape(-1)
    given = [most for most in (iter_lim, niter) if most is not None]
    most = given[0] if given else 2 * Op.shape[1]
    # With damping it is the step from the start that is damped: it is found from zero.
    step = x0 is not None and damp != 0
    rest = y - Op.matvec(x0) if step else y
    problem = Problem("lsqr", Op, rest, None if step else x0, damping=float(damp))
    size = norm2(y)
    ends, scale = [7], [0.0]

    def look(seen):
        if seen.iteration == 0:
            scale[0] = seen.gradient / seen.residual if seen.residual > 0 else 0.0
            ends[0] = 0 if seen.gradient == 0 else 7
        elif seen.residual <= btol * size:
            ends[0] = 1
        elif seen.gradient <= atol * scale[0] * seen.residual:
            ends[0] = 2
        return ends[0] != 7

    solution = problem.solve(most, look, check_every=_LOOK)
    problem.count(solution.iterations)
    # A run that the engine ends has nothing left but rounding errors.
    istop = 2 if ends[0] == 7 and solution.iterations < most else ends[0]
    x, r1norm = solution.x.reshape(-1), solution.residuals[-1]
    r2norm = (r1norm**2 + (damp * norm2(x)) ** 2) ** 0.5 if damp else r1norm
    if show:
        print(f"LSQR: istop = {istop}, itn = {solution.iterations}, r1norm = {r1norm:.3e}, r2norm = {r2norm:.3e}")
    return (x0 + x if step else x), istop, solution.iterations, r1norm, r2norm


def cg(Op, y, x0=None, rtol=1e-5, atol=0.0, maxiter=None, show=False):
    """``(x, info)`` of ``Op x = y``, positive: `info` is 0, or the iterations if they were not enough.

    The parameters are those of ``scipy.sparse.linalg.cg``.
    """
    Op = aslinearoperator(Op)
    y = y.reshape(-1)
    most = 10 * Op.shape[1] if maxiter is None else maxiter
    problem = Problem("cg", Op, y, x0, applied=(1, 0))
    limit = max(rtol * norm2(y), atol)
    solution = problem.solve(most, absolute=limit)
    problem.count(solution.iterations)
    if show:
        print(f"CG: itn = {solution.iterations}, residual = {solution.residuals[-1]:.3e}")
    enough = solution.stopped != "iterations" or solution.residuals[-1] <= limit
    return solution.x.reshape(-1), 0 if enough else solution.iterations
