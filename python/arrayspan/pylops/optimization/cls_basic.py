"""Conjugate gradients and LSQR, in steps."""

from math import inf, sqrt

import numpy as np

from ._lsqr import LSQR
from ._runs import Problem
from ._stepping import Stepping

__all__ = ["CG", "CGLS", "LSQR"]


class _Conjugate(Stepping):
    """What `CG` and `CGLS` have in common."""

    def _first(self, problem, y, x0, niter, tol, show, *parameters):
        """The model to begin with, and the norm of its residual."""
        self._begin(problem, niter)
        self.tol = tol
        # A run that nobody looks at tells of its first residual as well.
        whole = self._is_whole
        if x0 is None:
            x = self.ncp.zeros(self.Op.shape[1], dtype=problem.dtype)
            self.cost = [inf if whole else self._norm(y)]
        else:
            x = x0.astype(problem.dtype)
            self.cost = [inf if whole else self._norm(y - self.Op.matvec(x))]
        if show:
            self._print_head("", f"tol = {tol:10e}\tniter = {niter}", *parameters)
        return x

    def _within(self):
        return self.kold <= self.tol

    def step(self, x, show=False):
        """One iteration.

        Parameters
        ----------
        x : ndarray
            The model that the last step gave.
        show : bool, optional
            Whether the step is printed.

        Returns
        -------
        ndarray
            The new model.
        """
        return self._iterate(show)

    def _finish(self, solution):
        """Takes what nobody has looked at."""
        self.cost, self.iiter = list(solution.residuals), solution.iterations
        return self._shape(solution.x)

    # Whether `solve` leads a run that nobody looks at.
    _is_whole = False

    def _solved(self, setup, show, itershow, niter, damp):
        """A run from ``setup()`` to its end."""
        own = any(name in vars(each) for each in type(self).__mro__[: -len(_Conjugate.__mro__) - 1] for name in ("setup", "step", "run"))
        self._is_whole = not show and damp == 0 and not own and not self._watched()
        try:
            x = self.run(setup(), niter, show=show, itershow=itershow)
        finally:
            self._is_whole = False
        self.finalize(show)
        return x


class CG(_Conjugate):
    """Conjugate gradients for ``(Op + damp I) x = y`` of a positive `Op`.

    Parameters
    ----------
    Op : LinearOperator
        The operator, square.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, show=False, unit="B"):
        return self._memory(2, 4, show, unit)

    def setup(self, y, x0=None, niter=None, damp=0.0, tol=1e-4, preallocate=False, show=False):
        """Takes data and parameters.

        Parameters
        ----------
        y : ndarray
            Data.
        x0 : ndarray, optional
            Where to begin.
        niter : int, optional
            The most iterations of ``run``.
        damp : float, optional
            What is added to the diagonal.
        tol : float, optional
            The squared norm of the residual at which ``run`` ends.
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
        self.damp = damp

        def damped(native, dtype):
            from ... import operators

            return native + float(damp) * operators.Identity(native.domain.shape, dtype=dtype)

        problem = Problem("cg", self.Op, y, x0, damped if damp != 0 else None, applied=(1, 0), preallocate=self.preallocate)
        x = self._first(problem, y, x0, niter, tol, show)
        if damp != 0 and x0 is not None:
            self.cost = [self._norm(y - self.Op.matvec(x) - damp * x)]
        return x

    @property
    def kold(self):
        """The squared norm of the residual."""
        return self.cost[-1] ** 2

    def _note(self, seen, x):
        self.cost.append(seen.residual)

    def run(self, x, niter=None, show=False, itershow=(10, 10, 10)):
        """Steps until `niter`, the tolerance, or the end of what can be gained.

        Parameters
        ----------
        x : ndarray
            The model that ``setup`` gave.
        niter : int, optional
            The most iterations, if ``setup`` has not been told.
        show : bool, optional
            Whether steps are printed.
        itershow : tuple, optional
            Which are: the first, the last, and every so many.
        """
        if self._leads_itself([CG]):
            return self._steps_on(x, niter, show, itershow)
        looking = show or self._watched()
        absolute = 0.0 if looking or self.tol <= 0 else sqrt(self.tol)
        solution = self._run_whole(x, niter, show, itershow, looking, absolute)
        return self._shape(solution.x) if looking else self._finish(solution)

    def solve(
        self, y, x0=None, niter=10, damp=0.0, tol=1e-4, preallocate=False, show=False, itershow=(10, 10, 10)
    ):
        """``(x, iiter, cost)``: the solution, the iterations, and the norms of residuals. See ``setup`` and ``run``."""
        given = dict(y=y, x0=x0, niter=niter, damp=damp, tol=tol, preallocate=preallocate, show=show)
        x = self._solved(lambda: self.setup(**given), show, itershow, niter, damp)
        return x, self.iiter, self.cost


