"""Conjugate gradients and LSQR, as functions."""

from ..utils.decorators import add_ndarray_support_to_solver
from .callback import CostToDataCallback, CostToInitialCallback
from .cls_basic import CG, CGLS, LSQR

__all__ = ["cg", "cgls", "lsqr"]


def stopping(rtol, rtol1):
    """The callbacks that end a run at a share of the first cost, and of the norm of the data."""
    callbacks = []
    if rtol > 0:
        callbacks.append(CostToInitialCallback(rtol))
    if rtol1 > 0:
        callbacks.append(CostToDataCallback(rtol1))
    return callbacks


def made(solver, Op, callbacks, callback):
    """A solver with callbacks, and a function that is called after each step."""
    made = solver(Op, callbacks=callbacks or None)
    if callback is not None:
        made.callback = callback
    return made


@add_ndarray_support_to_solver
def cg(
    Op,
    y,
    x0=None,
    niter=10,
    damp=0.0,
    tol=1e-4,
    rtol=0.0,
    rtol1=0.0,
    show=False,
    itershow=(10, 10, 10),
    callback=None,
    preallocate=False,
):
    """Conjugate gradients for ``(Op + damp I) x = y`` of a positive `Op`.

    Parameters
    ----------
    Op : LinearOperator
        The operator, square.
    y : ndarray
        Data.
    x0 : ndarray, optional
        Where to begin.
    niter : int, optional
        The most iterations.
    damp : float, optional
        What is added to the diagonal.
    tol : float, optional
        The squared norm of the residual at which it ends.
    rtol, rtol1 : float, optional
        The norm of the residual at which it ends, over that of the first one, and of the data.
    show : bool, optional
        Whether steps are printed.
    itershow : tuple, optional
        Which are: the first, the last, and every so many.
    callback : callable, optional
        Called after each step with the model.
    preallocate : bool, optional
        Whether what a run works in stays with `Op`, for the next one.

    Returns
    -------
    x : ndarray
        The solution.
    iiter : int
        The iterations.
    cost : ndarray
        The norms of the residuals.
    """
    solver = made(CG, Op, stopping(rtol, rtol1), callback)
    return solver.solve(
        y=y, x0=x0, niter=niter, damp=damp, tol=tol, preallocate=preallocate, show=show, itershow=itershow
    )


@add_ndarray_support_to_solver
def cgls(
    Op,
    y,
    x0=None,
    niter=10,
    damp=0.0,
    tol=1e-4,
    rtol=0.0,
    rtol1=0.0,
    show=False,
    itershow=(10, 10, 10),
    callback=None,
    preallocate=False,
):
    """Conjugate gradients for ``min ||y - Op x||**2 + damp**2 ||x||**2``.

    The parameters are those of `cg`; `tol` is of the squared norm of the gradient.

    Returns
    -------
    x : ndarray
        The solution.
    istop : int
        1 if it is within the tolerance, 2 if the iterations are over.
    iiter : int
        The iterations.
    r1norm, r2norm : float
        The norms of the residual without and with damping. (The first one of PyLops is the squared norm of the gradient.)
    cost : ndarray
        The norms of the residuals.
    """
    solver = made(CGLS, Op, stopping(rtol, rtol1), callback)
    return solver.solve(
        y=y, x0=x0, niter=niter, damp=damp, tol=tol, preallocate=preallocate, show=show, itershow=itershow
    )


@add_ndarray_support_to_solver
def lsqr(
    Op,
    y,
    x0=None,
    damp=0.0,
    atol=1e-8,
    btol=1e-8,
    conlim=1e8,
    niter=10,
    calc_var=True,
    show=False,
    itershow=(10, 10, 10),
    callback=None,
    preallocate=False,
):
    """LSQR for ``min ||y - Op x||**2 + damp**2 ||x - x0||**2``.

    Parameters
    ----------
    Op, y, x0, niter, show, itershow, callback, preallocate
        As those of `cg`.
    damp : float, optional
        The damping.
    atol, btol : float, optional
        The tolerances of operator and data.
    conlim : float, optional
        The condition at which it ends.
    calc_var : bool, optional
        Whether `var` is estimated.

    Returns
    -------
    x : ndarray
        The solution.
    istop : int
        Why it ended, from 0 to 7.
    iiter : int
        The iterations.
    r1norm, r2norm : float
        The norms of the residual without and with damping.
    anorm, acond : float
        Estimates of norm and condition of the operator with damping.
    arnorm, xnorm : float
        The norms of the gradient and of the solution.
    var : ndarray or None
        The diagonal of ``(Op.H Op + damp**2 I)**-1``.
    cost : ndarray
        The norms of the residuals.
    """
    solver = made(LSQR, Op, [], callback)
    return solver.solve(
        y=y,
        x0=x0,
        damp=damp,
        atol=atol,
        btol=btol,
        conlim=conlim,
        niter=niter,
        calc_var=calc_var,
        preallocate=preallocate,
        show=show,
        itershow=itershow,
    )
