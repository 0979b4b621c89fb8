"""Operators as functions of torch's tensors, which torch differentiates.

>>> import arrayspan, torch
>>> from arrayspan.torch import Operator
>>> slope = Operator(arrayspan.operators.FirstDerivative((64, 64)))
>>> x = torch.randn(8, 1, 64, 64, requires_grad=True)
>>> slope(x).square().sum().backward()  # back by the adjoint

Tensors are those of the operator's dtype, on the CPU or on CUDA, with any axes in front of the operator's own; they are read
without a copy, and results are tensors over arrays of arrayspan. Gradients are torch's, ``∂L/∂Re x + i ∂L/∂Im x``: the adjoint, which for
operators that are linear over the real numbers only is that of the inner product ``Re ⟨x, y⟩``.

Without ``torch.compile`` it is a ``torch.autograd.Function`` that knows ``torch.func`` (``grad``, ``vmap``, ``jvp`` and what is made of
them), to any order. What ``torch.compile`` compiles, with ``fullgraph=True`` too, holds a call of the custom operator
``torch.ops.arrayspan.apply``, of which it knows shapes, gradient and layer.
"""

import itertools
import math
import weakref

try:
    import torch
except ModuleNotFoundError as _error:
    if _error.name != "torch":
        raise
    raise ModuleNotFoundError("arrayspan.torch needs the package torch, which is not installed", name="torch") from _error
from torch.autograd import forward_ad

from arrayspan import _native
from arrayspan._batches import Batches
from arrayspan.errors import DTypeError, ParameterError

__all__ = ["Operator"]

#: The operators that compiled functions may call, by names that are never given twice.
_NAMED = weakref.WeakValueDictionary()
_NUMBERS = itertools.count()


class _Layer(Batches):
    """An operator that takes tensors."""

    def __init__(self, operator):
        super().__init__(operator)
        #: What compiled functions call it: given once.
        self.name = f"{self.operator.name}#{next(_NUMBERS)}"
        self.dtypes = tuple(getattr(torch, dtype) for dtype in self.dtypes)
        #: What takes tensors that are there where they are, and leaves all others to `apply`.
        self.direct = _native._Layer(self.operator).apply
        _NAMED[self.name] = self

    def batch(self, x, adjoint):
        batch = super().batch(x, adjoint)
        if x.dtype != self.dtypes[adjoint]:
            what = "y" if adjoint else "x"
            raise DTypeError(f"{self.operator.name}: {what} is {x.dtype}, expected {self.dtypes[adjoint]}")
        return batch

    def empty(self, x, adjoint):
        """What the result is like."""
        batch = self.batch(x, adjoint)
        return x.new_empty((*batch, *self.shapes[not adjoint]), dtype=self.dtypes[not adjoint])

    def apply(self, x, adjoint):
        y = self.direct(x, adjoint)
        if y is not None:
            return y
        batch = self.batch(x, adjoint)
        if x.is_meta:
            return self.empty(x, adjoint)
        if _is_batched_by_autograd(x):
            return torch.ops.arrayspan.apply(x, self.name, adjoint)
        x = x.detach().resolve_conj().resolve_neg()
        operator = self.operator
        if batch:
            count = math.prod(batch)
            operator, x = self.of(count), x.reshape(count, *self.shapes[adjoint])
        apply = operator.adjoint if adjoint else operator.forward
        # By the protocol of DLPack, which torch takes longer for than NumPy's arrays over the same memory.
        near = x.device.type == "cpu" and x.dtype is not torch.bfloat16
        y = torch.from_numpy(apply(x.numpy())) if near else apply(x)
        return y.reshape(*batch, *self.shapes[not adjoint]) if batch else y


#: Whether ``torch.autograd.grad(is_grads_batched=True)`` and its like have made it of many: their batches take a registered operator
#: to one after the other, and do not know of functions like the one below.
_is_batched_by_autograd = torch._C._functorch.is_legacy_batchedtensor


class _Recorded(torch.autograd.Function):
    """A linear function: its gradient is its adjoint, which is one too, and its tangent itself."""

    @staticmethod
    def forward(ctx, x, layer, adjoint):
        ctx.layer, ctx.adjoint = layer, adjoint
        return layer.apply(x, adjoint)

    @staticmethod
    def backward(ctx, gradient):
        return _linear(gradient, ctx.layer, not ctx.adjoint), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        return _linear(tangent, ctx.layer, ctx.adjoint)