class CGLS(_Conjugate):
    """Conjugate gradients for ``min ||y - Op x||**2 + damp**2 ||x||**2``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, show=False, unit="B"):
        return self._memory(5, 3, show, unit)

    def setup(self, y, x0=None, niter=None, damp=0.0, tol=1e-4, preallocate=False, show=False):
        """Takes data and parameters: those of `CG`, where `tol` is of the squared norm of the gradient."""
        self._take(y, preallocate)
        self.damp = damp**2
        self.kold = inf
        problem = Problem("cgls", self.Op, y, x0, preallocate=self.preallocate, damping=float(damp))
        x = self._first(problem, y, x0, niter, tol, show, f"damp = {damp:10e}")
        self.cost1 = [self._with_damping(x)]
        return x

    def _with_damping(self, x):
        """The square root of what is minimised."""
        return sqrt(self.cost[-1] ** 2 + self.damp * self._norm(x) ** 2) if self.damp else self.cost[-1]

    def _start(self, seen):
        self.kold = seen.gradient**2

    def _note(self, seen, x):
        self.kold = seen.gradient**2
        self.cost.append(seen.residual)
        self.cost1.append(self._with_damping(x))

    def _print_step(self, x):
        self._print_row(x, self.cost[-1], self.cost1[-1])

    def run(self, x, niter=None, show=False, itershow=(10, 10, 10)):
        """Steps until `niter`, the tolerance, or the end of what can be gained: see `CG`."""
        if self._leads_itself([CGLS]):
            x = self._steps_on(x, niter, show, itershow)
        else:
            models = show or self._watched() or self.damp != 0
            looking = show or self._watched() or self.tol > 0
            solution = self._run_whole(x, niter, show, itershow, looking, models=models)
            if looking and models:
                x = self._shape(solution.x)
            else:
                x = self._finish(solution)
                self.cost1 = list(self.cost) if self.damp == 0 else self.cost1
        self.istop = 1 if self._over or self._within() else 2
        # PyLops returns the squared norm of the gradient under this name.
        self.r1norm, self.r2norm = self.cost[-1], self._with_damping(x)
        return x

    def finalize(self, show=False):
        super().finalize(show)
        self.cost1 = np.array(self.cost1)

    def solve(
        self, y, x0=None, niter=10, damp=0.0, tol=1e-4, preallocate=False, show=False, itershow=(10, 10, 10)
    ):
        """``(x, istop, iiter, r1norm, r2norm, cost)``: the solution; 1 if it is within the tolerance, else 2; the iterations;
        the norms of the residual without and with damping; those of all residuals. See ``setup`` and ``run``."""
        given = dict(y=y, x0=x0, niter=niter, damp=damp, tol=tol, preallocate=preallocate, show=show)
        x = self._solved(lambda: self.setup(**given), show, itershow, niter, damp)
        return x, self.istop, self.iiter, self.r1norm, self.r2norm, self.cost
