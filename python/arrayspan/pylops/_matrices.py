"""What is asked of an operator as a matrix: its solution, its elements, its spectrum.

Eigenvalues of what is neither explicit nor known to be self-adjoint are SciPy's, which is imported then: the engine has none.
"""

import numpy as np

from .utils.backend import get_array_module, get_module


def _is_sparse(a):
    return hasattr(a, "toarray")


def divide(op, y, niter):
    """The least-squares solution of ``op x = y``."""
    if not op.explicit:
        from .optimization._least_squares import lsqr

        return lsqr(op, y, niter=niter, atol=1e-8, btol=1e-8)[0]
    if _is_sparse(op.A):
        from importlib import import_module

        where = "scipy" if get_array_module(y) is np else "cupyx.scipy"
        return import_module(where + ".sparse.linalg").spsolve(op.A.tocsc(), y)
    module = get_array_module(y)
    if op.A.shape[0] == op.A.shape[1]:
        return module.linalg.solve(op.A, y)
    return module.linalg.lstsq(op.A, y, rcond=None)[0]


def dense(op, backend):
    """The matrix: the operator applied to the columns, or its adjoint to the rows, whatever is less."""
    module = get_module(backend)
    rows, columns = op.shape
    identity = module.eye(min(rows, columns), dtype=op.dtype)
    if columns <= rows:
        return op.matmat(identity)
    return module.conj(op.rmatmat(identity)).T


def sparse(op):
    """The matrix, of which a block of columns is dense at a time."""
    from scipy.sparse import csr_matrix, hstack

    columns, block = op.shape[1], 256
    parts = []
    for first in range(0, columns, block):
        some = np.zeros((columns, min(block, columns - first)), dtype=op.dtype)
        some[first + np.arange(some.shape[1]), np.arange(some.shape[1])] = 1
        parts.append(csr_matrix(op.matmat(some)))
    return hstack(parts, format="csr", dtype=op.dtype) if parts else csr_matrix(op.shape, dtype=op.dtype)


def _descending(values):
    return -np.sort(-values)


# The engine's names of the ends of a spectrum.
_ENDS = {"LM": "largest magnitude", "LA": "largest", "SA": "smallest", "BE": "both ends"}


def _by_engine(op, native, count, niter, options):
    """By the engine: of a self-adjoint operator eigenvalues, of one that is not square singular values. `None` if the
    engine does not have what `options` ask for."""
    from .. import solvers

    square = op.shape[0] == op.shape[1]
    which, tol = options.get("which", "LM"), options.get("tol", 0)
    if not square:
        which = {"LM": "largest", "LA": "largest", "SM": "smallest", "SA": "smallest"}.get(which)
    elif which == "SM":
        which = "smallest" if native.properties["positive"] else None
    else:
        which = _ENDS.get(which)
    if which is None or set(options) - {"which", "tol", "largest"}:
        return None
    if "largest" in options:
        which = "largest" if options["largest"] else "smallest"
    given = {"restarts": niter} if niter else {}
    if tol:
        given["tolerance"] = tol
    values = (solvers.eigs if square else solvers.svds)(native, count, which=which, **given).values
    return np.array(values)


def eigenvalues(op, neigs, symmetric, niter, uselobpcg, options):
    """The largest eigenvalues; of an operator that is not square the largest singular values."""
    rows, columns = op.shape
    square = rows == columns
    if square and uselobpcg and not symmetric and np.iscomplexobj(op):
        raise ValueError("Cannot use scipy.sparse.linalg.lobpcg for non-symmetric square matrices of complex type...")
    explicit = op.explicit and isinstance(op.A, np.ndarray)
    if explicit and neigs in (None, columns):
        return _descending(np.linalg.eigvals(op.A) if square else np.linalg.svd(op.A, compute_uv=False))
    if not explicit and (neigs is None or neigs >= columns):
        neigs = columns - 2
    from .optimization._runs import engines, working_dtype

    some = np.empty(0, dtype=op.dtype)
    native = engines(op, working_dtype(op, some), some)
    if symmetric or not square or native.properties["self_adjoint"]:
        if uselobpcg:
            options = {"largest": True, **options}
        values = _by_engine(op, native, min(neigs, rows, columns), niter, options)
        if values is not None:
            return _descending(values)
    return _descending(_by_scipy(op, neigs, symmetric, niter, uselobpcg, options))


def _by_scipy(op, neigs, symmetric, niter, uselobpcg, options):
    """By SciPy: of what is not self-adjoint, and with options that the engine has not."""
    from scipy.sparse.linalg import LinearOperator, eigs, eigsh, lobpcg

    square = op.shape[0] == op.shape[1]
    # The eigenvalues of ``A.H A`` are the squares of the singular values.
    whole = op if square else op.H @ op
    matrix = LinearOperator(
        whole.shape, matvec=whole.matvec, rmatvec=whole.rmatvec, matmat=whole.matmat, dtype=op.dtype
    )
    if uselobpcg and (symmetric or not square):
        start = np.random.rand(op.shape[1], neigs).astype(op.dtype)
        values = lobpcg(matrix, X=start, maxiter=niter, **options)[0]
    else:
        find = eigsh if symmetric or not square else eigs
        values = find(matrix, k=neigs, maxiter=niter, return_eigenvectors=False, **options)
    return values if square else np.sqrt(np.maximum(values, 0))


def condition(op, uselobpcg, options):
    """The largest eigenvalue over the least one."""
    ends = [dict(largest=True), dict(largest=False)] if uselobpcg else [dict(which="LM"), dict(which="SM")]
    most, least = (op.eigs(neigs=1, uselobpcg=uselobpcg, **end, **options).item() for end in ends)
    return most / least


def trace(op, neval, method, backend, options):
    """The trace of a square operator."""
    if op.shape[0] != op.shape[1]:
        raise ValueError(f"Operator must be square, got {op.shape}")
    method = method or ("explicit" if op.explicit else "hutch++")
    if method.lower() == "explicit":
        return get_module(backend).trace(op.A if op.explicit else op.todense(backend=backend))
    from .utils import estimators

    estimates = {
        "hutchinson": estimators.trace_hutchinson,
        "hutch++": estimators.trace_hutchpp,
        "na-hutch++": estimators.trace_nahutchpp,
    }
    if method.lower() not in estimates:
        raise NotImplementedError(f"`method={method}` not available.")
    return estimates[method.lower()](op, neval=neval, backend=backend, **options)
