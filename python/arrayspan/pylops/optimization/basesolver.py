"""What solvers have in common."""

import functools
import time
from abc import ABCMeta, abstractmethod

from ..utils.backend import get_array_module, get_module_name, norm2
from .callback import _callback_stop

__all__ = ["Solver"]

_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}


class Solver(metaclass=ABCMeta):
    """A solver in steps: ``setup``, ``step`` as often as one likes or ``run``, ``finalize``; or all by ``solve``.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    callbacks : list of Callbacks, optional
        What is called on the way.
    """

    def __init__(self, Op, callbacks=None):
        self.Op = Op
        self.callbacks = callbacks
        self.iiter = 0
        self.tstart = time.time()
        for name in ("setup", "step", "run"):
            setattr(self, name, self._observed(name, getattr(self, name)))

    def _observed(self, name, method):
        """The method, between the calls of what observes it."""

        def given(args, kwargs):
            if name == "setup":
                return kwargs.get("x0")
            return args[0] if args else kwargs.get("x")

        @functools.wraps(method)
        def observed(*args, **kwargs):
            for callback in self.callbacks or ():
                getattr(callback, f"on_{name}_begin")(self, given(args, kwargs))
            result = method(*args, **kwargs)
            x = result[0] if isinstance(result, tuple) else result
            x = given(args, kwargs) if name == "setup" else x
            for callback in reversed(self.callbacks or ()):
                getattr(callback, f"on_{name}_end")(self, x)
            return result

        return observed

    def _norm(self, x):
        return norm2(x)

    def _take(self, y, preallocate=False):
        """Takes the data. With `preallocate` whole runs of the engine's solvers work in memory that stays with the operator."""
        self.y = y
        self.ncp = get_array_module(y)
        self.isjax = get_module_name(self.ncp) == "jax"
        self.preallocate = bool(preallocate) and not self.isjax

    def _steps(self, x, most, show, itershow, going, step):
        """Steps until `most`, while `going()`, unless a callback ends the run; ``step(x, show)`` gives the next `x`."""
        if most is None:
            raise ValueError("`niter` must not be None")
        first, last, every = itershow
        while self.iiter < most and going():
            shown = show and (self.iiter < first or most - self.iiter < last or self.iiter % every == 0)
            x = step(x, shown)
            if _callback_stop(self.callbacks):
                break
        return x

    def _watched(self):
        """Whether someone looks at each step."""
        return bool(self.callbacks) or "callback" in vars(self) or type(self).callback is not Solver.callback

    def _print_head(self, what, *lines):
        rows, columns = self.Op.shape
        print(f"{type(self).__name__}{what}\n{'-' * 65}\nThe Operator Op has {rows} rows and {columns} cols")
        print("\n".join(lines) + "\n" + "-" * 65)

    def _print_row(self, x, *numbers):
        first = x.reshape(-1)[0].item()
        print(f"{self.iiter:6d}   {first:11.4e}   " + "   ".join(f"{each:11.4e}" for each in numbers))

    def _memory(self, models, data, show, unit):
        """Bytes of so many vectors of models and data; prints them."""
        import numpy as np

        rows, columns = self.Op.shape
        used = int(models * columns + data * rows) * np.dtype(self.Op.dtype).itemsize
        if show:
            print(f"{type(self).__name__} predicted memory usage: {used / _UNITS[unit]:.2f} {unit}")
        return used

    @abstractmethod
    def memory_usage(self, show=False, unit="B"):
        """The bytes that a run takes, beside those of the operator."""

    @abstractmethod
    def setup(self, y, *args, preallocate=False, show=False, **kwargs):
        """Takes data and parameters."""

    @abstractmethod
    def step(self, x, *args, show=False, **kwargs):
        """One iteration."""

    @abstractmethod
    def run(self, x, *args, show=False, **kwargs):
        """Iterations until the end."""

    @abstractmethod
    def solve(self, y, *args, show=False, **kwargs):
        """All of it."""

    def finalize(self, *args, show=False, **kwargs):
        """Takes the time."""
        import numpy as np

        self.tend = time.time()
        self.telapsed = self.tend - self.tstart
        if hasattr(self, "cost"):
            self.cost = np.array(self.cost)
        if show:
            print(f"\nIterations = {self.iiter}        Total time (s) = {self.telapsed:.2f}\n{'-' * 65}\n")

    def callback(self, x, *args, **kwargs):
        """Called after each step of ``run`` with the model: a function of one's own may take its place."""
