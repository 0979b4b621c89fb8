"""Models that regularisations make sparse, in steps."""

from math import sqrt

import numpy as np

from ..utils.backend import to_numpy
from .basesolver import Solver
from .leastsquares import regularized_inversion


def _shrunk(module, x, level):
    """The soft threshold: all are pulled towards zero."""
    size = module.abs(x)
    return x * (module.maximum(size - level, 0) / module.where(size > 0, size, 1))


class SplitBregman(Solver):
    """``mu/2 ||y - Op x||**2 + 1/2 sum epsRL2 ||d - R2 x||**2 + sum epsRL1 ||R1 x||_1``, by the method of Goldstein and Osher.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, nopRegsL1=None, nopRegsL2=None, show=False, unit="B"):
        others = 4 * int(np.sum(nopRegsL1 or 0)) + int(np.sum(nopRegsL2 or 0))
        return self._memory(1, 1, show, unit) + others * np.dtype(self.Op.dtype).itemsize

    def setup(
        self,
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
        tau=1.0,
        restart=False,
        preallocate=False,
        show=False,
    ):
        """Takes data, regularisations and parameters.

        Parameters
        ----------
        y : ndarray
            Data.
        RegsL1 : list of LinearOperator
            The regularisations ``R1``.
        x0 : ndarray, optional
            Where to begin.
        niter_outer, niter_inner : int, optional
            The most iterations, and those of each with the same multipliers.
        RegsL2 : list of LinearOperator, optional
            The regularisations ``R2``.
        dataregsL2 : list of ndarray, optional
            Their data `d`, by default zero.
        mu : float, optional
            The weight of the data.
        epsRL1s, epsRL2s : list of float, optional
            The weights of regularisations.
        tol : float, optional
            The change of the model at which ``run`` ends.
        tau : float, optional
            The length of the steps of multipliers.
        restart : bool, optional
            Whether each least-squares problem begins at `x0`, not at the last model.
        preallocate : bool, optional
            Accepted.
        show : bool, optional
            Whether parameters are printed.

        Returns
        -------
        ndarray
            The model to begin with.
        """
        self._take(y, preallocate)
        self.RegsL1, self.RegsL2 = list(RegsL1), list(RegsL2 or [])
        self.niter_outer, self.niter_inner, self.mu, self.tol = niter_outer, niter_inner, mu, tol
        self.tau, self.restart, self.x0 = tau, restart, x0
        self.epsRL1s, self.epsRL2s = list(epsRL1s or []), list(epsRL2s or [])
        dtype = np.result_type(self.Op.dtype, y.dtype)

        def zeros(Regs):
            return [self.ncp.zeros(Reg.shape[0], dtype=dtype) for Reg in Regs]

        self.b, self.d = zeros(self.RegsL1), zeros(self.RegsL1)
        self.dataregsL2 = zeros(self.RegsL2) if dataregsL2 is None else list(dataregsL2)
        self.Regs = self.RegsL2 + self.RegsL1
        self.epsRs = [sqrt(eps / mu) for eps in self.epsRL2s + self.epsRL1s]
        self.cost = []
        self.iiter = 0
        if show:
            self._print_head(
                "",
                f"niter_outer = {niter_outer:3d}     niter_inner = {niter_inner:3d}   tol = {tol:2.2e}",
                f"mu = {mu:2.2e}         epsL1 = {self.epsRL1s}\t  epsL2 = {self.epsRL2s}",
            )
        return self.ncp.zeros(self.Op.shape[1], dtype=dtype) if x0 is None else x0

    def step(self, x, engine="scipy", show=False, show_inner=False, **kwargs_solver):
        """One iteration: the new model of the last one, with parameters of the solver that `engine` names."""
        for _ in range(self.niter_inner):
            x = regularized_inversion(
                self.Op,
                self.y,
                self.Regs,
                dataregs=self.dataregsL2 + [d - b for d, b in zip(self.d, self.b)],
                epsRs=self.epsRs,
                x0=self.x0 if self.restart else x,
                show=show_inner,
                engine=engine,
                **kwargs_solver,
            )[0]
            sparse = [Reg.matvec(x) for Reg in self.RegsL1]
            self.d = [_shrunk(self.ncp, s + b, eps) for s, b, eps in zip(sparse, self.b, self.epsRL1s)]
        self.b = [b + self.tau * (s - d) for b, s, d in zip(self.b, sparse, self.d)]
        self.costdata = self.mu / 2 * self._norm(self.y - self.Op.matvec(x)) ** 2
        terms = zip(self.epsRL2s, self.RegsL2, self.dataregsL2)
        self.costregL2 = [eps * self._norm(data - Reg.matvec(x)) ** 2 for eps, Reg, data in terms]
        self.costregL1 = [float(to_numpy(self.ncp.linalg.norm(s, ord=1))) for s in sparse]
        self.costtot = self.costdata + sum(self.costregL2) + sum(self.costregL1)
        self.iiter += 1
        self.cost.append(self.costtot)
        if show:
            self._print_row(x, self.costdata, self.costtot)
        return x

    def run(
        self,
        x,
        engine="scipy",
        show=False,
        itershow=(10, 10, 10),
        show_inner=False,
        **kwargs_lsqr,
    ):
        """Steps until ``niter_outer`` or the tolerance."""
        change = np.inf

        def step(x, shown):
            nonlocal change
            new = self.step(x, engine, shown, show_inner, **kwargs_lsqr)
            change = self._norm(new - x)
            self.callback(new)
            return new

        return self._steps(x, self.niter_outer, show, itershow, lambda: change > self.tol, step)

    def solve(
        self,
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
        tau=1.0,
        restart=False,
        engine="scipy",
        preallocate=False,
        show=False,
        itershow=(10, 10, 10),
        show_inner=False,
        **kwargs_lsqr,
    ):
        """``(x, iiter, cost)``: the solution, the iterations, and what is minimised after each. See ``setup`` and ``run``."""
        x = self.setup(
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
            preallocate=preallocate,
            show=show,
        )
        x = self.run(x, engine=engine, show=show, itershow=itershow, show_inner=show_inner, **kwargs_lsqr)
        self.finalize(show)
        return x, self.iiter, self.cost
