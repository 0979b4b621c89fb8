"""Operators as functions of JAX's arrays, which JAX differentiates.

>>> import arrayspan, jax, jax.numpy as jnp
>>> from arrayspan.jax import function
>>> slope = function(arrayspan.operators.FirstDerivative((64, 64)))
>>> gradient = jax.grad(lambda x: jnp.square(slope(x)).sum())(jnp.ones((8, 64, 64)))

Arrays are those of the operator's dtype (64 bits want ``jax_enable_x64``), with any axes in front of the operator's own.
Gradients are JAX's, whose sign of the imaginary part is the other one than torch's: the conjugate of the adjoint of the conjugate.
Functions are linear, and JAX knows it: ``grad``, ``jvp``, ``jacfwd``, ``jacrev``, ``vmap`` and ``linear_transpose``, to any order.

Outside of ``jit``, arrays are read where they are, on whatever device, without a copy. **What ``jit`` compiles for the CPU or for
CUDA calls the engine where the arrays are** (XLA's foreign function interface), on the stream that the compiled function runs on, without Python. It
calls back into Python, with arrays that are copied to the host and back (``jax.pure_callback``), where that cannot be: on other platforms, for
operators made of functions of Python, and for those that hold arrays of another device than the function runs on.

Compiled functions have the arrays that an operator had when they were traced. They keep their operators alive, and for ten seconds after
they are gone what has been dispatched may still run. ``jax.export`` cannot write them to files.
"""

import contextlib
import math

try:
    import jax
except ModuleNotFoundError as _error:
    if _error.name != "jax":
        raise
    raise ModuleNotFoundError("arrayspan.jax needs the package jax, which is not installed", name="jax") from _error
import numpy
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from arrayspan import _native
from arrayspan._batches import Batches
from arrayspan.errors import DTypeError

__all__ = ["function"]

#: The name by which XLA knows the engine.
_TARGET = "arrayspan_apply"

#: The platforms of devices, by what lowering calls them.
_PLATFORMS = {"cpu": "cpu", "gpu": "cuda"}

for _platform, _handler in _native._jax_handlers():
    jax.ffi.register_ffi_target(_TARGET, _handler, platform=_platform)


class _Function(Batches):
    """An operator that takes arrays of JAX."""

    def __init__(self, operator):
        super().__init__(operator)
        #: By which compiled functions call it, as long as this lives.
        self.numbered = _native._Numbered(self.operator)

    def is_called_where(self, x):
        """Whether an array is there, on one device, where what is compiled calls the engine: that takes less time than to hand it over."""
        if isinstance(x, jax.core.Tracer) or len(x.devices()) != 1:
            return False
        (device,) = x.devices()
        return _PLATFORMS.get(device.platform) in self.numbered.platforms

    def batch(self, x, adjoint):
        batch, dtype = super().batch(x, adjoint), self.dtypes[adjoint]
        if x.dtype != dtype:
            narrow = dtype in ("float64", "complex128") and not jax.config.jax_enable_x64
            what, hint = "y" if adjoint else "x", ": set jax_enable_x64" if narrow else ""
            raise DTypeError(f"{self.operator.name}: {what} is {x.dtype}, expected {dtype}{hint}")
        return batch

    def result(self, x, adjoint):
        """The shape and the dtype of what comes of an argument."""
        return (*self.batch(x, adjoint), *self.shapes[not adjoint]), numpy.dtype(self.dtypes[not adjoint])

    def apply(self, x, adjoint):
        """Of an array that is there, of any library."""
        batch = self.batch(x, adjoint)
        operator = self.operator
        if batch:
            count = math.prod(batch)
            operator, x = self.of(count), x.reshape((count, *self.shapes[adjoint]))
        y = operator.adjoint(x) if adjoint else operator.forward(x)
        return y.reshape((*batch, *self.shapes[not adjoint]))


# JAX's cache of abstract evaluations holds all parameters but those of such types, which it has weakly: without this up to 2048 operators that are gone
# for everyone else stay there. The set is no public interface, and older versions have none.
with contextlib.suppress(ImportError, AttributeError):
    from jax._src.util import weakref_cache_key_types

    weakref_cache_key_types.add(_Function)

#: ``A x``, or ``Aᴴ x``, of a `_Function`.
_apply = Primitive("arrayspan_apply")


@_apply.def_impl
def _now(x, *, function, adjoint):
    return function.apply(x, adjoint)


@_apply.def_abstract_eval
def _like(x, *, function, adjoint):
    shape, dtype = function.result(x, adjoint)
    manual = getattr(x, "manual_axis_type", None)
    if manual.empty if manual is not None else not getattr(x, "vma", None):
        return jax.core.ShapedArray(shape, dtype)
    # Within `shard_map` it varies along the axes of the mesh that the argument varies along.
    sharding = x.sharding.update(spec=jax.sharding.PartitionSpec(*[None] * len(shape)))
    return x.update(shape=shape, dtype=dtype, weak_type=False, sharding=sharding)


def _transposed(y, x, *, function, adjoint):
    # The transpose is the conjugate of the adjoint.
    return [_apply.bind(y.conj(), function=function, adjoint=not adjoint).conj()]


ad.deflinear2(_apply, _transposed)


def _batched(arguments, axes, *, function, adjoint):
    (x,), (axis,) = arguments, axes
    return _apply.bind(jax.numpy.moveaxis(x, axis, 0), function=function, adjoint=adjoint), 0


batching.primitive_batchers[_apply] = _batched


def _called_back(ctx, x, *, function, adjoint):
    def call(x):
        result = jax.ShapeDtypeStruct(*function.result(x, adjoint))
        return jax.pure_callback(lambda x: function.apply(numpy.asarray(x), adjoint), result, x)

    return mlir.lower_fun(call, multiple_results=False)(ctx, x)


def _compiled(platform):
    def lowered(ctx, x, *, function, adjoint):
        if platform not in function.numbered.platforms:
            return _called_back(ctx, x, function=function, adjoint=adjoint)
        ctx.module_context.add_keepalive(function)
        numbers = {"operator": numpy.int64(function.numbered.number), "adjoint": numpy.int64(adjoint)}
        return jax.ffi.ffi_lowering(_TARGET)(ctx, x, **numbers)

    return lowered


mlir.register_lowering(_apply, _called_back)
for _platform in ("cpu", "cuda"):
    mlir.register_lowering(_apply, _compiled(_platform), platform=_platform)


def function(operator, adjoint=False):
    """``x ↦ A x``, or ``y ↦ Aᴴ y``, as a function that JAX differentiates.

    ``operator`` is an ``arrayspan.Operator``, or one of ``arrayspan.pylops`` that the engine has.
    """
    function, adjoint = _Function(operator), bool(adjoint)
    # Not of the `_Function`: what is compiled keeps that alive.
    compiled = jax.jit(lambda x: _apply.bind(x, function=function, adjoint=adjoint))

    def apply(x):
        x = jax.numpy.asarray(x)
        if function.is_called_where(x):
            return compiled(x)
        return _apply.bind(x, function=function, adjoint=adjoint)

    apply.__name__ = f"{function.operator.name}{'_adjoint' if adjoint else ''}"
    return apply
