"""Sparse models by iterative thresholds, in steps."""

import numpy as np

from ..linearoperator import LinearOperator, aslinearoperator
from ..utils.backend import get_real_dtype, to_numpy
from ._runs import Problem, engines, working_dtype
from ._stepping import Stepping

_KINDS = ("hard", "soft", "half", "hard-percentile", "soft-percentile", "half-percentile")


class _Columns(LinearOperator):
    """An operator on each of several columns."""

    def __init__(self, Op, count):
        rows, columns = Op.shape
        super().__init__(dtype=Op.dtype, dims=(columns, count), dimsd=(rows, count), clinear=Op.clinear)
        self.Op, self.count = Op, count

    def _matvec(self, x):
        return self.Op.matmat(x.reshape(self.dims)).reshape(-1)

    def _rmatvec(self, y):
        return self.Op.rmatmat(y.reshape(self.dimsd)).reshape(-1)

    def _build(self, dtype, like):
        native = self.Op._native(dtype, like)
        return None if native is None else native.lifted(trailing=self.count)


class ISTA(Stepping):
    """``min ||y - Op x||**2 + eps ||x||_p**p`` by steps along the gradient and a threshold, or of ``SOp.H x``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    _method = "ista"

    def memory_usage(self, show=False, unit="B"):
        return self._memory(4, 2, show, unit)

    def setup(
        self,
        y,
        x0=None,
        niter=None,
        SOp=None,
        eps=0.1,
        alpha=None,
        eigsdict=None,
        tol=1e-10,
        threshkind="soft",
        perc=None,
        decay=None,
        monitorres=False,
        preallocate=False,
        show=False,
    ):
        """Takes data and parameters.

        Parameters
        ----------
        y : ndarray
            Data, of one column or several.
        x0 : ndarray, optional
            Where to begin.
        niter : int, optional
            The most iterations of ``run``.
        SOp : LinearOperator, optional
            The basis in which the model is sparse.
        eps : float, optional
            The weight of the norm.
        alpha : float, optional
            The length of steps, by default the inverse of the largest eigenvalue of ``Op.H Op``.
        eigsdict : dict, optional
            Parameters of `LinearOperator.eigs`, which finds that.
        tol : float, optional
            The change of the model at which ``run`` ends.
        threshkind : str, optional
            ``"soft"``, ``"hard"`` or ``"half"``, by their level or, with ``"-percentile"``, keeping `perc` percent.
        perc : float, optional
            The share of a threshold of that kind.
        decay : ndarray, optional
            What the threshold is multiplied by in each iteration.
        monitorres : bool, optional
            Whether a residual that increases is an error.
        preallocate : bool, optional
            Whether what ``run`` works in stays with the operator, for the next one.
        show : bool, optional
            Whether parameters are printed.

        Returns
        -------
        ndarray
            The model to begin with.
        """
        if threshkind not in _KINDS:
            raise ValueError(f"`threshkind` must be one of {', '.join(_KINDS)}, got {threshkind}")
        if threshkind.endswith("-percentile") and perc is None:
            raise ValueError(
                "Provide a percentile when choosing hard-percentile, soft-percentile, or half-percentile thresholding"
            )
        self._take(y, preallocate)
        self.niter, self.SOp, self.eps, self.tol = niter, SOp, eps, tol
        self.threshkind, self.perc, self.monitorres = threshkind, perc, monitorres
        self.eigsdict = eigsdict or {}
        self._model = (self.Op.shape[1], *y.shape[1:])
        if x0 is not None and (x0.ndim != y.ndim or x0.shape[0] != self.Op.shape[1]):
            raise ValueError(f"Operator and input vector have different shapes: {x0.shape} for models {self._model}")
        Op = aslinearoperator(self.Op)
        basis = None if SOp is None else aslinearoperator(SOp)
        if y.ndim > 1:
            Op = _Columns(Op, y.shape[1])
            basis = None if SOp is None else _Columns(basis, y.shape[1])
        if alpha is not None:
            self.alpha = alpha
        elif getattr(self, "alpha", None) is None:
            self.alpha = 1.0 / self._largest()
        self.thresh = eps * self.alpha * 0.5
        self.decay = np.ones(niter or 1, dtype=get_real_dtype(self.Op.dtype)) if decay is None else decay
        flat = y.reshape(-1)
        run = dict(weight=float(eps), step=float(self.alpha), threshold=threshkind.partition("-")[0])
        if threshkind.endswith("-percentile"):
            run["keep"] = float(perc)
        elif decay is not None:
            run["decay"] = np.atleast_1d(to_numpy(decay)).astype(float).tolist()
        if basis is not None:
            run["basis"] = engines(basis, working_dtype(Op, flat), flat)
        start = None if x0 is None else x0.reshape(-1)
        problem = Problem(self._method, Op, flat, start, preallocate=self.preallocate, **run)
        self._begin(problem, niter)
        self.cost = []
        self._last = self._update = np.inf
        if show:
            self._print_head(
                f" ({threshkind} thresholding)",
                f"eps = {eps:10e}\ttol = {tol:10e}\tniter = {niter}",
                f"alpha = {self.alpha:10e}",
            )
        return self.ncp.zeros(self._model, dtype=problem.dtype) if x0 is None else x0.astype(problem.dtype)

    def _largest(self):
        """The largest eigenvalue of ``Op.H Op``."""
        return float(abs((self.Op.H @ self.Op).eigs(neigs=1, symmetric=True, **self.eigsdict)[0]))

    def _shape(self, x):
        return x.reshape(self._model)

    def _start(self, seen):
        self._last = seen.residual

    def _note(self, seen, x):
        if self.monitorres and seen.residual > self._last:
            raise ValueError(
                f"{type(self).__name__} stopped at iteration {self.iiter} due to residual increasing, "
                "consider modifying eps and/or alpha..."
            )
        self._last = seen.residual
        # The gradient is the last step over its length.
        self._update = seen.gradient * self.alpha
        self._costs = 0.5 * seen.residual * seen.residual, self.eps * float(to_numpy(self.ncp.linalg.norm(x, ord=1)))
        self.cost.append(sum(self._costs))

    def _within(self):
        return self._update <= self.tol

    def _print_step(self, x):
        self._print_row(x, self._costs[0], self.cost[-1], self._update)

    def step(self, x, show=False):
        """One iteration: the new model of the last one, and how far it is from that."""
        return self._iterate(show), self._update

    def _step_again(self, x, shown):
        return self.step(x, shown)[0]

    def run(self, x, niter=None, show=False, itershow=(10, 10, 10)):
        """Steps until `niter`, the tolerance, or the end of what can be gained."""
        if self._leads_itself([ISTA, FISTA]):
            return self._steps_on(x, niter, show, itershow)
        # Costs are of each model.
        return self._shape(self._run_whole(x, niter, show, itershow, looking=True).x)

    def solve(
        self,
        y,
        x0=None,
        niter=None,
        SOp=None,
        eps=0.1,
        alpha=None,
        eigsdict=None,
        tol=1e-10,
        threshkind="soft",
        perc=None,
        decay=None,
        monitorres=False,
        preallocate=False,
        show=False,
        itershow=(10, 10, 10),
    ):
        """``(x, iiter, cost)``: the solution, the iterations, and ``||y - Op x||**2 / 2 + eps ||x||_1`` after each.

        See ``setup`` and ``run``."""
        x = self.setup(
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
        )
        x = self.run(x, niter, show=show, itershow=itershow)
        self.finalize(show)
        return x, self.iiter, self.cost


class FISTA(ISTA):
    """`ISTA` with the momentum of Nesterov."""

    _method = "fista"

    def memory_usage(self, show=False, unit="B"):
        return self._memory(5, 2, show, unit)

    def step(self, x, z, show=False):
        """One iteration: the new model of the last one, once more (the engine keeps the auxiliary model itself), and how
        far it is from that."""
        x = self._iterate(show)
        return x, x, self._update

    def _step_again(self, x, shown):
        return self.step(x, x, shown)[0]
