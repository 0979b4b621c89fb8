"""Solvers for sparse models, as functions."""

from ..utils.decorators import add_ndarray_support_to_solver
from .basic import made, stopping
from .callback import CostNanInfCallback
from .cls_sparsity import FISTA, IRLS, ISTA, OMP, SPGL1, SplitBregman

__all__ = ["irls", "omp", "ista", "fista", "spgl1", "splitbregman"]


def irls(
    Op,
    y,
    x0=None,
    nouter=10,
    threshR=False,
    epsR=1e-10,
    epsI=1e-10,
    tolIRLS=1e-10,
    warm=False,
    kind="data",
    engine="scipy",
    show=False,
    itershow=(10, 10, 10),
    callback=None,
    preallocate=False,
    **kwargs_solver,
):
    """Iteratively reweighted least squares: `IRLS`, whose ``setup`` says what the parameters are.

    Parameters
    ----------
    engine : str, optional
        Whose parameters `kwargs_solver` are: ``"scipy"`` (``lsqr``) or ``"pylops"`` (`cgls`).
    show, itershow : bool, tuple, optional
        Whether steps are printed, and which: the first, the last, and every so many.
    callback : callable, optional
        Called after each step with the model.

    Returns
    -------
    xinv : ndarray
        The solution.
    nouter : int
        The iterations.
    """
    return made(IRLS, Op, [], callback).solve(
        y,
        x0=x0,
        nouter=nouter,
        threshR=threshR,
        epsR=epsR,
        epsI=epsI,
        tolIRLS=tolIRLS,
        kind=kind,
        warm=warm,
        engine=engine,
        preallocate=preallocate,
        show=show,
        itershow=itershow,
        **kwargs_solver,
    )


def omp(
    Op,
    y,
    niter_outer=10,
    niter_inner=40,
    sigma=1e-4,
    rtol=0.0,
    rtol1=0.0,
    normalizecols=False,
    Opbasis=None,
    optimal_coeff=False,
    engine="scipy",
    show=False,
    itershow=(10, 10, 10),
    callback=None,
    preallocate=False,
):
    """Matching pursuit: `OMP`, whose ``setup`` says what the parameters are.

    Parameters
    ----------
    rtol, rtol1 : float, optional
        The norm of the residual at which it ends, over that of the first one, and of the data.
    engine, show, itershow, callback
        As those of `irls`.

    Returns
    -------
    xinv : ndarray
        The solution.
    niter_outer : int
        The iterations.
    cost : ndarray
        The norms of the residuals.
    """
    callbacks = [CostNanInfCallback(), *stopping(rtol, rtol1)]
    return made(OMP, Op, callbacks, callback).solve(
        y,
        niter_outer=niter_outer,
        niter_inner=niter_inner,
        sigma=sigma,
        normalizecols=normalizecols,
        Opbasis=Opbasis,
        optimal_coeff=optimal_coeff,
        engine=engine,
        preallocate=preallocate,
        show=show,
        itershow=itershow,
    )


def _thresholding(solver, summary):
    def solve(
        Op,
        y,
        x0=None,
        niter=10,
        SOp=None,
        eps=0.1,
        alpha=None,
        eigsdict=None,
        tol=1e-10,
        rtol=0.0,
        rtol1=0.0,
        threshkind="soft",
        perc=None,
        decay=None,
        monitorres=False,
        show=False,
        itershow=(10, 10, 10),
        callback=None,
        preallocate=False,
    ):
        callbacks = [CostNanInfCallback(), *stopping(rtol, rtol1)]
        return made(solver, Op, callbacks, callback).solve(
            y=y,
            x0=x0,
            niter=niter,
            SOp=SOp,
            eps=eps,
            alpha=alpha,
            eigsdict=eigsdict,
            tol=tol,
            threshkind=threshkind,
            perc=perc,
            decay=decay,
            monitorres=monitorres,
            preallocate=preallocate,
            show=show,
            itershow=itershow,
        )

    solve.__name__ = solve.__qualname__ = solver.__name__.lower()
    solve.__doc__ = f"""{summary}: `{solver.__name__}`, whose ``setup`` says what the parameters are.

    Parameters
    ----------
    rtol, rtol1 : float, optional
        The cost at which it ends, over the first one, and over the norm of the data.
    show, itershow, callback
        As those of `irls`.

    Returns
    -------
    xinv : ndarray
        The solution.
    iiter : int
        The iterations.
    cost : ndarray
        ``||y - Op x||**2 / 2 + eps ||x||_1`` after each.
    """
    return solve


ista = _thresholding(ISTA, "Iterative thresholds")
fista = _thresholding(FISTA, "Iterative thresholds with momentum")


@add_ndarray_support_to_solver
def spgl1(Op, y, x0=None, SOp=None, tau=0.0, sigma=0.0, show=False, **kwargs_spgl1):
    """The least ``||x||_1`` with ``||y - Op x|| <= sigma``, or the least misfit with ``||x||_1 <= tau``: `SPGL1`.

    Returns
    -------
    xinv : ndarray
        The solution.
    pinv : ndarray
        Its coefficients in the basis.
    info : dict
        What the run was.
    """
    return SPGL1(Op).solve(y, x0=x0, SOp=SOp, tau=tau, sigma=sigma, show=show, **kwargs_spgl1)


def splitbregman(
    Op,
    y,
    RegsL1,
    x0=None,
    niter_outer=3,
    niter_inner=5,
    RegsL2=None,
    dataregsL2=None,
    mu=1.0,
    epsRL1s=None,
    epsRL2s=None,
    tol=1e-10,
    rtol=0.0,
    rtol1=0.0,
    tau=1.0,
    restart=False,
    engine="scipy",
    show=False,
    itershow=(10, 10, 10),
    show_inner=False,
    callback=None,
    preallocate=False,
    **kwargs_lsqr,
):
    """Models that regularisations make sparse: `SplitBregman`, whose ``setup`` says what the parameters are.

    Parameters
    ----------
    rtol, rtol1 : float, optional
        The cost at which it ends, over the first one, and over the norm of the data.
    engine, show, itershow, callback
        As those of `irls`.
    show_inner : bool, optional
        Whether least-squares problems are printed, too.

    Returns
    -------
    xinv : ndarray
        The solution.
    itn_out : int
        The iterations.
    cost : ndarray
        What is minimised, after each.
    """
    callbacks = [CostNanInfCallback(), *stopping(rtol, rtol1)]
    return made(SplitBregman, Op, callbacks, callback).solve(
        y,
        RegsL1,
        x0=x0,
        niter_outer=niter_outer,
        niter_inner=niter_inner,
        RegsL2=RegsL2,
        dataregsL2=dataregsL2,
        mu=mu,
        epsRL1s=epsRL1s,
        epsRL2s=epsRL2s,
        tol=tol,
        tau=tau,
        restart=restart,
        engine=engine,
        preallocate=preallocate,
        show=show,
        itershow=itershow,
        show_inner=show_inner,
        **kwargs_lsqr,
    )
