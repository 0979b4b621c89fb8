"""LSQR with what PyLops reports of it.

The run is the engine's, which keeps no norm and condition of the operator and no variances. They follow from what it tells of each
iteration: the norms of residual and gradient are products of the rotations, of which they give the angles, and with these the
elements of the bidiagonal matrix; the step over its length is the column that variances are sums of.
"""

from math import hypot, sqrt

import numpy as np

from ..linearoperator import aslinearoperator
from ._runs import Problem
from ._stepping import Stepping

_ENDS = (
    "the starting model is the exact solution",
    "Opx - b is small enough, given atol, btol",
    "the least-squares solution is good enough, given atol",
    "the estimate of cond(Opbar) has exceeded conlim",
    "Opx - b is small enough for this machine",
    "the least-squares solution is good enough for this machine",
    "Cond(Opbar) seems to be too large for this machine",
    "the iteration limit has been reached",
)


class LSQR(Stepping):
    """LSQR of Paige and Saunders for ``min ||y - Op x||**2 + damp**2 ||x - x0||**2``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way. (That of PyLops takes none.)
    """

    msg = _ENDS

    def memory_usage(self, show=False, unit="B"):
        return self._memory(5, 2, show, unit)

    def setup(
        self,
        y,
        x0=None,
        damp=0.0,
        atol=1e-8,
        btol=1e-8,
        conlim=1e8,
        niter=10,
        calc_var=True,
        preallocate=False,
        show=False,
    ):
        """Takes data and parameters.

        Parameters
        ----------
        y : ndarray
            Data.
        x0 : ndarray, optional
            Where to begin.
        damp : float, optional
            The damping.
        atol, btol : float, optional
            The tolerances of operator and data.
        conlim : float, optional
            The condition at which it ends.
        niter : int, optional
            The most iterations.
        calc_var : bool, optional
            Whether the diagonal of ``(A.H A + damp**2 I)**-1`` is estimated.
        preallocate : bool, optional
            Whether what ``run`` works in stays with the operator, for the next one.
        show : bool, optional
            Whether parameters are printed.

        Returns
        -------
        ndarray
            The model to begin with.
        """
        self._take(y, preallocate)
        self.damp, self.dampsq, self.atol, self.btol = damp, damp**2, atol, btol
        self.conlim, self.calc_var = conlim, calc_var
        self.ctol = 1.0 / conlim if conlim > 0 else 0.0
        # With damping it is the step from the start that is damped: it is found from zero.
        self._offset = x0 if x0 is not None and damp != 0 else None
        rest = y if self._offset is None else y - aslinearoperator(self.Op).matvec(x0)
        start = None if self._offset is not None else x0
        problem = Problem("lsqr", self.Op, rest, start, preallocate=self.preallocate, damping=float(damp))
        self._begin(problem, niter)
        x = self.ncp.zeros(self.Op.shape[1], dtype=problem.dtype) if x0 is None else x0.astype(problem.dtype)
        self.istop = 0
        self.var = self.ncp.zeros(x.size, dtype=x.real.dtype) if calc_var else None
        self.anorm = self.acond = self.ddnorm = self.res2 = self.xnorm = 0.0
        self.test1, self.test2, self.test3, self.rtol = 1.0, 1.0, 1.0, btol
        beta = self._norm(rest if start is None else y - aslinearoperator(self.Op).matvec(x0))
        self.r1norm = self.r2norm = self.rnorm = self.bnorm = self.phibar = beta
        self.arnorm = self.arnorm0 = None
        self.cost = [beta]
        if show:
            self._print_head(
                "", f"damp = {damp:20.14e}     calc_var = {calc_var}", f"atol = {atol:8.2e}   btol = {btol:8.2e}"
            )
        return x

    def _shape(self, x):
        x = x.reshape(-1)
        return x if self._offset is None else self._offset + x

    def _start(self, seen):
        self.arnorm = self.arnorm0 = seen.gradient
        self.alfa = self.rhobar = seen.gradient / seen.residual if seen.residual > 0 else 0.0
        x = seen.solution() if callable(getattr(seen, "solution", None)) else seen.x
        self._last = x.reshape(-1)

    def _note(self, seen, x):
        x = x if self._offset is None else x - self._offset
        step, self._last = x - self._last, x
        self.xnorm = self._norm(x)
        # A rotation takes the damping out, another one what is below the diagonal: its angle is that of the residuals.
        rhobar1 = hypot(self.rhobar, self.damp)
        share = abs(self.rhobar) / rhobar1 if rhobar1 > 0 else 1.0
        self.res2 += self.phibar**2 * (1 - share) * (1 + share)
        before = share * self.phibar
        self.r1norm = seen.residual
        self.r2norm = self.rnorm = hypot(seen.residual, self.damp * self.xnorm)
        self.phibar = sqrt(max((self.rnorm - sqrt(self.res2)) * (self.rnorm + sqrt(self.res2)), 0.0))
        sn = min(self.phibar / before, 1.0) if before > 0 else 1.0
        cs = sqrt((1 - sn) * (1 + sn))
        self.arnorm = seen.gradient
        if cs > 0:
            self.beta = sn * rhobar1 / cs
            self.anorm = sqrt(self.anorm**2 + self.alfa**2 + self.beta**2 + self.dampsq)
            self.alfa = self.arnorm / (cs * self.phibar) if self.phibar > 0 else 0.0
            self.rhobar = cs * self.alfa
            length = cs * before
            self.ddnorm += (self._norm(step) / length) ** 2
            if self.calc_var:
                self.var = self.var + self.ncp.abs(step / length) ** 2
        self.acond = self.anorm * sqrt(self.ddnorm)
        self.cost.append(self.r1norm)
        self._judge()

    def _judge(self):
        """Why it ends after this step, if it does."""
        scale = self.anorm * self.xnorm / self.bnorm
        self.test1 = self.rnorm / self.bnorm
        self.test2 = self.arnorm / self.arnorm0
        self.test3 = 1.0 / self.acond if self.acond > 0 else np.inf
        self.rtol = self.btol + self.atol * scale
        ends = (
            self.test1 <= self.rtol,
            self.test2 <= self.atol,
            self.test3 <= self.ctol,
            1 + self.test1 / (1 + scale) <= 1,
            1 + self.test2 <= 1,
            1 + self.test3 <= 1,
            self.iiter >= self.niter,
        )
        self.istop = next((why for why, holds in enumerate(ends, start=1) if holds), 0)

    def _within(self):
        return self.istop != 0 or self.arnorm == 0

    def _print_step(self, x):
        self._print_row(x, self.r1norm, self.r2norm, self.test1, self.test2)

    def step(self, x, show=False):
        """One iteration: the new model of the last one."""
        return self._iterate(show)

    def run(self, x, niter=None, show=False, itershow=(10, 10, 10)):
        """Steps until `niter` or a tolerance."""
        if niter is not None:
            self.niter = niter
        if self.istop == 7 and self.iiter < self.niter:
            self.istop = 0
        if self._leads_itself([LSQR]):
            x = self._steps_on(x, self.niter, show, itershow)
        else:
            # Norm, condition and variances are sums over all iterations.
            x = self._shape(self._run_whole(x, self.niter, show, itershow, looking=True).x)
        if self._over and self.istop == 0 and self.arnorm != 0:
            # What is left is rounding errors.
            self.istop = 5
        return x

    def finalize(self, show=False):
        super().finalize(show)
        if show:
            print(f"LSQR finished, {self.msg[self.istop]}")

    def solve(
        self,
        y,
        x0=None,
        damp=0.0,
        atol=1e-8,
        btol=1e-8,
        conlim=1e8,
        niter=10,
        calc_var=True,
        preallocate=False,
        show=False,
        itershow=(10, 10, 10),
    ):
        """``(x, istop, iiter, r1norm, r2norm, anorm, acond, arnorm, xnorm, var, cost)``. See ``setup`` and ``run``."""
        x = self.setup(
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
        )
        x = self.run(x, niter=niter, show=show, itershow=itershow)
        self.finalize(show)
        return (
            x,
            self.istop,
            self.iiter,
            self.r1norm,
            self.r2norm,
            self.anorm,
            self.acond,
            self.arnorm,
            self.xnorm,
            self.var,
            self.cost,
        )
