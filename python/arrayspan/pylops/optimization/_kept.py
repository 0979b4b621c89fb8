"""Workspaces of solvers, kept with the operators that they were made for."""

import contextlib
import weakref

from ... import solvers

# Those that no run has, by operator and solver. They go with the operator.
_KEPT = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def workspace(Op, method):
    """One for a run of that solver with that operator: what a run before has left, if there is such, and nobody else has it."""
    try:
        own = _KEPT.setdefault(Op, {})
    except TypeError:  # Of a class without hashes or weak references: nothing stays.
        own = {}
    # Taken out, so that runs in several threads have one each.
    made = own.pop(method, None) or solvers.Workspace()
    yield made
    own[method] = made
