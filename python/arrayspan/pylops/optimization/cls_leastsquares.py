"""Least squares with regularisation, weights and preconditioners."""

import numpy as np

from ..basicoperators import Diagonal, VStack
from . import _least_squares
from .basesolver import Solver
from .basic import cg, cgls

__all__ = ["NormalEquationsInversion", "RegularizedOperator", "RegularizedInversion", "PreconditionedInversion"]


def _expect_engine(engine):
    if engine not in ("scipy", "pylops"):
        raise NotImplementedError("`engine` must be scipy or pylops")


def _terms(module, Regs, dataregs, epsRs):
    """The regularisations ``(eps, operator, data)``, of data zero and weight 1 where none are given."""
    Regs = list(Regs or ())
    counts = {len(Regs), *(len(given) for given in (dataregs, epsRs) if given is not None and Regs)}
    if len(counts) > 1:
        raise ValueError("Regs, dataregs, and epsRs must have the same size")
    if dataregs is None:
        dataregs = [module.zeros(Reg.shape[0], dtype=Reg.dtype) for Reg in Regs]
    if epsRs is None:
        epsRs = [1] * len(Regs)
    return list(zip(epsRs, Regs, dataregs)) if Regs else []


def RegularizedOperator(Op, Regs, epsRs=(1,)):
    """``Op`` above regularisations, each times its weight.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    Regs : sequence of LinearOperator
        The regularisations.
    epsRs : sequence of float, optional
        Their weights.
    """
    return VStack([Op, *(epsR * Reg for epsR, Reg in zip(epsRs, Regs, strict=True))], dtype=Op.dtype)


class _Whole(Solver):
    """A solver that is another one on another operator: it has no steps of its own."""

    def step(self):
        raise NotImplementedError(f"{type(self).__name__} has no steps of its own. Use directly run or solve.")

    def _least_squares(self, Op, y, x0, engine, show, options):
        """By the solver that `engine` names, with its parameters."""
        _expect_engine(engine)
        if engine == "scipy" and self.ncp is np:
            return _least_squares.lsqr(Op, y, x0=x0, show=show, **options)
        x, *others = cgls(Op, y, x0=x0, show=show, **options)[:5]
        return (x.reshape(-1), *others)


