"""Proximal operators and methods, by pyproximal 0.13."""

import numpy as np
import pylops
import pyproximal as pp
from pyproximal.optimization.primal import ADMM, LinearizedADMM, ProximalGradient
from pyproximal.optimization.primaldual import PrimalDual

# Steps that 32-bit floats hold exactly: pyproximal rounds them to these.
STEP = 0.75


def proximal(file, dtypes):
    for dtype in dtypes:
        operators(file, dtype)
        methods(file, dtype)
    sets(file)
    return file


def absolute(weight):
    l1 = pp.L1(sigma=weight)
    # The projection of pyproximal 0.13 is right for real numbers only: by Moreau's identity instead.
    l1.proxdual = lambda x, tau: x - tau * l1.prox(x / tau, 1 / tau)
    return l1


def operators(file, dtype):
    def put(case, operator, x, **arrays):
        flat = x.ravel()
        prox, dual = operator.prox(flat.copy(), STEP), operator.proxdual(flat.copy(), STEP)
        value = np.array(operator(flat))
        # Functions by definition, since complex values of some are not what they say.
        file.put(dtype, case, x=x, prox=prox.reshape(x.shape), dual=dual.reshape(x.shape), value=arrays.pop("value", value), **arrays)

    x = 3.0 * file.random((5, 7), dtype)
    put("l1", absolute(1.25), x)
    put("l2", pp.Euclidean(sigma=1.25), x)
    put("l21", pp.L21(ndim=5, sigma=1.25), x)
    put("l21_many", pp.L21(ndim=11, sigma=2.5), 3.0 * file.random((11, 3), dtype))
    target = file.random((5, 7), dtype)
    put("squared_l2", pp.L2(b=target.ravel(), sigma=1.25), x, target=target)
    for case, shape in (("nuclear", (7, 5)), ("nuclear_wide", (3, 8)), ("nuclear_one", (1, 6))):
        x = 2.0 * file.random(shape, dtype)
        put(case, pp.Nuclear(shape, sigma=1.25), x, value=1.25 * np.linalg.norm(x, "nuc"))


def sets(file):
    dtype = "float64"
    x = 3.0 * file.random((5, 7), dtype)

    def put(case, operator, **arrays):
        file.put(dtype, case, x=x, prox=operator.prox(x.ravel().copy(), STEP).reshape(x.shape), **arrays)

    put("bounds", pp.Box(-0.5, 1.25))
    put("simplex", pp.Simplex(x.size, 2.5, maxiter=200, xtol=1e-15))
    put("l1_ball", pp.L1Ball(x.size, 7.5, maxiter=200, xtol=1e-15))
    tv = pp.TV(x.shape, sigma=1.25, niter=20000, rtol=0.0)
    file.put(dtype, "tv", x=x, prox=tv.prox(x.ravel().copy(), STEP).reshape(x.shape), value=np.array(tv(x.ravel())))


def methods(file, dtype):
    """So many iterations each, from a start, of the same two problems."""
    n, m, steps = 7, 9, 12
    matrix, b, start = file.random((m, n), dtype), file.random(m, dtype), file.random(n, dtype)
    operator = pylops.MatrixMult(matrix, dtype=dtype)
    norm = np.linalg.norm(matrix, 2)
    l1 = absolute(0.25)

    def put(case, run, **arrays):
        every = []
        run(lambda x: every.append(np.array(x)))
        file.put(dtype, case, matrix=matrix, b=b, start=start, x=np.array(every), **arrays)

    misfit = pp.L2(Op=operator, b=b)
    tau = np.float32(0.9 / norm**2)
    for case, acceleration in (("gradient", None), ("accelerated", "fista")):
        put(case, lambda keep: ProximalGradient(misfit, l1, start.copy(), tau=tau, acceleration=acceleration, niter=steps, callback=keep), step=np.array(tau))
    # min ½ ‖x - b‖² + ¼ Σ |A x|, whose data are those of A's adjoint
    near, step = pp.L2(b=start), np.float32(0.9 / norm)
    zero = np.zeros(n, dtype)
    put("chambolle_pock", lambda keep: PrimalDual(near, l1, operator, zero.copy(), tau=step, mu=step, niter=steps, gfirst=False, callback=keep), step=np.array(step))
    rho, mu = 2.0, float(np.float32(0.9 / 2.0 / norm**2))
    put("linearised", lambda keep: LinearizedADMM(near, l1, operator, zero.copy(), tau=1 / rho, mu=mu, niter=steps, callback=keep), rho=np.array(rho), norm=np.array(np.sqrt(1 / (mu * rho))))
    put("admm", lambda keep: ADMM(near, l1, zero.copy(), tau=1 / rho, niter=steps, gfirst=False, callback=keep), rho=np.array(rho))
