"""Operators as functions of JAX's arrays, which JAX differentiates.

>>> import arrayspan, jax, jax.numpy as jnp
>>> from arrayspan.jax import function
>>> slope = function(arrayspan.operators.FirstDerivative((64, 64)))
>>> gradient = jax.grad(lambda x: jnp.square(slope(x)).sum())(jnp.ones((8, 64, 64)))

Arrays are those of the operator's dtype (64 bits want ``jax_enable_x64``), with any axes in front of the operator's own.
Gradients are JAX's, whose sign of the imaginary part is the other one than torch's: the conjugate of the adjoint of the conjugate.
There is a rule for going back (``grad``, ``vjp``, ``jacrev``, to any order) and for ``vmap``, none for going forward (``jvp``, ``jacfwd``).

**What ``jit`` compiles calls back into Python.** Outside of ``jit``, arrays are read and handed over without a copy, on whatever device
they are. Within it (and within ``vmap`` and whatever else traces), XLA holds a ``jax.pure_callback``: it copies its arguments to the
host, the operator is computed there, and the result is copied back. Where an operator is most of the work on a GPU, leave it
outside of what is compiled.
"""

import math

import jax
import numpy

from arrayspan._batches import Batches
from arrayspan.errors import DTypeError

__all__ = ["function"]


class _Function(Batches):
    """An operator that takes arrays of JAX."""

    def batch(self, x, adjoint):
        batch, dtype = super().batch(x, adjoint), self.dtypes[adjoint]
        if x.dtype != dtype:
            narrow = dtype in ("float64", "complex128") and not jax.config.jax_enable_x64
            what, hint = "y" if adjoint else "x", ": set jax_enable_x64" if narrow else ""
            raise DTypeError(f"{self.operator.name}: {what} is {x.dtype}, expected {dtype}{hint}")
        return batch

    def apply(self, x, adjoint):
        """Of an array that is there, of any library."""
        batch = self.batch(x, adjoint)
        operator = self.operator
        if batch:
            count = math.prod(batch)
            operator, x = self.of(count), x.reshape((count, *self.shapes[adjoint]))
        y = operator.adjoint(x) if adjoint else operator.forward(x)
        return y.reshape((*batch, *self.shapes[not adjoint]))

    def __call__(self, x, adjoint):
        if not isinstance(x, jax.core.Tracer):
            return self.apply(jax.numpy.asarray(x), adjoint)
        shape = (*self.batch(x, adjoint), *self.shapes[not adjoint])
        result = jax.ShapeDtypeStruct(shape, self.dtypes[not adjoint])
        call = lambda x: self.apply(numpy.asarray(x), adjoint)  # noqa: E731
        return jax.pure_callback(call, result, x, vmap_method="broadcast_all")


def function(operator, adjoint=False):
    """``x ↦ A x``, or ``y ↦ Aᴴ y``, as a function that JAX differentiates.

    ``operator`` is an ``arrayspan.Operator``, or one of ``arrayspan.pylops`` that the engine has.
    """
    return _functions(_Function(operator))[bool(adjoint)]


def _functions(operator):
    """Forward and adjoint, each of which goes back by the other."""

    def made(adjoint):
        def apply(x):
            return operator(x, adjoint)

        def remember(x):
            # By the function again, which may be differentiated itself.
            return functions[adjoint](x), None

        def back(_, gradient):
            return (functions[not adjoint](gradient.conj()).conj(),)

        apply.__name__ = f"{operator.operator.name}{'_adjoint' if adjoint else ''}"
        apply = jax.custom_vjp(apply)
        apply.defvjp(remember, back)
        return apply

    functions = [made(False), made(True)]
    return functions
