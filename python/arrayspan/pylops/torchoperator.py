"""An operator as a differentiable function of torch."""

from functools import cache
from math import prod

import numpy as np

from arrayspan import _native

from .config import get_ndarray_multiplication
from .linearoperator import LinearOperator
from .utils import deps

__all__ = ["TorchOperator"]


@cache
def _function():
    """What is applied to tensors, made when it is asked for: torch is not imported before."""
    import torch
    from torch.autograd import forward_ad

    class Recorded(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, operator, adjoint):
            ctx.operator, ctx.adjoint = operator, adjoint
            return operator._times(x, adjoint)

        @staticmethod
        def backward(ctx, y):
            # The gradient of a linear map is its adjoint, whose gradient is the map.
            return apply(y, ctx.operator, not ctx.adjoint), None, None

    class Transformed(torch.autograd.Function):
        """The same for ``torch.func``, which takes longer for the way that it has functions written in."""

        backward = Recorded.backward

        @staticmethod
        def forward(x, operator, adjoint):
            return operator._times(x, adjoint)

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, ctx.operator, ctx.adjoint = inputs

    # What `Recorded.apply` comes to without transformations.
    record, unwrapped = super(torch.autograd.Function, Recorded).apply, torch._C._functorch.unwrap_if_dead
    transformed, recording = torch._C._are_functorch_transforms_active, torch.is_grad_enabled

    def apply(x, operator, adjoint):
        if transformed():
            return Transformed.apply(x, operator, adjoint)
        if (x.requires_grad and recording()) or forward_ad._current_level >= 0:
            return record(unwrapped(x), operator, adjoint)
        return operator._times(x, adjoint)

    return apply


class Engine:
    """What the engine has for an operator, for tensors that it reads where they are."""

    def __init__(self, Op):
        self.Op = Op
        # By dtype and device: something that tells the device, the engine's operator, what applies it, and the shapes that it takes.
        self._known = {}

    def times(self, x, adjoint, batch):
        """The product, or `None` where the engine has none that does what the operator does to arrays."""
        Op, key = self.Op, (x.dtype, x.get_device())
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look(x)
        dtype, like, native, layer, shapes = known
        if dtype is None or not Op._is_as_built():
            return None
        now = Op._native(dtype, like)
        if now is not native:
            # It was changed, or is made for the first time.
            domain, range = (None, None) if now is None else (now.domain, now.range)
            fits = now is not None and Op._dtype_for(dtype) == dtype and domain.dtype == range.dtype
            layer, shapes = (_native._Layer(now).apply, (domain.shape, range.shape)) if fits else (None, None)
            self._known[key] = dtype, like, now, layer, shapes
        if layer is None or x.ndim <= batch:
            return None
        dims, dimsd = (Op.dimsd, Op.dims) if adjoint else (Op.dims, Op.dimsd)
        front, flat = tuple(x.shape[:batch]), tuple(x.shape[batch:])
        shaped = flat == dims and len(dims) > 1
        if not shaped and flat != (prod(dims),) or shaped and (Op.forceflat or not get_ndarray_multiplication()):
            return None
        own = front + shapes[adjoint]
        y = layer(x if x.shape == own else x.reshape(own), adjoint)
        if y is None:
            return None
        Op._tick(adjoint, many=batch)
        result = front + (dimsd if shaped else (-1,))
        return y if y.ndim == len(result) and (not shaped or y.shape == result) else y.reshape(result)

    def _look(self, x):
        try:
            dtype = np.dtype(str(x.dtype).rpartition(".")[2])
        except TypeError:
            return None, None, None, None, None
        like = None
        if not x.is_cpu:
            import cupy

            like = cupy.from_dlpack(x.detach().reshape(-1)[:1].clone())
        return dtype, like, None, None, None


class TorchOperator:
    """A function of tensors that torch differentiates.

    Parameters
    ----------
    Op : LinearOperator
        The operator.
    batch : bool, optional
        Whether tensors have a first axis of samples.
    flatten : bool, optional
        Whether samples are vectors, not of shape ``dims``.
    device : str, optional
        ``"cpu"``, or any other name if `Op` is applied to arrays of CuPy.
    devicetorch : str, optional
        Where tensors are.
    """

    def __init__(self, Op, batch=False, flatten=True, device="cpu", devicetorch="cpu"):
        if not deps.torch_enabled:
            raise NotImplementedError('Torch package not installed. Run "pip install torch".')
        if isinstance(Op, _native.Operator):
            raise TypeError("TorchOperator takes operators under PyLops's names; arrayspan.torch.Operator takes an arrayspan.Operator")
        self.device, self.devicetorch = device, devicetorch
        self.dtype, self.name = np.dtype(Op.dtype), Op.name
        self.dims, self.dimsd = Op.dims, Op.dimsd
        adjoint = Op.H

        def batched(op, axes):
            last = tuple(range(1, axes)) + (0,)
            first = (axes - 1,) + tuple(range(axes - 1))
            return lambda x: (op @ x.transpose(last)).transpose(first)

        if batch:
            self.matvec = batched(Op, 2 if flatten else len(self.dims) + 1)
            self.rmatvec = batched(adjoint, 2 if flatten else len(self.dimsd) + 1)
        else:
            self.matvec, self.rmatvec = Op.__matmul__, adjoint.__matmul__
        self._apply, self._batch = _function(), batch
        self._engine = Engine(Op) if isinstance(Op, LinearOperator) else None

    def _times(self, x, adjoint):
        x = x.detach()
        # Where tensors are those of the operator's device, as arrays are.
        if self._engine is not None and (x.is_cuda if self.device != "cpu" else x.is_cpu and self.devicetorch == "cpu"):
            y = self._engine.times(x, adjoint, self._batch)
            if y is not None:
                return y
        y = (self.rmatvec if adjoint else self.matvec)(self._to_array(x))
        return self._to_tensor(y)

    def _to_array(self, x):
        if self.device == "cpu":
            return x.cpu().numpy()
        import cupy

        return cupy.from_dlpack(x)

    def _to_tensor(self, y):
        import torch

        if self.device == "cpu":
            return torch.from_numpy(np.ascontiguousarray(y)).to(self.devicetorch)
        return torch.from_dlpack(y)

    def __call__(self, x):
        return self.apply(x)

    def __repr__(self):
        rows, columns = prod(self.dimsd), prod(self.dims)
        return f"<{rows}x{columns} {type(self).__name__} with dtype={self.dtype}>"

    def apply(self, x):
        """``Op x`` of a tensor."""
        return self._apply(x, self, False)

    forward = apply

    def adjoint(self, x):
        """``Op.H x`` of a tensor."""
        return self._apply(x, self, True)
