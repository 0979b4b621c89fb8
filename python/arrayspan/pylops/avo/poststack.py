"""Poststack seismic data of an acoustic impedance, and back."""

from math import prod

import numpy as np

from ..basicoperators import FirstDerivative, Laplacian, MatrixMult, SecondDerivative
from ..optimization.leastsquares import regularized_inversion
from ..optimization.sparsity import splitbregman
from ..signalprocessing.convolve1d import Convolve1D
from ..utils.backend import get_array_module, get_lstsq, get_module_name
from ..utils.dottest import dottest as check
from ..utils.signalprocessing import convmtx, nonstationary_convmtx

__all__ = ["PoststackLinearModelling", "PoststackInversion"]


def _derivative(size, kind, dtype, module):
    """The matrix of the derivative along time."""
    matrix = module.eye(size, k=1, dtype=dtype)
    if kind == "centered":
        matrix = (matrix - module.eye(size, k=-1, dtype=dtype)) / 2
        matrix[0] = 0
    else:
        matrix = matrix - module.eye(size, dtype=dtype)
    matrix[-1] = 0
    return matrix


def PoststackLinearModelling(
    wav, nt0, spatdims=None, explicit=False, sparse=False, kind="centered", name=None
):
    """Seismic traces of the logarithm of an impedance: its derivative along time, convolved with a wavelet.

    Parameters
    ----------
    wav : ndarray
        The wavelet, or one for each time.
    nt0 : int
        Samples of time.
    spatdims : int or tuple, optional
        The extents of the axes that follow.
    explicit : bool, optional
        Whether a matrix is made.
    sparse : bool, optional
        Whether that is sparse.
    kind : str, optional
        ``"centered"`` or ``"forward"`` derivative.
    name : str, optional
        What `describe` calls it.
    """
    module, dtype = get_array_module(wav), wav.dtype
    if kind not in ("forward", "centered"):
        raise NotImplementedError(f"{kind} not an available derivative kind...")
    if wav.ndim == 2 and wav.shape[0] != nt0:
        raise ValueError("Must provide 1d wavelet or 2d wavelet composed of nt0 wavelets")
    spatdims = (spatdims,) if isinstance(spatdims, (int, np.integer)) else spatdims
    dims = (nt0, *(spatdims or ()))

    def matrix_of_wavelets():
        if wav.ndim == 1:
            return convmtx(wav, nt0, len(wav) // 2)[:nt0]
        return nonstationary_convmtx(wav, nt0, hc=wav.shape[1] // 2, pad=(nt0, nt0))

    def multiplication(matrix):
        if sparse:
            from ..utils.backend import get_csc_matrix

            matrix = get_csc_matrix(wav)(matrix)
        return MatrixMult(matrix, otherdims=spatdims, dtype=dtype)

    if explicit:
        op = multiplication(matrix_of_wavelets() @ _derivative(nt0, kind, dtype, module))
    else:
        if wav.ndim == 1:
            wavelets = Convolve1D(dims, h=wav, offset=len(wav) // 2, axis=0, dtype=dtype)
        else:
            wavelets = multiplication(matrix_of_wavelets())
        op = wavelets @ FirstDerivative(dims, axis=0, kind=kind, dtype=dtype)
    op.name = name
    return op


def _directly(op, data, epsI, simultaneous, module, options):
    """Least squares by the matrix: of all traces at once, or of one after the other."""
    nt0 = op.A.shape[0]
    if epsI is None and simultaneous:
        return _iteratively(op, data.ravel(), module, options)
    if epsI is None:
        return get_lstsq(data)(op.A, data.squeeze(), **options)[0]
    normal = op.A.T @ op.A + epsI * module.eye(nt0, dtype=op.A.dtype)
    data = op.A.T @ data
    if not simultaneous:
        return get_lstsq(data)(normal, data, **options)[0]
    return _iteratively(MatrixMult(normal, otherdims=data.shape[1]), data.ravel(), module, options)


def _iteratively(op, data, module, options):
    return regularized_inversion(op, data, None, **options)[0]


def _smoothly(op, dims, data, m0, epsR, options):
    """Least squares with a second derivative across traces, or along the only one."""
    if len(dims) == 1:
        across = SecondDerivative(dims, dtype=op.dtype)
    else:
        across = Laplacian(dims, axes=(-2, -1), dtype=op.dtype)
    return regularized_inversion(op, data, [across], x0=m0, epsRs=[epsR], **options)[0]


def _blocky(op, dims, data, m0, epsR, epsRL1, options):
    """Few jumps along time, and a second derivative across traces."""
    along = FirstDerivative(dims, axis=0, kind="forward", dtype=op.dtype)
    across = [
        [],
        [SecondDerivative(dims, axis=1, dtype=op.dtype)] if len(dims) == 2 else [],
        [Laplacian(dims, axes=(1, 2), dtype=op.dtype)] if len(dims) == 3 else [],
    ][len(dims) - 1]

    def listed(value):
        return list(value) if isinstance(value, (list, tuple)) else [value]

    return splitbregman(
        op,
        data,
        [along],
        RegsL2=across or None,
        epsRL1s=listed(epsRL1),
        epsRL2s=listed(epsR) if across else None,
        mu=options.pop("mu", 1.0),
        niter_outer=options.pop("niter_outer", 3),
        niter_inner=options.pop("niter_inner", 5),
        x0=m0,
        **options,
    )[0]


def PoststackInversion(
    data,
    wav,
    m0=None,
    explicit=False,
    simultaneous=False,
    epsI=None,
    epsR=None,
    dottest=False,
    epsRL1=None,
    **kwargs_solver,
):
    """The logarithm of an impedance of seismic traces.

    Parameters
    ----------
    data : ndarray
        Traces ``(nt0)``, ``(nt0, nx)`` or ``(nt0, nx, ny)``.
    wav : ndarray
        The wavelet, or one for each time.
    m0 : ndarray, optional
        Where to begin.
    explicit : bool, optional
        Whether a matrix is made.
    simultaneous : bool, optional
        Whether all traces are inverted together, where there is a matrix.
    epsI : float, optional
        Damping, where there is a matrix.
    epsR : float, optional
        How smooth it is across traces.
    dottest : bool, optional
        Whether the operator is checked.
    epsRL1 : float, optional
        How blocky it is along time.
    **kwargs_solver
        Parameters of the solver.

    Returns
    -------
    minv : ndarray
        The logarithm of the impedance.
    datar : ndarray
        What is left of the data.
    """
    module = get_array_module(wav)
    if m0 is not None and data.shape != m0.shape:
        raise ValueError("data and m0 must have the same shape")
    dims = data.shape
    op = PoststackLinearModelling(wav, nt0=dims[0], spatdims=dims[1:] or None, explicit=explicit)
    if dottest:
        check(op, *op.shape, raiseerror=True, verb=True, backend=get_module_name(module))
    flat = data.ravel()
    start = None if m0 is None else m0.ravel()
    if epsR is not None:
        if epsRL1 is None:
            model = _smoothly(op, dims, flat, start, epsR, kwargs_solver)
        else:
            model = _blocky(op, dims, flat, start, epsR, epsRL1, kwargs_solver)
        rest = flat - op.matvec(model.ravel())
        return model.reshape(dims), rest.reshape(dims)
    rest = flat if start is None else flat - op.matvec(start)
    if explicit:
        model = _directly(op, rest.reshape(dims[0], prod(dims[1:])), epsI, simultaneous, module, kwargs_solver)
    else:
        model = _iteratively(op, rest, module, kwargs_solver)
    rest = rest - op.matvec(model.ravel())
    model = model.reshape(dims)
    return (model if m0 is None else model + m0), rest.reshape(dims)
