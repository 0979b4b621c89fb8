"""Matching pursuit, in steps."""

import numpy as np

from ..utils.backend import inplace_set, to_numpy
from . import _least_squares
from .basesolver import Solver
from .basic import cgls


class OMP(Solver):
    """Few columns of the operator that explain the data: in each iteration one more.

    Coefficients are ``<a, r> / ||a||**2``, whatever the norm of columns; of equal columns the first one is taken. (PyLops takes
    ``<a, r>`` unless `optimal_coeff` is true, and one of equal columns by lot.)

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, show=False, unit="B"):
        return self._memory(0, 4, show, unit)

    def setup(
        self,
        y,
        niter_outer=10,
        niter_inner=40,
        sigma=1e-4,
        normalizecols=False,
        Opbasis=None,
        optimal_coeff=False,
        preallocate=False,
        show=False,
    ):
        """Takes data and parameters.

        Parameters
        ----------
        y : ndarray
            Data.
        niter_outer : int, optional
            The most columns.
        niter_inner : int, optional
            The iterations of least squares with the columns so far; with 0 only the new one is fitted.
        sigma : float, optional
            The norm of the residual at which ``run`` ends.
        normalizecols : bool, optional
            Whether columns are chosen as if their norms were equal.
        Opbasis : LinearOperator, optional
            The operator whose columns have those norms, by default `Op`.
        optimal_coeff : bool, optional
            Accepted: coefficients always are.
        preallocate : bool, optional
            Accepted.
        show : bool, optional
            Whether parameters are printed.
        """
        self._take(y, preallocate)
        self.niter_outer, self.niter_inner, self.sigma = niter_outer, niter_inner, sigma
        self.normalizecols, self.optimal_coeff = normalizecols, optimal_coeff
        self.Opbasis = self.Op if Opbasis is None else Opbasis
        if normalizecols:
            columns = self.Opbasis.todense() if self.ncp is np else self.Opbasis.todense(backend="cupy")
            self.norms = self.ncp.linalg.norm(columns, axis=0)
        self.res = y.copy()
        self.cost = [self._norm(y)]
        self.iiter = 0
        if show:
            what = " (Only MP)" if niter_inner == 0 else ""
            self._print_head(what, f"sigma = {sigma:.2e}\tniter_outer = {niter_outer}\tniter_inner = {niter_inner}")

    def step(self, x, cols, engine="scipy", show=False, **kwargs_solver):
        """One iteration: coefficients and columns, of those so far."""
        found = self.Op.rmatvec(self.res)
        size = self.ncp.abs(found) / self.norms if self.normalizecols else self.ncp.abs(found)
        best = int(to_numpy(size.argmax()))
        new = best not in cols
        if new:
            cols.append(best)
        if self.niter_inner == 0:
            column = self.Op.apply_columns([best]).matvec(self.ncp.ones(1, dtype=self.res.dtype))
            coefficient = found[best] / self.ncp.vdot(column, column)
            self.res = self.res - coefficient * column
            if new:
                x.append(coefficient)
            else:
                x[cols.index(best)] += coefficient
        else:
            Opcol = self.Op.apply_columns(cols)
            if engine == "scipy" and self.ncp is np:
                x = _least_squares.lsqr(Opcol, self.y, iter_lim=self.niter_inner, **kwargs_solver)[0]
            else:
                x = cgls(Opcol, self.y, niter=self.niter_inner, **kwargs_solver)[0]
            self.res = self.y - Opcol.matvec(x)
        self.iiter += 1
        self.cost.append(self._norm(self.res))
        if show:
            self._print_row(np.asarray(to_numpy(x[0])), self.cost[-1])
        return x, cols

    def run(self, x, cols, engine="scipy", show=False, itershow=(10, 10, 10)):
        """Steps until ``niter_outer`` or the tolerance."""

        def step(both, shown):
            both = self.step(*both, engine, shown)
            self.callback(*both)
            return both

        return self._steps((x, cols), self.niter_outer, show, itershow, lambda: self.cost[-1] > self.sigma, step)

    def finalize(self, x, cols, show=False):
        """The model of coefficients and columns."""
        super().finalize(show)
        self.nouter = self.iiter
        coefficients = self.ncp.asarray(x)
        model = self.ncp.zeros(self.Op.shape[1], dtype=np.result_type(self.Op.dtype, coefficients.dtype))
        return inplace_set(coefficients, model, self.ncp.asarray(cols, dtype=int))

    def solve(
        self,
        y,
        niter_outer=10,
        niter_inner=40,
        sigma=1e-4,
        normalizecols=False,
        Opbasis=None,
        optimal_coeff=False,
        engine="scipy",
        preallocate=False,
        show=False,
        itershow=(10, 10, 10),
    ):
        """``(x, nouter, cost)``: the solution, the iterations, and the norms of residuals. See ``setup`` and ``run``."""
        self.setup(
            y,
            niter_outer=niter_outer,
            niter_inner=niter_inner,
            sigma=sigma,
            normalizecols=normalizecols,
            Opbasis=Opbasis,
            optimal_coeff=optimal_coeff,
            preallocate=preallocate,
            show=show,
        )
        x, cols = self.run([], [], engine=engine, show=show, itershow=itershow)
        x = self.finalize(x, cols, show)
        return x, self.nouter, self.cost
