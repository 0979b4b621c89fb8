"""Least squares with regularisation, weights and preconditioners, as functions."""

from .cls_leastsquares import NormalEquationsInversion, PreconditionedInversion, RegularizedInversion

__all__ = ["normal_equations_inversion", "regularized_inversion", "preconditioned_inversion"]


def normal_equations_inversion(
    Op,
    y,
    Regs,
    x0=None,
    Weight=None,
    dataregs=None,
    epsI=0.0,
    epsRs=None,
    NRegs=None,
    epsNRs=None,
    engine="scipy",
    show=False,
    **kwargs_solver,
):
    """``(Op.H W Op + sum eps**2 R.H R + sum epsN**2 N + epsI**2 I) x = Op.H W y + sum eps**2 R.H d`` by conjugate gradients.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    y : ndarray
        Data.
    Regs : list of LinearOperator or None
        Regularisations `R`.
    x0 : ndarray, optional
        Where to begin.
    Weight : LinearOperator, optional
        The weights `W` of data.
    dataregs : list of ndarray, optional
        The data `d` of regularisations, by default zero.
    epsI : float, optional
        The damping.
    epsRs : list of float, optional
        The weights of regularisations, by default 1.
    NRegs : list of LinearOperator, optional
        Normal regularisations `N`.
    epsNRs : list of float, optional
        Their weights.
    engine : str, optional
        Whose parameters `kwargs_solver` are: ``"scipy"`` (``rtol``, ``atol``, ``maxiter``) or ``"pylops"`` (`cg`).
    show : bool, optional
        Whether the run is printed.
    **kwargs_solver
        Parameters of the solver.

    Returns
    -------
    xinv : ndarray
        The solution.
    istop : int or None
        0, or the iterations if they were not enough; `None` of ``"pylops"``.
    """
    return NormalEquationsInversion(Op).solve(
        y,
        Regs,
        x0=x0,
        Weight=Weight,
        dataregs=dataregs,
        epsI=epsI,
        epsRs=epsRs,
        NRegs=NRegs,
        epsNRs=epsNRs,
        engine=engine,
        show=show,
        **kwargs_solver,
    )


def regularized_inversion(
    Op,
    y,
    Regs,
    x0=None,
    Weight=None,
    dataregs=None,
    epsRs=None,
    engine="scipy",
    show=False,
    **kwargs_solver,
):
    """``min ||W (y - Op x)||**2 + sum ||eps (d - R x)||**2``.

    The parameters are those of `normal_equations_inversion`; those of the solver are of ``scipy.sparse.linalg.lsqr`` or `cgls`.

    Returns
    -------
    xinv : ndarray
        The solution.
    istop, itn : int
        Why it ended, and after how many iterations.
    r1norm, r2norm : float
        The norms of the residual without and with damping.
    """
    return RegularizedInversion(Op).solve(
        y,
        Regs,
        x0=x0,
        Weight=Weight,
        dataregs=dataregs,
        epsRs=epsRs,
        engine=engine,
        show=show,
        **kwargs_solver,
    )


def preconditioned_inversion(Op, y, P, x0=None, engine="scipy", show=False, **kwargs_solver):
    """``x = P p`` with ``min ||y - Op P p||**2``; `x0` is a `p`.

    The parameters and results are those of `regularized_inversion`.
    """
    return PreconditionedInversion(Op).solve(y, P, x0=x0, engine=engine, show=show, **kwargs_solver)
