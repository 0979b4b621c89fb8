"""What is called while a solver runs."""

import numpy as np

from ..utils.backend import norm2
from ..utils.metrics import mae, mse, psnr, snr

__all__ = [
    "Callbacks",
    "CostNanInfCallback",
    "CostToDataCallback",
    "CostToInitialCallback",
    "MetricsCallback",
]


class Callbacks:
    """Methods that a solver calls before and after what it does. One that sets ``stop`` ends the run."""

    def __init__(self):
        pass

    def on_setup_begin(self, solver, x0):
        """Before ``setup``, with the `x0` that it was given by name."""

    def on_setup_end(self, solver, x):
        """After ``setup``, with the same."""

    def on_step_begin(self, solver, x):
        """Before each ``step``, with its model."""

    def on_step_end(self, solver, x):
        """After each ``step``, with the new model."""

    def on_run_begin(self, solver, x):
        """Before ``run``, with its model."""

    def on_run_end(self, solver, x):
        """After ``run``, with the solution."""


class _Stopping(Callbacks):
    """Ends a run when its last cost is below some limit."""

    def __init__(self, rtol):
        self.rtol = rtol
        self.stop = False

    def _against(self, solver):
        raise NotImplementedError

    def on_step_end(self, solver, x):
        if solver.cost[-1] < self.rtol * self._against(solver):
            self.stop = True


class CostToInitialCallback(_Stopping):
    """Ends a run when its cost is below `rtol` times the first one."""

    def _against(self, solver):
        return solver.cost[0]


class CostToDataCallback(_Stopping):
    """Ends a run when its cost is below `rtol` times the norm of the data."""

    def on_setup_end(self, solver, x):
        self.ynorm = norm2(solver.y)

    def _against(self, solver):
        return self.ynorm


class CostNanInfCallback(Callbacks):
    """Ends a run when its cost is not a finite number."""

    def __init__(self):
        self.stop = False

    def on_step_end(self, solver, x):
        if not np.isfinite(solver.cost[-1]):
            self.stop = True


class MetricsCallback(Callbacks):
    """How far each model is from the true one, in the lists of ``metrics``.

    Parameters
    ----------
    xtrue : ndarray
        The true model.
    Op : LinearOperator, optional
        What is applied to a model before.
    which : tuple, optional
        Names of metrics.
    """

    _METRICS = {"mae": mae, "mse": mse, "snr": snr, "psnr": psnr}

    def __init__(self, xtrue, Op=None, which=("mae", "mse", "snr", "psnr")):
        self.xtrue, self.Op, self.which = xtrue, Op, which
        self.metrics = {name: [] for name in self._METRICS if name in which}

    def on_step_end(self, solver, x):
        if self.Op is not None:
            x = self.Op * x
        for name, values in self.metrics.items():
            values.append(self._METRICS[name](self.xtrue, x))


def _callback_stop(callbacks):
    """Whether one of them has asked for the end."""
    return any(getattr(callback, "stop", False) for callback in callbacks or ())