class NormalEquationsInversion(_Whole):
    """``(Op.H W Op + sum eps**2 R.H R + sum epsN**2 N + epsI**2 I) x = Op.H W y + sum eps**2 R.H d`` by conjugate gradients.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, nopRegs=None, show=False, unit="B"):
        return self._memory(7, 0, show, unit) + int(np.sum(nopRegs or 0)) * np.dtype(self.Op.dtype).itemsize

    def setup(
        self,
        y,
        Regs,
        Weight=None,
        dataregs=None,
        epsI=0,
        epsRs=None,
        NRegs=None,
        epsNRs=None,
        show=False,
    ):
        """Takes data, regularisations `Regs` with their data and weights, the weights of data, and normal ones `NRegs`."""
        self._take(y)
        self.Regs, self.epsI = Regs, epsI
        Op = self.Op if Weight is None else Weight @ self.Op
        self.OpH = self.Op.H
        self.y_normal = self.Op.rmatvec(y if Weight is None else Weight.matvec(y))
        self.Op_normal = self.OpH @ Op
        if epsI > 0:
            ones = self.ncp.ones(self.Op.dims, dtype=self.Op.dtype)
            self.Op_normal = self.Op_normal + epsI**2 * Diagonal(ones, dtype=self.Op.dtype)
        terms = _terms(self.ncp, Regs, dataregs, epsRs)
        self.epsRs, self.dataregs = [term[0] for term in terms], [term[2] for term in terms]
        for epsR, Reg, data in terms:
            self.y_normal = self.y_normal + epsR**2 * Reg.rmatvec(data)
            self.Op_normal = self.Op_normal + epsR**2 * (Reg.H @ Reg)
        if NRegs is not None and epsNRs is not None:
            for epsNR, NReg in zip(epsNRs, NRegs, strict=True):
                self.Op_normal = self.Op_normal + epsNR**2 * NReg
        if show:
            self._print_head("", f"Regs={Regs}", f"epsRs={self.epsRs}     epsI={epsI}")

    def run(self, x, engine="scipy", show=False, **kwargs_solver):
        """``(x, istop)``, with the parameters of the solver that `engine` names."""
        _expect_engine(engine)
        if engine == "scipy" and self.ncp is np:
            if "tol" in kwargs_solver:
                kwargs_solver["atol"] = kwargs_solver.pop("tol")
            return _least_squares.cg(self.Op_normal, self.y_normal, x0=x, show=show, **kwargs_solver)
        return cg(self.Op_normal, self.y_normal, x0=x, show=show, **kwargs_solver)[0].reshape(-1), None

    def solve(
        self,
        y,
        Regs,
        x0=None,
        Weight=None,
        dataregs=None,
        epsI=0,
        epsRs=None,
        NRegs=None,
        epsNRs=None,
        engine="scipy",
        show=False,
        **kwargs_solver,
    ):
        """``(x, istop)``. See ``setup`` and ``run``."""
        self.setup(
            y=y,
            Regs=Regs,
            Weight=Weight,
            dataregs=dataregs,
            epsI=epsI,
            epsRs=epsRs,
            NRegs=NRegs,
            epsNRs=epsNRs,
            show=show,
        )
        x, istop = self.run(x0, engine=engine, show=show, **kwargs_solver)
        self.finalize(show)
        return x, istop


class RegularizedInversion(_Whole):
    """``min ||W (y - Op x)||**2 + sum ||eps (d - R x)||**2``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, nopRegs=None, show=False, unit="B"):
        return self._memory(5, 4, show, unit) + 4 * int(np.sum(nopRegs or 0)) * np.dtype(self.Op.dtype).itemsize

    def setup(self, y, Regs, Weight=None, dataregs=None, epsRs=None, show=False):
        """Takes data, regularisations `Regs` with their data and weights, and the weights of data."""
        self._take(y)
        self.Regs = Regs
        terms = _terms(self.ncp, Regs, dataregs, epsRs)
        self.epsRs, self.dataregs = [term[0] for term in terms], [term[2] for term in terms]
        Op = self.Op if Weight is None else Weight @ self.Op
        self.RegOp = RegularizedOperator(Op, [term[1] for term in terms], self.epsRs) if terms else Op
        data = y if Weight is None else Weight.matvec(y)
        self.datatot = self.ncp.hstack([data, *(epsR * dataR for epsR, _, dataR in terms)])
        if show:
            self._print_head("", f"Regs={Regs}", f"epsRs={self.epsRs}")

    def run(self, x, engine="scipy", show=False, **kwargs_solver):
        """``(x, istop, itn, r1norm, r2norm)``, with the parameters of the solver that `engine` names."""
        return self._least_squares(self.RegOp, self.datatot, x, engine, show, kwargs_solver)

    def solve(
        self,
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
        """``(x, istop, itn, r1norm, r2norm)``. See ``setup`` and ``run``."""
        self.setup(y=y, Regs=Regs, Weight=Weight, dataregs=dataregs, epsRs=epsRs, show=show)
        result = self.run(x0, engine=engine, show=show, **kwargs_solver)
        self.finalize(show)
        return result


class PreconditionedInversion(_Whole):
    """``x = P p`` with ``min ||y - Op P p||**2``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def memory_usage(self, show=False, unit="B"):
        return self._memory(5, 4, show, unit)

    def setup(self, y, P, show=False):
        """Takes data and the preconditioner."""
        self._take(y)
        self.P = P
        self.POp = self.Op @ P
        if show:
            self._print_head("", f"Prec={P}")

    def run(self, x, engine="scipy", show=False, **kwargs_solver):
        """``(x, istop, itn, r1norm, r2norm)``, from the `p` that it is given on."""
        p, *others = self._least_squares(self.POp, self.y, x, engine, show, kwargs_solver)
        return (self.P.matvec(p), *others)

    def solve(self, y, P, x0=None, engine="scipy", show=False, **kwargs_solver):
        """``(x, istop, itn, r1norm, r2norm)``. See ``setup`` and ``run``."""
        self.setup(y=y, P=P, show=show)
        result = self.run(x0, engine=engine, show=show, **kwargs_solver)
        self.finalize(show)
        return result
