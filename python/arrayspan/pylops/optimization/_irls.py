"""Least squares with weights that follow residual or model, in steps."""

import numpy as np

from ..basicoperators import Diagonal, Identity, VStack
from .basesolver import Solver
from .leastsquares import regularized_inversion


class IRLS(Solver):
    """Iteratively reweighted least squares: outliers of data, or all but few elements of the model, count little.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, kind="data", show=False, unit="B"):
        models, data = {"data": (0, 2), "model": (1, 1), "datamodel": (1, 3)}[kind]
        return self._memory(models, data, show, unit)

    def setup(
        self,
        y,
        nouter=None,
        threshR=False,
        epsR=1e-10,
        epsI=1e-10,
        tolIRLS=1e-10,
        warm=False,
        kind="data",
        preallocate=False,
        show=False,
    ):
        """Takes data and parameters.

        Parameters
        ----------
        y : ndarray
            Data.
        nouter : int, optional
            The most iterations.
        threshR : bool, optional
            Whether weights are ``1 / max(|r|, epsR)``, not ``1 / (|r| + epsR)``.
        epsR : float, optional
            The residual below which weights hardly change.
        epsI : float, optional
            The damping; of ``"datamodel"`` the weight of the model.
        tolIRLS : float, optional
            The change of the model at which ``run`` ends.
        warm : bool, optional
            Whether an iteration begins at the last model.
        kind : str, optional
            ``"data"``, ``"model"`` or ``"datamodel"``.
        preallocate : bool, optional
            Accepted.
        show : bool, optional
            Whether parameters are printed.
        """
        if kind not in ("data", "model", "datamodel"):
            raise NotImplementedError(f"`kind` must be model, data or datamodel, got {kind}")
        self._take(y, preallocate)
        self.nouter, self.threshR, self.epsR, self.epsI = nouter, threshR, epsR, epsI
        self.tolIRLS, self.warm, self.kind = tolIRLS, warm, kind
        if kind == "datamodel":
            columns = self.Op.shape[1]
            self.Op = VStack([self.Op, epsI * Identity(columns, dtype=self.Op.dtype)])
            self.epsI = 0.0
            self.y = self.ncp.hstack([y, self.ncp.zeros(columns, dtype=y.dtype)])
        self.r = None
        self.cost = [self._norm(self.y)]
        self.iiter = 0
        if show:
            self._print_head(f" ({kind})", f"threshR = {threshR}\tepsR = {epsR}\tepsI = {epsI}", f"nouter = {nouter}")

    def _step_data(self, x, engine, options):
        weight = None
        if self.iiter > 0:
            size = self.ncp.abs(self.r)
            self.rw = 1.0 / (self.ncp.maximum(size, self.epsR) if self.threshR else size + self.epsR)
            self.rw = self.rw / self.rw.max()
            weight = Diagonal(self.ncp.sqrt(self.rw), dtype=self.rw.dtype)
        start = x if self.warm else None
        return regularized_inversion(
            self.Op, self.y, None, Weight=weight, x0=start, damp=self.epsI, engine=engine, **options
        )[0]

    def _step_model(self, x, engine, options):
        damping = self.epsI**2 * Identity(self.y.size, dtype=self.Op.dtype)
        weighted = self.Op.H
        if self.iiter > 0:
            self.rw = self.ncp.abs(x)
            self.rw = self.rw / (self.rw.max() or 1)
            weighted = Diagonal(self.rw, dtype=self.rw.dtype) @ self.Op.H
        normal = self.Op @ weighted + damping
        return weighted.matvec(regularized_inversion(normal, self.y, None, engine=engine, **options)[0])

    def step(self, x, engine="scipy", show=False, **kwargs_solver):
        """One iteration: the new model of the last one, with parameters of the solver that `engine` names."""
        step = self._step_model if self.kind == "model" else self._step_data
        x = step(x, engine, kwargs_solver)
        self.r = self.y - self.Op.matvec(x)
        self.rnorm = self._norm(self.r)
        self.iiter += 1
        self.cost.append(self.rnorm)
        if show:
            self._print_row(x, self.rnorm)
        return x

    def run(self, x, nouter=10, engine="scipy", show=False, itershow=(10, 10, 10), **kwargs_solver):
        """Steps until `nouter` or the tolerance, from `x` on."""
        nouter = nouter if self.nouter is None else self.nouter
        start = x.copy()
        self.x0 = start
        self.y = self.y - self.Op.matvec(x)
        change = np.inf

        def step(x, shown):
            nonlocal change
            new = self.step(x, engine, shown, **kwargs_solver)
            change = self._norm(new - x)
            self.callback(new)
            return new

        x = self._steps(x, nouter, show, itershow, lambda: change >= self.tolIRLS, step)
        return start + x

    def finalize(self, show=False):
        super().finalize(show)
        self.nouter = self.iiter

    def solve(
        self,
        y,
        x0=None,
        nouter=10,
        threshR=False,
        epsR=1e-10,
        epsI=1e-10,
        tolIRLS=1e-10,
        kind="data",
        warm=False,
        engine="scipy",
        preallocate=False,
        show=False,
        itershow=(10, 10, 10),
        **kwargs_solver,
    ):
        """``(x, nouter)``: the solution and the iterations. See ``setup`` and ``run``."""
        self.setup(
            y=y,
            threshR=threshR,
            epsR=epsR,
            epsI=epsI,
            tolIRLS=tolIRLS,
            warm=warm,
            kind=kind,
            preallocate=preallocate,
            show=show,
        )
        x = self.ncp.zeros(self.Op.shape[1], dtype=self.y.dtype) if x0 is None else x0
        x = self.run(x, nouter=nouter, engine=engine, show=show, itershow=itershow, **kwargs_solver)
        self.finalize(show)
        return x, self.nouter
