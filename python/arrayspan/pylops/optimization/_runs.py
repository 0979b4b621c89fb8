"""The engine's solvers on the arrays that PyLops's solvers take: whole runs, and runs that the caller leads."""

import atexit
import threading
from queue import SimpleQueue

import numpy as np

from ... import Space, operators, solvers
from .. import _dtypes
from ..linearoperator import aslinearoperator
from ..utils.backend import get_array_module, get_module_name
from ._kept import workspace

# The most iterations of a run whose end someone else decides.
_ENDLESS = 2**31


def working_dtype(Op, *arrays):
    """The dtype of a run: one for everything, which holds what the operator and all arrays need."""
    given = np.result_type(*(array.dtype for array in arrays if array is not None))
    computed = Op._dtype_for(given)
    return _dtypes.promoted(given, Op.dtype if computed is None else computed)


def engines(Op, dtype, like):
    """The operator in the engine: made there, or one that calls back."""
    native = Op._native(dtype, like)
    if native is not None:
        return native
    rows, columns = Op.shape

    def called(method):
        return lambda x: _dtypes.cast(method(x), dtype)

    library = get_module_name(get_array_module(like))
    return operators.from_functions(
        Space((columns,), dtype),
        Space((rows,), dtype),
        called(Op.matvec),
        called(Op.rmatvec),
        type(Op).__name__,
        complex_linear=Op.clinear,
        library=None if library == "numpy" else library,
    )


def shaped(x, space):
    """A flat array as the engine takes it: in the dtype and shape of a space."""
    return None if x is None else _dtypes.cast(x, np.dtype(space.dtype)).reshape(space.shape)


class Problem:
    """What one of the engine's solvers is asked to do.

    Parameters
    ----------
    method : str
        The name of the solver in ``arrayspan.solvers``.
    Op : LinearOperator
        The operator.
    y : ndarray
        Data.
    x0 : ndarray or None
        Where to begin.
    change : callable, optional
        What is made of the engine's operator before: ``change(native, dtype)``.
    applied : tuple, optional
        How often an iteration applies the operator and its adjoint.
    preallocate : bool, optional
        Whether whole runs work in what is kept with the operator.
    **parameters
        Those of the solver.
    """

    def __init__(self, method, Op, y, x0, change=None, applied=(1, 1), preallocate=False, **parameters):
        # Before it is wrapped: who asks again has that one.
        self._kept_with = Op if preallocate else None
        self.Op = Op = aslinearoperator(Op)
        self.dtype = working_dtype(Op, y, x0)
        native = engines(Op, self.dtype, y)
        # What calls back is counted there.
        self._applied = applied if Op._native(self.dtype, y) is native else (0, 0)
        self.native = native if change is None else change(native, self.dtype)
        self._data = shaped(y, self.native.range)
        self._start = shaped(x0, self.native.domain)
        self._method, self._solve, self._parameters = method, getattr(solvers, method), parameters

    def count(self, iterations):
        """Counts the applications of so many iterations."""
        for adjoint, each in enumerate(self._applied):
            if each and iterations:
                self.Op._tick(bool(adjoint), times=each * iterations)

    def solve(self, iterations, callback=None, check_every=10, absolute=0.0):
        """A whole run of at most so many iterations; `callback` ends it with `True`."""
        if self._kept_with is None:
            return self._run(iterations, callback, check_every, absolute)
        with workspace(self._kept_with, self._method) as kept:
            return self._run(iterations, callback, check_every, absolute, workspace=kept)

    def _run(self, iterations, callback, check_every, absolute, **where):
        return self._solve(
            self.native,
            self._data,
            self._start,
            callback=callback,
            iterations=max(iterations, 0),
            residual=0.0,
            absolute=absolute,
            gradient=0.0,
            check_every=check_every,
            **self._parameters,
            **where,
        )


# How runs that are led, whose threads have not ended, are ended.
_endings = {}


@atexit.register
def _end_all():
    """Ends what is led before the interpreter goes: it would end threads in the middle of the engine, which aborts the process."""
    for thread, end in list(_endings.items()):
        end()
        thread.join()


class Led:
    """A run that the caller leads, iteration by iteration.

    The run waits in a thread of its own, in the callback that the engine makes after each iteration: for the next `step`, or for
    the end of this.
    """

    def __init__(self, problem):
        self._problem = problem
        self._seen, self._go = SimpleQueue(), threading.Semaphore(0)
        ended = threading.Event()
        seen, go = self._seen, self._go

        def end():
            ended.set()
            go.release()

        def look(progress):
            seen.put((progress.iteration, progress.residual, progress.gradient, progress.solution(), progress.stopped))
            go.acquire()
            return ended.is_set()

        def work():
            _endings[threading.current_thread()] = end
            try:
                problem._run(_ENDLESS, look, 1, 0.0)
                seen.put(None)
            except BaseException as error:  # noqa: BLE001  (it is raised where the run is led)
                seen.put(error)
            _endings.pop(threading.current_thread(), None)

        self._end = end
        threading.Thread(target=work, name="arrayspan.pylops", daemon=True).start()
        self.going = True
        self._take()

    def _take(self):
        got = self._seen.get()
        if isinstance(got, BaseException):
            self.going = False
            raise got
        if got is None:
            self.going = False
            return
        self.iteration, self.residual, self.gradient, x, stopped = got
        self.x = x.reshape(-1)
        if stopped is not None:
            self.going = False
            self._go.release()

    def step(self):
        """One iteration, unless the run is over; whether there may be another one."""
        if self.going:
            before = self.iteration
            self._go.release()
            self._take()
            self._problem.count(self.iteration - before)
        return self.going

    def __del__(self):
        self._end()