class _Transformed(torch.autograd.Function):
    """The same for ``torch.func``, which takes 20 µs longer for the way that it has functions written in."""

    backward, jvp = _Recorded.backward, _Recorded.jvp

    @staticmethod
    def forward(x, layer, adjoint):
        return layer.apply(x, adjoint)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.layer, ctx.adjoint = inputs

    @staticmethod
    def vmap(info, axes, x, layer, adjoint):
        return _linear(x.movedim(axes[0], 0), layer, adjoint), 0


# What `_Recorded.apply` comes to without transformations, which it asks for and takes 3 µs to find absent.
_record = super(torch.autograd.Function, _Recorded).apply
_unwrapped = torch._C._functorch.unwrap_if_dead
_is_transformed = torch._C._are_functorch_transforms_active
_is_recording = torch.is_grad_enabled


def _linear(x, layer, adjoint):
    if _is_transformed():
        return _Transformed.apply(x, layer, adjoint)
    # Within a level of forward mode, tensors have tangents of which `requires_grad` does not tell.
    if (x.requires_grad and _is_recording()) or forward_ad._current_level >= 0:
        return _record(_unwrapped(x), layer, adjoint)
    return layer.apply(x, adjoint)


def _named(name):
    layer = _NAMED.get(name)
    if layer is None:
        raise ParameterError(f"arrayspan::apply: the operator {name!r} is gone: keep its arrayspan.torch.Operator")
    return layer


@torch.library.custom_op(
    "arrayspan::apply", mutates_args=(), schema="(Tensor x, str operator, bool adjoint) -> Tensor"
)
def _apply(x, operator, adjoint):
    return _named(operator).apply(x, adjoint)


@_apply.register_fake
def _(x, operator, adjoint):
    return _named(operator).empty(x, adjoint)


def _remember(ctx, inputs, output):
    _, ctx.operator, ctx.adjoint = inputs


def _back(ctx, gradient):
    return _apply(gradient, ctx.operator, not ctx.adjoint), None, None


_apply.register_autograd(_back, setup_context=_remember)


@_apply.register_vmap
def _(info, axes, x, operator, adjoint):
    return _apply(x.movedim(axes[0], 0), operator, adjoint), 0


class Operator(torch.nn.Module):
    """``y = A x``, a layer without parameters.

    ``operator`` is an ``arrayspan.Operator``, one of ``arrayspan.pylops`` that the engine has, or another one of these. Models are ``(..., *domain.shape)``, data ``(..., *range.shape)``.
    Copies of the layer (``copy.deepcopy``) share the operator, which nothing changes.

    It serves as a ``deepinv.physics.LinearPhysics`` by ``layer.deepinv()``.
    """

    def __init__(self, operator):
        super().__init__()
        if isinstance(operator, Operator):
            operator = operator.operator
        self._layer = _Layer(operator)

    @property
    def operator(self):
        """The operator."""
        return self._layer.operator

    @property
    def domain(self):
        """Where models live."""
        return self.operator.domain

    @property
    def range(self):
        """Where data live."""
        return self.operator.range

    @property
    def H(self):
        """The adjoint, as a layer."""
        return Operator(self.operator.H)

    def forward(self, x):
        """``A x``, for each index of the axes in front."""
        return self._applied(x, False)

    def adjoint(self, y):
        """``Aᴴ y``, for each index of the axes in front."""
        return self._applied(y, True)

    def _applied(self, x, adjoint):
        if torch.compiler.is_compiling():
            return torch.ops.arrayspan.apply(x, self._layer.name, adjoint)
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{self.operator.name}: expected a torch.Tensor, not {type(x).__name__}")
        return _linear(x, self._layer, adjoint)

    def deepinv(self, **options):
        """The operator as a ``deepinv.physics.LinearPhysics``, which is told ``options`` (``noise_model``, say)."""
        from deepinv.physics import LinearPhysics

        return LinearPhysics(
            A=lambda x, **_: self.forward(x), A_adjoint=lambda y, **_: self.adjoint(y), **options
        )

    def __deepcopy__(self, memo):
        return Operator(self.operator)

    def __reduce__(self):
        raise TypeError("an operator cannot be pickled: save the state_dict of what it is a part of")

    def extra_repr(self):
        return repr(self.operator)
