"""Basis pursuit, basis pursuit denoising and the lasso."""

from ... import solvers
from ..linearoperator import aslinearoperator
from ._runs import engines, shaped, working_dtype
from .basesolver import Solver


class SPGL1(Solver):
    """The least ``||x||_1`` with ``||y - Op x|| <= sigma``, or, with `tau`, the least misfit with ``||x||_1 <= tau``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, show=False, unit="B"):
        return self._memory(4, 3, show, unit)

    def setup(self, y, SOp=None, tau=0, sigma=0, show=False):
        """Takes data, the basis in which the model is sparse, and one of the constraints."""
        self._take(y)
        self.SOp, self.tau, self.sigma = SOp, tau, sigma
        if show:
            self._print_head("", f"SOp={SOp}", f"tau={tau}     sigma={sigma}")

    def step(self):
        raise NotImplementedError("SPGL1 has no steps of its own. Use directly run or solve.")

    def run(self, x, show=False, iter_lim=None, opt_tol=1e-4, bp_tol=1e-6, **others):
        """``(xinv, pinv, info)``: the model, its coefficients, and what the run was.

        Parameters
        ----------
        x : ndarray or None
            Accepted: the problem is convex, and begins at zero.
        show : bool, optional
            Whether the result is printed.
        iter_lim : int, optional
            The most iterations, by default ten for each datum.
        opt_tol, bp_tol : float, optional
            The tolerances, of which the lower one counts.
        **others
            Accepted, as far as ``spgl1`` has them.
        """
        Op = aslinearoperator(self.Op if self.SOp is None else self.Op @ aslinearoperator(self.SOp).H)
        native = engines(Op, working_dtype(Op, self.y), self.y)
        solution = solvers.spgl1(
            native,
            shaped(self.y, native.range),
            misfit=None if self.tau else float(self.sigma),
            norm=float(self.tau) if self.tau else None,
            iterations=10 * self.y.size if iter_lim is None else int(iter_lim),
            tolerance=float(min(opt_tol, bp_tol)),
        )
        p = solution.x.reshape(-1)
        x = p.copy() if self.SOp is None else self.SOp.rmatvec(p)
        self.iiter = solution.iterations
        rest = self.y - Op.matvec(p)
        info = {
            "tau": float(self.ncp.linalg.norm(p, ord=1)),
            "rnorm": float(self.ncp.linalg.norm(rest)),
            "iterations": solution.iterations,
            "niters": solution.iterations,
            "stat": str(solution.stopped),
        }
        if show:
            print(f"SPGL1: {info}")
        return x, p, info

    def solve(self, y, x0=None, SOp=None, tau=0.0, sigma=0, show=False, **kwargs_spgl1):
        """``(xinv, pinv, info)``. See ``setup`` and ``run``."""
        self.setup(y=y, SOp=SOp, tau=tau, sigma=sigma, show=show)
        result = self.run(x0, show=show, **kwargs_spgl1)
        self.finalize(show)
        return result
