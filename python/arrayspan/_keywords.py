"""What is said of a keyword that a solver does not have."""

import difflib
import inspect

#: What other libraries call what solvers here have under other names.
_ELSEWHERE = {
    "M": "preconditioner",
    "atol": "absolute",
    "damp": "damping",
    "iter_lim": "iterations",
    "maxiter": "iterations",
    "niter": "iterations",
    "rtol": "residual",
    "tol": "residual",
    "x0": "start",
}


def unexpected(solver, keyword, shared):
    """The text of the error: the keyword that was meant, if one is near, and all that the solver has."""
    from arrayspan import solvers

    parameters = list(inspect.signature(getattr(solvers, solver)).parameters.values())
    # Behind the operator and the data.
    own = [each.name for each in parameters[2:] if each.kind is not each.VAR_KEYWORD]
    known = [*own, *shared]
    near = [_ELSEWHERE.get(keyword), *difflib.get_close_matches(keyword, known, 1)]
    meant = next((name for name in near if name in known), None)
    hint = "; it" if meant is None else f": did you mean '{meant}'? It"
    return f"{solver}() got an unexpected keyword argument '{keyword}'{hint} takes {', '.join(known)}"
